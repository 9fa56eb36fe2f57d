"""The embedded verifier with the models that ship."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factscore_chain.values import AtomicFact, Claim, Decision, Passage, Verdict
from factscore_chain.verify.embedded import EmbeddedVerifier

PASSAGES = (
    Passage("rain", "Rain falls on most days in Bergen. The harbour is old."),
    Passage(
        "curie",
        "Marie Curie (born 7 November 1867 in Warsaw) was a physicist and chemist. She shared the Nobel "
        "Prize in Physics of 1903 with Pierre Curie and Henri Becquerel.",
        "Marie Curie",
    ),
)


def claim(fact: str, *passages: Passage) -> Claim:
    return Claim(AtomicFact(fact), passages or PASSAGES, "Marie Curie")


def decide(fact: str) -> Decision:
    return EmbeddedVerifier().invoke(claim(fact))


@pytest.mark.parametrize(
    "fact", ["Marie Curie was a physicist.", "She was born in Warsaw.", "She shared a Nobel Prize in 1903."]
)
def test_what_the_passages_say_is_supported(fact: str) -> None:
    assert decide(fact).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "fact", ["Marie Curie was a footballer.", "She was born in Lisbon.", "She was born in 1912."]
)
def test_what_the_passages_do_not_say_is_not_supported(fact: str) -> None:
    assert decide(fact).verdict is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ("Marie Curie did not share the Nobel Prize in Physics.", "contradicted"),
        ("Marie Curie kept a small zoo.", "no_evidence"),
        ("Marie Curie owned a vineyard.", "no_evidence"),
    ],
)
def test_silence_is_told_from_contradiction(fact: str, reason: str) -> None:
    assert decide(fact).reason == reason


ADVISER = Passage("reed", "Tom Reed has advised Firm B since 2025.", "Tom Reed")


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ("In 2019 Tom Reed was a partner at Firm A.", "no_evidence"),
        ("Tom Reed worked at Firm B in 2019.", "no_evidence"),
        ("Tom Reed has advised Firm B since 2021.", "contradicted"),
    ],
)
def test_what_somebody_did_in_other_years_contradicts_nothing(fact: str, reason: str) -> None:
    decision = EmbeddedVerifier().invoke(Claim(AtomicFact(fact), (ADVISER,), "Tom Reed"))
    assert (decision.verdict, decision.reason) == (Verdict.NOT_SUPPORTED, reason)


def test_passages_that_disagree_are_said_to_do_so_in_either_order() -> None:
    told = Passage("told", "Kyoto Tower was opened in 1964.", "Kyoto Tower")
    other = Passage("other", "Kyoto Tower was opened in 1981.", "Kyoto Tower")
    fact = AtomicFact("Kyoto Tower was opened in 1964.")
    claims = [Claim(fact, passages, "Kyoto Tower") for passages in ((told, other), (other, told), (told,))]
    first, second, alone = EmbeddedVerifier().batch(claims)
    assert first.verdict is second.verdict is alone.verdict is Verdict.SUPPORTED
    assert first.note == second.note == "The passages disagree: 'other' says otherwise."
    assert {passage.id for passage in first.passages} == {"told", "other"}
    assert alone.note is None


def test_another_name_in_its_place_is_noted_in_either_order() -> None:
    told = Passage("told", "Kyoto Tower was designed by Mamoru Yamada.", "Kyoto Tower")
    other = Passage(
        "other", "Kyoto Tower is a tower. Kyoto Tower was designed by Kenzo Tange.", "Kyoto Tower"
    )
    fact = AtomicFact("Kyoto Tower was designed by Mamoru Yamada.")
    claims = [Claim(fact, passages, "Kyoto Tower") for passages in ((told, other), (other, told), (told,))]
    first, second, alone = EmbeddedVerifier().batch(claims)
    assert first.verdict is second.verdict is alone.verdict is Verdict.SUPPORTED
    assert first.note == "The passages may disagree: 'other' has another name in its place."
    assert (second.note, alone.note) == (first.note, None)


def test_a_fact_longer_than_the_model_can_read_gets_a_probability() -> None:
    decision = decide("Marie Curie met " + ", ".join(f"Person{number}" for number in range(600)))
    assert decision.verdict is Verdict.NOT_SUPPORTED
    assert 0 <= (decision.probability or 0) <= 1


def test_the_evidence_is_the_passage_that_says_so() -> None:
    assert decide("She was born in Warsaw.").evidence[0] == "curie"


def test_a_batch_decides_as_one_by_one() -> None:
    claims = [claim(fact) for fact in ("She was born in Warsaw.", "He died.", "A physicist won in 1903.")]
    alone = [EmbeddedVerifier().invoke(one).probability for one in claims]
    assert [one.probability for one in EmbeddedVerifier().batch(claims)] == pytest.approx(alone, abs=1e-5)


def test_without_passages_nothing_is_supported() -> None:
    decision = EmbeddedVerifier().invoke(Claim(AtomicFact("It rains."), ()))
    assert (decision.verdict, decision.reason) == (Verdict.NOT_SUPPORTED, "no_evidence")


def test_a_fact_without_a_word_is_undecided_and_says_why() -> None:
    decision = decide("…")
    assert (decision.verdict, decision.cause) == (Verdict.UNDECIDED, "the fact holds no word")


def test_a_passage_of_any_length_is_read_to_its_end() -> None:
    late = replace(PASSAGES[0], text="Rain falls on most days. " * 200 + "Ada Byron kept bees in Bergen.")
    decision = EmbeddedVerifier().invoke(claim("Ada Byron kept bees in Bergen.", late))
    assert decision.verdict is Verdict.SUPPORTED


def test_the_threshold_can_be_chosen() -> None:
    one = claim("She was born in Warsaw.")
    assert EmbeddedVerifier(threshold=1.0).invoke(one).verdict is Verdict.NOT_SUPPORTED
