"""What is left of a sentence has a main clause, and a claim that cannot go as a whole loses a piece."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factscore_chain.edit.base import Attempt, Policy
from factscore_chain.edit.embedded import edit_sentence
from factscore_chain.values import Verdict
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
    ("text", "wrong", "right", "expected"),
    [
        (
            "The Prime Minister last year accepted drinking in Australia.",
            "The Prime Minister was last year.",
            "The Minister accepted drinking in Australia.",
            "The Prime Minister accepted drinking in Australia.",
        ),
        (
            "Prosecutors agreed he was mentally ill but could stand trial.",
            "Prosecutors agreed he was mentally ill.",
            "He could stand trial.",
            None,
        ),
        (
            "She met the former president of France.",
            "The president was former.",
            "She met the president of France.",
            None,
        ),
        (
            "The older Danish painter moved to Skagen.",
            "She was an older Danish painter.",
            "She moved to Skagen.",
            "The Danish painter moved to Skagen.",
        ),
    ],
)
def test_a_claim_loses_no_word_that_only_says_more_of_one_that_stays(
    text: str, wrong: str, right: str, expected: str | None
) -> None:
    assert edit_sentence(request(text, [wrong], [right])).text == expected


def test_another_piece_goes_where_the_first_one_did_not_help() -> None:
    text = "The choir sang two psalms at the new chapel on the hill in March."
    wrong, right = ["The choir sang at the new chapel on the hill in March."], ["The choir sang two psalms."]
    first = edit_sentence(request(text, wrong, right)).text
    assert first == "The choir sang two psalms."
    second = edit_sentence(request(text, wrong, right, attempts=[first])).text
    assert second == "The choir sang two psalms at the new chapel on the hill."


@pytest.mark.parametrize(
    ("text", "wrong", "right", "expected"),
    [
        (
            "Clara Haskil played chess in Vevey.",
            "Clara Haskil played chess.",
            "Clara Haskil played in Vevey.",
            "Clara Haskil played in Vevey.",
        ),
        (
            "It is a modern, colourful building in Oslo.",
            "The building is colourful.",
            "It is a modern building in Oslo.",
            "It is a modern building in Oslo.",
        ),
        (
            "The girl from Ribe wants to learn Danish.",
            "The girl wants to learn Danish.",
            "The girl is from Ribe.",
            None,
        ),
    ],
)
def test_what_a_verb_or_a_noun_can_do_without_goes(
    text: str, wrong: str, right: str, expected: str | None
) -> None:
    assert edit_sentence(request(text, [wrong], [right], policy=Policy.REMOVE)).text == expected


@pytest.mark.parametrize(
    ("doubtful", "wrong", "expected"),
    [
        ("They hoped.", "They reached Bergen.", "The choir sang on Sunday."),
        (
            "They hoped to reach Bergen.",
            "Bergen was in May.",
            "The choir sang on Sunday as they hoped to reach Bergen.",
        ),
    ],
)
def test_what_nobody_could_decide_goes_along_where_it_has_to(
    doubtful: str, wrong: str, expected: str
) -> None:
    text = "The choir sang on Sunday as they hoped to reach Bergen in May."
    asked = request(text, [wrong], ["The choir sang on Sunday.", doubtful])
    sung, hoped, bad = asked.facts
    hoped = hoped.model_copy(update={"verdict": Verdict.UNDECIDED})
    assert edit_sentence(replace(asked, facts=(sung, hoped, bad))).text == expected


def test_less_goes_where_a_whole_fact_could_not() -> None:
    text = "The choir sang two psalms in western Norway in May."
    passage = "In May the choir sang two psalms in eastern Norway."
    fact = "The choir sang in western Norway."
    whole = "The choir sang two psalms in May."
    asked = request(text, [fact], ["The choir sang two psalms in May."], [passage], policy=Policy.REMOVE)
    assert edit_sentence(asked).text == whole
    again = replace(asked, attempts=(Attempt(whole, "the second estimator supports it"),))
    assert edit_sentence(again).text == "The choir sang two psalms in Norway in May."
