"""Edited texts beside the facts that were to be mended, for the report's own page."""

from __future__ import annotations

from factscore_chain.edit.report import EditedGeneration, EditReport
from factscore_chain.html.edits import EditedText


def edited_texts(report: EditReport) -> tuple[EditedText | None, ...]:
    """The edits of `report.before`, as `render_html` takes them; None for a text that stayed as it was."""
    parts = zip(report.generations, report.before.generations, report.after.generations, strict=True)
    return tuple(
        EditedText.of(one.before, one.text, before.init_score, after.init_score, _reasons(one))
        if one.text != one.before
        else None
        for one, before, after in parts
    )


def _reasons(one: EditedGeneration) -> tuple[str, ...]:
    return tuple(
        f"{action.action}: {action.fact} ({action.why})" for edit in one.kept for action in edit.actions
    )
