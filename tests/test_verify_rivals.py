"""Words that exclude one another, and different spellings of one thing."""

from __future__ import annotations

import numpy as np
import pytest

from factscore_chain.verify.reading import Reader
from factscore_chain.verify.rivals import excluded, folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,000", "1000"),
        ("1,5", "1.5"),
        ("2,000,000", "2000000"),
        ("1.4 million", "1,400,000"),
        ("2.50 thousand", "2500"),
        ("two", "2"),
        ("Jan", "January"),
        ("km", "kilometres"),
        ("%", "percent"),
        ("2nd", "second"),
        ("feet", "foot"),
    ],
)
def test_spellings_of_one_thing_are_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize("word", ["1±0.5 billion", "4²3.5 million", "1.2.3 million", "²"])
def test_what_is_no_plain_number_stays_as_it_is(word: str) -> None:
    assert folded(word) == word.partition(" ")[0]


@pytest.mark.parametrize(
    ("fact", "evidence"),
    [
        ("1966", "1967"),
        ("June", "July"),
        ("km", "miles"),
        ("brother", "sister"),
        ("II", "III"),
        ("1.5", "15"),
    ],
)
def test_members_of_a_group_exclude_each_other(fact: str, evidence: str) -> None:
    assert excluded([fact], [evidence]).all()


@pytest.mark.parametrize(
    ("fact", "evidence"),
    [("1,000", "1000"), ("1966", "June"), ("years", "aged"), ("may", "June"), ("cellist", "pianist")],
)
def test_the_same_thing_and_things_of_other_kinds_do_not(fact: str, evidence: str) -> None:
    assert not excluded([fact], [evidence]).any()


def test_the_table_is_words_by_words() -> None:
    expected = [[False, True, False], [False, False, True]]
    assert np.array_equal(excluded(["1966", "May"], ["in", "1967", "June"]), expected)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is 1,000 km away.", ["1,000"]),
        ("It fell by 1.5% or 1,5 %.", ["1.5", "1,5"]),
        ("On May 1, 1967, it opened.", ["1", "1967"]),
        ("Of 2 million people 1.5 billion.", ["2 million", "1.5 billion"]),
        ("It has 3 millions.", ["3"]),
        ("See 1.2.3 and 3,4567.", ["1", "2", "3", "3", "4567"]),
    ],
)
def test_a_number_is_one_word(text: str, numbers: list[str]) -> None:
    assert [word for word in Reader().words([text])[0].texts if word[0].isdigit()] == numbers
