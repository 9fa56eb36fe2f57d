"""Names in a text, and whether a sentence of another page speaks of the subject."""

from __future__ import annotations

import pytest

from factscore_chain.seek.names import bare, mentions, names_in, sentences_about, titles_in
from factscore_chain.seek.values import Subject

CURIE = Subject("Marie Curie", "Marie Curie")
BORN = "Marie Curie was born in Paris."


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Keanu Reeves starred in The Matrix.", ["Keanu Reeves", "Matrix"]),
        ("In July 1895 she married Pierre Curie.", ["Pierre Curie"]),
        ("The Bank of England stands in London.", ["Bank of England", "London"]),
        ("In 1903, both won.", []),
        ("J. R. R. Tolkien wrote.", ["J. R. R. Tolkien"]),
        ("nothing here", []),
        ("", []),
    ],
)
def test_names_are_told_by_their_capitals(text: str, names: list[str]) -> None:
    assert list(names_in(text)) == names


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("He met marie curie.", "Marie Curie", True),
        ("He met Marie Curies.", "Marie Curie", False),
        ("He met Beyonce.", "Beyoncé", True),
        ("What about C++ and D?", "C++", True),
        ("Curie, Marie", "Marie Curie", False),
    ],
)
def test_a_name_is_found_whatever_its_case_and_accents(text: str, name: str, expected: bool) -> None:
    assert mentions(text, name) is expected


@pytest.mark.parametrize(
    ("title", "name"), [("Mercury (planet)", "Mercury"), ("(What's the Story)", "(What's the Story)")]
)
def test_a_qualifier_is_no_part_of_a_name(title: str, name: str) -> None:
    assert bare(title) == name


def test_titles_are_the_longest_that_a_text_names() -> None:
    titles = {"The Matrix", "Matrix", "Bank of England", "England", "May"}
    text = "In May the Bank of England showed The Matrix."
    assert list(titles_in(text, lambda name: name if name in titles else None)) == [
        "Bank of England",
        "Matrix",
    ]


@pytest.mark.parametrize(
    ("sentence", "counts"),
    [
        ("Marie Curie was born in Warsaw.", True),
        ("In July 1895 Marie Curie married him.", True),
        ("Marie Curie's daughter was Irène.", True),
        # About somebody else who meets her.
        ("Pierre Curie was born in Paris and married Marie Curie.", False),
        ("Curie, born in Paris, married Marie Curie.", False),
        ("He was born in Paris and married Marie Curie.", False),
        ("Born in Paris, he married Marie Curie.", False),
        ("The first physicist to teach Marie Curie was born in Paris.", False),
        ("The Marie Curie Institute is in Paris.", False),
        ("The book that all of Paris read was on Marie Curie.", False),
        # Does not name her.
        ("Pierre was born in Paris.", False),
        ("Marie Curies are a band from Paris.", False),
    ],
)
def test_a_sentence_counts_if_it_speaks_of_the_subject(sentence: str, counts: bool) -> None:
    assert bool(sentences_about(sentence, CURIE, BORN, "Pierre Curie")) is counts


def test_a_page_that_the_fact_names_may_speak_for_itself() -> None:
    fact = "Keanu Reeves starred in The Matrix."
    text = "It stars Keanu Reeves. The Matrix won prizes. The Matrix made Keanu Reeves famous."
    found = sentences_about(text, Subject("Keanu Reeves"), fact, "The Matrix")
    assert found == "It stars Keanu Reeves. The Matrix made Keanu Reeves famous."
