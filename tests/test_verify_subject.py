"""What another page says of somebody else supports nothing."""

from __future__ import annotations

import pytest

from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.embedded import EmbeddedVerifier
from factscore_chain.verify.subject import subject_of

NOETHER = Passage(
    "n", "Emmy Noether was a mathematician. She taught in Göttingen and later at Bryn Mawr.", "Emmy Noether"
)
CURIE = Passage(
    "c",
    "Marie Curie was born in Warsaw. She won the Nobel Prize in Chemistry in 1911.",
    "Marie Curie",
)
MERCURY = Passage("m", "It is the planet nearest to the Sun.", "Mercury (planet)")


def claim(fact: str, *passages: Passage, topic: str | None = None) -> Claim:
    return Claim(AtomicFact(fact), passages or (CURIE, NOETHER), topic)


@pytest.mark.parametrize(
    ("one", "subject"),
    [
        (claim("Emmy Noether met Marie Curie."), "Emmy Noether"),
        (claim("In 1911 Marie Curie won a prize."), "Marie Curie"),
        (claim("Mercury is a planet.", MERCURY), "Mercury"),
        (claim("She won a prize."), None),
        (claim("Marie Curies are rare."), None),
        (claim("She won a prize.", topic="Ada"), "Ada"),
    ],
)
def test_the_subject_is_the_topic_or_the_title_that_stands_first(one: Claim, subject: str | None) -> None:
    assert subject_of(one) == subject


@pytest.mark.parametrize(
    ("fact", "verdict"),
    [
        ("Emmy Noether won the Nobel Prize in Chemistry.", Verdict.NOT_SUPPORTED),
        ("Emmy Noether was born in Warsaw.", Verdict.NOT_SUPPORTED),
        ("Marie Curie taught in Göttingen.", Verdict.NOT_SUPPORTED),
        ("Marie Curie won the Nobel Prize in Chemistry.", Verdict.SUPPORTED),
        ("Emmy Noether taught in Göttingen.", Verdict.SUPPORTED),
        ("Marie Curie was born in Warsaw.", Verdict.SUPPORTED),
    ],
)
def test_without_a_topic_a_fact_is_read_against_the_page_it_names(fact: str, verdict: Verdict) -> None:
    assert EmbeddedVerifier().invoke(claim(fact)).verdict is verdict


def test_another_page_counts_where_it_names_the_subject() -> None:
    other = Passage("p", "Marie Curie admired Noether, who swam every day.", "Swimming")
    decision = EmbeddedVerifier().invoke(claim("Emmy Noether swam every day.", NOETHER, other))
    assert decision.verdict is Verdict.SUPPORTED
    assert decision.evidence[0] == "p"


def test_a_topic_whose_page_has_another_title_is_read_against_all_passages() -> None:
    decision = EmbeddedVerifier().invoke(claim("She was born in Warsaw.", CURIE, topic="Maria Skłodowska"))
    assert decision.verdict is Verdict.SUPPORTED
