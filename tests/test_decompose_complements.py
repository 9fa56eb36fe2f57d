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


WHOLE = (
    "Mawenzi is higher than Kibo.",
    "Gold is denser than silver.",
    "Paris is as old as London.",
    "Augustus ruled from 27 BC to AD 14.",
    "The speed of light is 299,792,458 metres per second.",
    "More than 40 countries signed the treaty.",
    "No human has walked on Mars.",
    "Not all metals are magnetic.",
    "Van Gogh sold only one painting during his lifetime.",
    "Copper, tin and zinc are metals.",
    "Sweden, Norway and Denmark are monarchies.",
    "Wangari Maathai was the first African woman to receive the Nobel Peace Prize.",
    "If it rains, the match is cancelled.",
    "The match is cancelled if it rains.",
    "Unless the dam is repaired, the valley will be flooded.",
    "Had the bridge been stronger, it would have survived.",
    "Provided that the ice holds, the race will be run.",
    "The vaccine is safe as long as it is kept cold.",
    "Iron rusts when it is exposed to water and oxygen.",
    "Scholars doubt that Homer wrote the Odyssey.",
    "According to Plato, Socrates was condemned to death in 399 BC.",
    'Neil Armstrong said, "That\'s one small step for man."',
    "The Great Wall is said to be visible from space, but it is not.",
)


@pytest.mark.parametrize("text", WHOLE)
def test_what_says_less_or_more_in_parts_stays_whole(text: str) -> None:
    assert _facts(text) == [text]


PARTS = (
    (
        "Apollo 11's crew was recovered by the USS Hornet on July 24, 1969.",
        "Apollo 11's crew was recovered on July 24, 1969.",
    ),
    (
        "Marie Curie won the 1911 Nobel Prize in Chemistry.",
        "Marie Curie won the 1911 Nobel Prize in Chemistry.",
    ),
    ("Rome was founded in 753 B.C. by Romulus.", "Rome was founded in 753 B.C."),
    ("Mercury is smaller than Ganymede and Titan.", "Mercury is smaller than Titan."),
    ("Julius Caesar was assassinated on 15 March 44 BC in Rome.", "Julius Caesar was assassinated in Rome."),
    (
        "Mount Everest is 8,849 m high and lies on the border between Nepal and China.",
        "Mount Everest lies on the border between Nepal and China.",
    ),
    (
        "NASA's Voyager 1 left the heliosphere in August 2012.",
        "NASA's Voyager 1 left the heliosphere in August 2012.",
    ),
    (
        "Charles Darwin published On the Origin of Species in 1859.",
        "Charles Darwin published On the Origin of Species in 1859.",
    ),
    (
        "Galileo may have dropped balls from the tower of Pisa.",
        "Galileo may have dropped balls from the tower of Pisa.",
    ),
    (
        "Saturn's largest moon, Titan, has a thick atmosphere.",
        "Saturn's largest moon has a thick atmosphere.",
    ),
    ("DNA carries genetic information, and RNA helps to make proteins.", "RNA helps to make proteins."),
    (
        "Brazil beat Italy 4-1 in the 1970 World Cup final.",
        "Brazil beat Italy 4-1 in the 1970 World Cup final.",
    ),
)


@pytest.mark.parametrize(("text", "fact"), PARTS)
def test_a_part_has_all_the_words_that_it_needs(text: str, fact: str) -> None:
    assert fact in _facts(text)


def test_what_somebody_has_is_not_said_of_them() -> None:
    facts = _facts("Frida Kahlo was a Mexican painter whose husband was Diego Rivera.")
    assert "Frida Kahlo's husband was Diego Rivera." in facts
    assert "Frida Kahlo was Diego Rivera." not in facts


def test_what_does_not_hang_together_gives_way_to_its_sentence() -> None:
    text = "The treaty was signed by France, Spain and Portugal in Lisbon."
    facts = _facts(text)
    assert text in facts
    assert not [fact for fact in facts if "in Spain" in fact]


def test_what_somebody_did_before_is_no_subject() -> None:
    facts = _facts("After studying law in Paris, Ann Reed moved to Lagos, where she opened a practice.")
    assert "Ann Reed moved to Lagos." in facts
    assert not [fact for fact in facts if "law moved" in fact or "law was" in fact]
