"""A fact whose subject is neither the topic nor in a passage is irrelevant, and nothing else is."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.estimators import make_estimator
from factscore_chain.values import AtomicFact, Claim, Decision, Generation, Passage, Verdict
from factscore_chain.verify.judging import Judging
from factscore_chain.verify.relevance import RelevanceVerifier, is_irrelevant
from tests.stages import GivenVerifier

PAGE = (Passage("p1", "Ada Brook was born in Leeds. She wrote a play called The Long Tide.", "Ada Brook"),)


def claim(fact: str, topic: str | None = "Ada Brook", passages: tuple[Passage, ...] = PAGE) -> Claim:
    return Claim(AtomicFact(fact), passages, topic)


@pytest.mark.parametrize(
    "fact",
    [
        "Nagpur is in Maharashtra.",
        "The Silent River was released in 1962.",
        '"Winter Songs" is an album.',
        "The National Theatre of Norway stands in Oslo.",
        "The 2012 Summer Olympics were in London.",
    ],
)
def test_a_subject_without_a_link_is_irrelevant(fact: str) -> None:
    assert is_irrelevant(claim(fact))


@pytest.mark.parametrize(
    "fact",
    [
        "Ada Brook was born in Paris.",
        "Brook's father kept bees.",
        "She won a prize.",
        "Leeds is in Wales.",
        "The Long Tide was filmed in 1962.",
        "Nagpur is where she died.",
        "The album was praised.",
        "Critics praised the album.",
        "Filming took place in May.",
        "",
        "?",
    ],
)
def test_what_may_be_about_the_topic_is_not(fact: str) -> None:
    assert not is_irrelevant(claim(fact))


def test_without_topic_or_passages_nothing_is_irrelevant() -> None:
    assert not is_irrelevant(claim("Nagpur is in Maharashtra.", topic=None))
    assert not is_irrelevant(claim("Nagpur is in Maharashtra.", passages=()))


def test_a_topic_of_short_words_is_known_by_them() -> None:
    assert not is_irrelevant(claim("Li Na is a player.", topic="Li Na"))


class Late(GivenVerifier):
    """Reads the number at the end of a fact."""

    def _decide(self, claim: Claim) -> Decision:
        last = AtomicFact(claim.fact.text.split()[-1])
        return replace(super()._decide(replace(claim, fact=last)), fact=claim.fact)


@pytest.mark.parametrize(
    ("number", "verdict"),
    [("0.1", Verdict.IRRELEVANT), ("0.9", Verdict.SUPPORTED), ("none", Verdict.UNDECIDED)],
)
def test_only_what_is_not_supported_is_told_apart(number: str, verdict: Verdict) -> None:
    verifier = RelevanceVerifier(verifier=Late())
    asked = claim(f"Nagpur is in Maharashtra {number}")
    for decision in (verifier.invoke(asked), asyncio.run(verifier.ainvoke(asked))):
        assert decision.verdict is verdict
        assert (decision.note is not None) is (verdict is Verdict.IRRELEVANT)


def test_no_score_moves_and_the_facts_are_counted() -> None:
    facts = ("Marie Curie was born in Warsaw.", "The Silent River was released in 1962.")
    given = Generation(" ".join(facts), "Marie Curie", facts)
    plain, told = (
        FactScoreChain("examples/knowledge.jsonl", gamma=0, irrelevant=irrelevant).score(given)
        for irrelevant in (False, True)
    )
    assert plain.score == told.score == 0.5
    assert (plain.counts.irrelevant, plain.counts.not_supported) == (0, 1)
    assert (told.counts.irrelevant, told.counts.not_supported) == (1, 0)


def test_the_manifest_says_that_irrelevant_facts_are_told_apart() -> None:
    plain, told = (
        make_estimator("np", judging=judging).verifier.identity
        for judging in (None, Judging(irrelevant=True))
    )
    assert told == {**plain, "irrelevant": "by the fact's subject"}
