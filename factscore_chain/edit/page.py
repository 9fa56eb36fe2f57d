"""Edited texts as one page for a browser: before and after side by side, without script or other files."""

from __future__ import annotations

from dataclasses import dataclass

from factscore_chain.edit.records import EditRecord
from factscore_chain.edit.render import outcome_words, summary_lines
from factscore_chain.edit.report import EditReport
from factscore_chain.html.edits import Change, word_changes
from factscore_chain.html.template import asset, render
from factscore_chain.html.visible import visible
from factscore_chain.render import excerpt


@dataclass(frozen=True)
class _Row:
    """One proposal, ready to be shown."""

    kept: bool
    outcome: str
    changes: tuple[Change, ...]
    actions: tuple[str, ...]
    passages: tuple[tuple[str, str], ...]
    """Title and excerpt."""


@dataclass(frozen=True)
class _Shown:
    name: str
    error: str
    before: float | None
    after: float | None
    changes: tuple[Change, ...]
    rows: tuple[_Row, ...]
    left: tuple[str, ...]
    """Facts that are still not supported."""


def page(report: EditReport) -> str:
    """The report as HTML; hidden characters of the texts are made visible."""
    parts = zip(report.generations, report.before.generations, report.after.generations, strict=True)
    return render(
        "edits.html.j2",
        style=asset("edits.css"),
        summary=summary_lines(report),
        texts=[
            _Shown(
                name=visible(one.topic or one.id or "(whole source)"),
                error=visible(one.error or ""),
                before=before.init_score,
                after=after.init_score,
                changes=word_changes(visible(one.before), visible(one.text)),
                rows=tuple(map(_row, one.edits)),
                left=tuple(visible(fact.text) for fact in after.unsupported),
            )
            for one, before, after in parts
        ],
    )


def _row(edit: EditRecord) -> _Row:
    after = edit.before if edit.after is None else edit.after
    return _Row(
        kept=edit.kept,
        outcome=visible(f"round {edit.round}, {outcome_words(edit)}"),
        changes=word_changes(visible(edit.before), visible(after)),
        actions=tuple(visible(f"{one.action}: {one.fact} ({one.why})") for one in edit.actions),
        passages=tuple(
            (visible(one.title or one.id), visible(excerpt(one.text, after))) for one in edit.passages
        ),
    )
