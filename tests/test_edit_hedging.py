"""Marking a claim as unverified changes nothing else, and is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscore_chain import EditChain, FactScoreChain
from factscore_chain.edit.base import Policy
from factscore_chain.edit.embedded import edit_sentence
from factscore_chain.edit.hedging import only_marks, without_marks
from tests.edits import request
from tests.pages import write_rows

PAGE = {
    "title": "Brask Lighthouse",
    "text": "Brask Lighthouse is a lighthouse on the island of Velm. It was built in 1874 by the engineer "
    "Ole Tandberg. The tower is 41 metres tall and made of granite.",
}


@pytest.fixture
def editor(tmp_path: Path) -> EditChain:
    pages = tmp_path / "pages.jsonl"
    write_rows(pages, [PAGE])
    return EditChain(FactScoreChain(pages, gamma=0), policy="hedge")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (
            "Brask Lighthouse is on Velm. It was automated in 1990.",
            "Brask Lighthouse is on Velm. According to an unverified claim, it was automated in 1990.",
        ),
        (
            "Brask Lighthouse was built in 1874 by Nils Berg. It is made of granite.",
            "Brask Lighthouse was built in 1874 by Nils Berg (unverified). It is made of granite.",
        ),
        (
            "The tower is 41 metres tall and painted red.",
            "The tower is 41 metres tall and painted red (unverified).",
        ),
    ],
)
def test_what_is_not_supported_is_marked(editor: EditChain, text: str, marked: str) -> None:
    result = editor.edit(text, topic="Brask Lighthouse")
    assert result.text == marked
    assert [fact.text for fact in result.after.facts] == [fact.text for fact in result.before.facts]
    assert result.after.score == result.before.score


def test_facts_of_a_marked_sentence_keep_their_places(editor: EditChain) -> None:
    result = editor.edit("Brask Lighthouse is on Velm. It was automated in 1990.", topic="Brask Lighthouse")
    *_, last = result.after.facts
    assert last.span is not None
    assert result.text[last.span.start : last.span.end] == "it was automated in 1990"


def test_a_marked_text_is_marked_once(editor: EditChain) -> None:
    once = editor.edit("The tower is 41 metres tall and painted red.", topic="Brask Lighthouse").text
    assert editor.edit(once, topic="Brask Lighthouse").text.count("(unverified)") == 1


@pytest.mark.parametrize(
    ("sentence", "edited", "marks"),
    [
        ("It fell.", "According to an unverified claim, it fell.", True),
        ("It fell in May.", "It fell in May (unverified).", True),
        ("It fell in May.", "It fell in June (unverified).", False),
        ("It fell.", "It fell.", False),
        ("It fell.", "", False),
    ],
)
def test_only_the_marks_may_be_new(sentence: str, edited: str, marks: bool) -> None:
    assert only_marks(sentence, edited) is marks


def test_places_of_the_unmarked_text_point_into_the_marked_one() -> None:
    text, places = without_marks("A (unverified) b.")
    assert text == "A b."
    assert places == [0, 14, 15, 16]


def test_who_speaks_stays_at_the_head_of_a_marked_sentence() -> None:
    text = "A: Panama took full control in 1989."
    edit = edit_sentence(request(text, ["Panama took full control in 1989."], policy=Policy.HEDGE))
    assert edit.text == "A: Panama took full control in 1989 (unverified)."


def test_an_article_goes_on_small_behind_the_lead() -> None:
    text = "The Panama Canal is about 120 kilometres long."
    edit = edit_sentence(request(text, [text], policy=Policy.HEDGE))
    assert edit.text == "According to an unverified claim, the Panama Canal is about 120 kilometres long."
