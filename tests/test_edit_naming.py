"""Dropped sentences take no name along that the next one needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscore_chain import EditChain, FactScoreChain
from factscore_chain.edit.report import EditReport
from tests.editing import ListEditor
from tests.pages import write_rows

CURIE = "Marie Curie was a physicist. She was born in Warsaw. She won the 1911 Nobel Prize. She died in 1934."
TOWER = "The Eiffel Tower is in Paris. It is 330 metres tall. Its lifts are of steel."
BEER = "Vicuña is a town in Chile. Gabriela Mistral was born in Vicuña. Gabriela Mistral taught in Oslo."
FALSE = "Marie Curie was a Norwegian opera singer."
PAGES = {"Marie Curie": CURIE, "Eiffel Tower": TOWER, "Gabriela Mistral": BEER}


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> FactScoreChain:
    rows = [{"title": title, "text": text} for title, text in PAGES.items()]
    path: Path = write_rows(tmp_path_factory.mktemp("knowledge") / "pages.jsonl", rows)
    return FactScoreChain(str(path), gamma=0)


@pytest.mark.parametrize(
    ("text", "topic", "expected"),
    [
        (f"{FALSE} She was born in Warsaw.", "Marie Curie", "Marie Curie was born in Warsaw."),
        (
            f"{FALSE} In 1911 she won the Nobel Prize.",
            "Marie Curie",
            "In 1911 Marie Curie won the Nobel Prize.",
        ),
        (f"{FALSE}\n\nShe died in 1934.\n", "Marie Curie", "Marie Curie died in 1934.\n"),
        (
            f"{FALSE} She was born in Warsaw. She died in 1934.",
            "Marie Curie",
            "Marie Curie was born in Warsaw. She died in 1934.",
        ),
        (
            f"Marie Curie was a physicist. {FALSE} She died in 1934.",
            "Marie Curie",
            "Marie Curie was a physicist. She died in 1934.",
        ),
        (
            "The Eiffel Tower was painted by Claude Monet in 1700. It is in Paris.",
            "Eiffel Tower",
            "The Eiffel Tower is in Paris.",
        ),
    ],
)
def test_the_next_sentence_gets_the_name(
    scorer: FactScoreChain, text: str, topic: str, expected: str
) -> None:
    report = EditChain(scorer).edit(text, topic)
    assert report.text == expected
    assert report.after.score == 1.0


def test_facts_keep_their_places_and_the_name_has_a_record(scorer: FactScoreChain) -> None:
    report = EditChain(scorer).edit(f"{FALSE} She was born in Warsaw. She died in 1934.", "Marie Curie")
    stated = [report.text[slice(*fact.span)] for fact in report.after.facts if fact.span]
    assert stated == ["Marie Curie was born in Warsaw", "She died in 1934"]
    dropped, named = report.edits
    assert (dropped.after, dropped.kept) == ("", True)
    assert (named.before, named.after) == ("She was born in Warsaw.", "Marie Curie was born in Warsaw.")
    assert named.kept
    assert "Marie Curie" in (named.why or "")


def _edited(scorer: FactScoreChain, text: str, edits: dict[str, str], topic: str | None) -> EditReport:
    return EditChain(scorer, editor=ListEditor(edits=edits)).edit(text, topic)


def test_a_sentence_edited_in_the_same_round_gets_the_name_too(scorer: FactScoreChain) -> None:
    wrong, right = "She was born in Oslo in 1834.", "She was born in Warsaw."
    report = _edited(scorer, f"{FALSE} {wrong}", {FALSE: "", wrong: right}, "Marie Curie")
    assert report.text == "Marie Curie was born in Warsaw."
    assert report.after.facts[0].span == (0, 30)


def test_a_sentence_is_not_dropped_where_nobody_could_tell_whom_the_next_one_means(
    scorer: FactScoreChain,
) -> None:
    wrong = "Anna Weber won the race."
    text = f"{wrong} He lives in Basel."
    report = _edited(scorer, text, {wrong: ""}, None)
    assert report.text == text
    assert "'He'" in (report.edits[0].why or "")


def test_there_becomes_the_place(scorer: FactScoreChain) -> None:
    wrong = "Oslo has forty cathedrals of glass."
    report = _edited(scorer, f"{wrong} Gabriela Mistral taught there.", {wrong: ""}, "Gabriela Mistral")
    assert report.text == "Gabriela Mistral taught in Oslo."


def test_a_sentence_is_not_dropped_where_no_claim_would_be_left(scorer: FactScoreChain) -> None:
    text = f"{FALSE} Is there something else that you would like to know?"
    report = _edited(scorer, text, {FALSE: ""}, "Marie Curie")
    assert report.text == text
    assert report.edits[0].why == "no claim would be left in the text"


def test_a_claim_that_nobody_asked_about_is_a_claim_too(scorer: FactScoreChain) -> None:
    report = scorer.score(f"Marie Curie was a physicist. {FALSE}", "Marie Curie")
    (one,) = report.generations
    asked = one.model_copy(update={"facts": tuple(fact for fact in one.facts if fact.sentence == 1)})
    given = report.model_copy(update={"generations": (asked,)})
    assert EditChain(scorer, editor=ListEditor(edits={FALSE: ""})).edit(given).text == (
        "Marie Curie was a physicist."
    )
