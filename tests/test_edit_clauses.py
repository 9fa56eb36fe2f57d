"""What is left of a sentence has a main clause, and a claim that cannot go as a whole loses a piece."""

from __future__ import annotations

import pytest

from factscore_chain.edit.base import Policy
from factscore_chain.edit.embedded import edit_sentence
from tests.edits import request

CASES = [
    (
        "He bid five times for the office but never won enough votes.",
        "He never won enough votes.",
        ["He bid five times for the office."],
        "He bid five times for the office.",
    ),
    (
        "The method aligns systems with human values rather than just optimizing a function.",
        "The method was optimizing a function.",
        ["The method aligns systems with human values."],
        "The method aligns systems with human values.",
    ),
    (
        "She was named a dame in 1999 and made a companion in 2001.",
        "She was named a dame in 1999.",
        ["She was made a companion in 2001."],
        "She was named a dame and made a companion in 2001.",
    ),
    (
        "In the lagoon people swim and float on the water but there are no boats.",
        "There are no boats.",
        ["People swim in the lagoon.", "People float on the water."],
        "In the lagoon people swim and float on the water.",
    ),
    (
        "Sven was 120 kg at the age of 15 but went on a strict diet.",
        "Sven was 120 kg at the age of 15.",
        ["Sven went on a strict diet."],
        "Sven went on a strict diet.",
    ),
    (
        "Spell, 25, of Oslo, confessed while his friend, Lester Walters, held the door.",
        "His friend was Lester Walters.",
        ["Spell was 25.", "Spell was of Oslo.", "Spell confessed.", "His friend held the door."],
        "Spell, 25, of Oslo, confessed while his friend held the door.",
    ),
]


@pytest.mark.parametrize(("text", "wrong", "right", "expected"), CASES)
def test_a_second_verb_a_contrast_or_a_piece_goes(
    text: str, wrong: str, right: list[str], expected: str
) -> None:
    assert edit_sentence(request(text, [wrong], right, policy=Policy.REMOVE)).text == expected


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        (
            "So, while a pig has 38 chromosomes in each of its cells, there are none in a chop.",
            "There are none in a chop.",
            ["A pig has 38 chromosomes in each of its cells."],
        ),
        (
            "However, in a book about boats, which is a kind of manual, there are no seats.",
            "There are no seats.",
            ["A book about boats is a kind of manual."],
        ),
        (
            "He studied in Graz before moving to Paris in 1950, where he became a sculptor.",
            "He moved to Paris in 1950.",
            ["He studied in Graz.", "He became a sculptor."],
        ),
    ],
)
def test_no_clause_is_left_hanging(text: str, wrong: str, right: list[str]) -> None:
    assert edit_sentence(request(text, [wrong], right, policy=Policy.REMOVE)).text is None


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        (
            "The Prime Minister last year accepted drinking in Australia.",
            "The Prime Minister was last year.",
            "The Minister accepted drinking in Australia.",
        ),
        (
            "Prosecutors agreed he was mentally ill but could stand trial.",
            "Prosecutors agreed he was mentally ill.",
            "He could stand trial.",
        ),
    ],
)
def test_a_claim_loses_no_word_that_only_says_more_of_one_that_stays(
    text: str, wrong: str, right: str
) -> None:
    assert edit_sentence(request(text, [wrong], [right])).text is None


def test_another_piece_goes_where_the_first_one_did_not_help() -> None:
    text = "The choir sang two psalms at the new chapel on the hill in March."
    wrong, right = ["The choir sang at the new chapel on the hill in March."], ["The choir sang two psalms."]
    first = edit_sentence(request(text, wrong, right)).text
    assert first == "The choir sang two psalms."
    second = edit_sentence(request(text, wrong, right, attempts=[first])).text
    assert second == "The choir sang two psalms at the new chapel on the hill."
