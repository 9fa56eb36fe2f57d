"""A noun keeps what it is the noun of, and what singles it out."""

from __future__ import annotations

import re

import pytest

from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.values import Generation


def _facts(text: str) -> list[str]:
    return [fact.text for fact in EmbeddedDecomposer().invoke(Generation(text)).facts]


@pytest.mark.parametrize(
    "text",
    [
        "Osaka is the capital of Japan.",
        "Paris is the largest city of France.",
        "Tolkien is the author of The Hobbit.",
        "Alan Turing was the son of Julius Turing.",
        "Marie Curie was the first woman to win a Nobel Prize.",
        "Jupiter is the largest planet in the Solar System.",
        "Ann Reed was a member of the band Muse.",
    ],
)
def test_a_statement_about_one_thing_of_another_is_one_fact(text: str) -> None:
    assert _facts(text) == [text]


def test_what_follows_the_phrase_is_a_fact_of_its_own() -> None:
    facts = _facts("Kyoto was the capital of Japan until 1868.")
    assert facts == ["Kyoto was the capital of Japan.", "Kyoto was the capital of Japan until 1868."]


@pytest.mark.parametrize(
    "text", ["It has two cones: Kibo and Shira.", "Ann Reed won three prizes: A, B and C."]
)
def test_what_a_sentence_names_behind_its_colon_stays_with_it(text: str) -> None:
    found = EmbeddedDecomposer().invoke(Generation(text, "Mount Reed"))
    named = text.replace("It has", "Mount Reed has")
    assert [(fact.text, fact.checkable) for fact in found.facts] == [(named, True)]


@pytest.mark.parametrize("verb", ["is", "was"])
@pytest.mark.parametrize("noun", ["capital", "oldest town", "seat", "founder", "head"])
def test_no_fact_loses_the_noun_before_of(noun: str, verb: str) -> None:
    facts = _facts(f"Ann Reed {verb} the {noun} of Norden, a state in the north.")
    assert facts
    assert not [fact for fact in facts if re.search(r"\b(?:the|is|was) of\b", fact)]
