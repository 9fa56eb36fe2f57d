"""A report's own page shows what editing made of its texts."""

from __future__ import annotations

from pathlib import Path

from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.shown import edited_texts
from factscore_chain.html import Change, render_html
from factscore_chain.values import Generation
from tests.editing import NOTES, TOPIC, TRUE, WRONG, editing_model, word_chain
from tests.pages import make_source


def test_only_edited_texts_are_shown_with_scores_and_reasons(tmp_path: Path) -> None:
    chain = EditChain(word_chain(make_source(tmp_path)), llm=editing_model({WRONG: TRUE}))
    report = chain.edit_many([Generation(f"{NOTES} {WRONG}", TOPIC), Generation(NOTES, TOPIC)])
    edited, same = edited_texts(report)
    assert edited is not None
    assert edited.changes[1:3] == (Change("removed", "Paris"), Change("added", "London"))
    assert (edited.score_after, same) == (report.after.generations[0].score, None)
    assert [reason.split(":")[0] for reason in edited.reasons] == ["corrected"]
    assert "corrected: " in render_html(report.before, edits=[edited, same])
