"""The nonparametric check on real text, with the shipped encoder."""

from __future__ import annotations

import pytest

from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.base import is_not_applicable
from factscore_chain.verify.nonparametric import NonparametricVerifier, match_probability

PAGE = (
    Passage("a", "Marie Curie was born in Warsaw in 1867. She studied physics and mathematics in Paris."),
    Passage("b", "With her husband Pierre, Curie discovered polonium and radium."),
)
VERIFIER = NonparametricVerifier()


def claim(text: str, passages: tuple[Passage, ...] = PAGE, topic: str | None = "Marie Curie") -> Claim:
    return Claim(AtomicFact(text), passages, topic)


def test_facts_on_the_page_beat_facts_that_are_not() -> None:
    stated = ["Marie Curie was born in Warsaw.", "Marie Curie discovered radium.", "She studied in Paris."]
    absent = ["Marie Curie played tennis.", "Marie Curie wrote three operas.", "She commanded a submarine."]
    decisions = VERIFIER.batch([claim(text) for text in (*stated, *absent)])
    assert [one.verdict for one in decisions] == [Verdict.SUPPORTED] * 3 + [Verdict.NOT_SUPPORTED] * 3


def test_evidence_is_the_passage_of_the_best_sentence() -> None:
    found = VERIFIER.batch([claim("Curie discovered polonium."), claim("Curie was born in 1867.")])
    assert [one.evidence for one in found] == [("b",), ("a",)]
    assert all(one.passages == PAGE for one in found)


@pytest.mark.parametrize("text", ["He was it.", "So it was.", "..."])
def test_a_fact_without_content_words_is_not_applicable(text: str) -> None:
    decision = VERIFIER.invoke(claim(text))
    assert decision.verdict is Verdict.UNDECIDED
    assert decision.probability is None
    assert is_not_applicable(decision)


def test_a_short_fact_can_be_supported() -> None:
    passage = Passage("p", "She is a Python expert and teaches it at university.")
    assert VERIFIER.invoke(claim("She knows Python.", (passage,), None)).verdict is Verdict.SUPPORTED


def test_without_passages_nothing_is_supported() -> None:
    decision = VERIFIER.invoke(claim("Marie Curie was born in Warsaw.", ()))
    assert (decision.verdict, decision.reason) == (Verdict.NOT_SUPPORTED, "no_evidence")
    assert decision.evidence == ()


def test_the_topics_name_alone_supports_nothing() -> None:
    passage = Passage("p", "Marie Curie, Marie Curie, Marie Curie.")
    assert (
        VERIFIER.invoke(claim("Marie Curie discovered radium.", (passage,))).verdict is Verdict.NOT_SUPPORTED
    )


def test_probability_grows_with_the_match_and_stays_a_probability() -> None:
    values = [match_probability(match / 10) for match in range(-10, 11)]
    assert values == sorted(values)
    assert 0 <= values[0] < 0.1 < 0.7 < values[-1] <= 1


def test_threshold_is_the_callers() -> None:
    strict = NonparametricVerifier(threshold=1)
    assert strict.invoke(claim("Marie Curie was born in Warsaw.")).verdict is Verdict.NOT_SUPPORTED
    assert strict.identity["threshold"] == "1"


def test_one_at_a_time_and_together_decide_alike() -> None:
    claims = [claim("Marie Curie was born in Warsaw."), claim("Marie Curie played tennis.")]
    alone = [VERIFIER.invoke(one).probability for one in claims]
    together = [one.probability for one in VERIFIER.batch(claims)]
    assert alone == pytest.approx(together, abs=1e-3)
