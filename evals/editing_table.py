"""Editing reports for people, as tables on a terminal: several editors side by side."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from factscore_chain.evals.editing_metrics import FIGURES
from factscore_chain.evals.editing_records import EditingReport, EditingReports
from factscore_chain.evals.render import number, safe, with_interval

_TITLES = {
    "err_loc": "error localisation",
    "err_corr": "error correction",
    "sim_al": "similarity",
    "unsupported_removed": "unsupported facts removed or corrected",
    "supported_kept": "words of supported facts kept",
}


def print_editing(found: EditingReports, console: Console | None = None) -> None:
    """Prints the figures beside those of the baselines, and the scores before and after."""
    console = console or Console()
    (first, *_) = reports = list(found.editors.values())
    console.print(_figures(found, first))
    if len(reports) == 1:
        console.print(_alone(first))
    console.print(_scores(found))
    for name, one in found.editors.items():
        console.print(
            f"{safe(name)}: {one.changed} texts changed, {one.kept} of {one.proposed} proposed edits kept, "
            f"{one.failed} sentences without an edit.",
            style="dim",
        )
    console.print(
        f"Verdicts by people for {first.labelled} texts, by {safe(first.estimator)} for the others and for "
        f"what was edited. Policy: {first.policy.value}. Rounds: {first.max_rounds}. "
        f"Say in the edits: {safe(first.veto or 'the estimator alone')}.",
        style="dim",
    )


def _figures(found: EditingReports, first: EditingReport) -> Table:
    table = Table(title=safe(f"{first.file}, {found.n} texts"), title_justify="left")
    for title in ("", *found.editors, *first.baselines):
        table.add_column(safe(title.replace("_", " ")), justify="right" if title else "left")
    for name in FIGURES:
        table.add_row(
            _TITLES[name],
            *(with_interval(name, getattr(one, name), one.intervals) for one in found.editors.values()),
            *(number(name, getattr(one, name)) for one in first.baselines.values()),
        )
    return table


def _alone(report: EditingReport) -> Table:
    """What the editor's proposals would have done, had nothing verified them."""
    table = Table(title="The editor's first proposals, none verified", title_justify="left")
    for name in FIGURES:
        table.add_column(_TITLES[name], justify="right")
    table.add_row(*(number(name, getattr(report.proposals, name)) for name in FIGURES))
    return table


def _scores(found: EditingReports) -> Table:
    table = Table(title="FActScore of the texts that had an unsupported fact", title_justify="left")
    for title in ("editor", "by", "texts", "before", "after", "rose", "fell", "emptied"):
        table.add_column(title, justify="left" if title in ("editor", "by") else "right")
    for editor, report in found.editors.items():
        for name, one in report.factscore.items():
            shares = (number("", value) for value in (one.before, one.after, one.rose, one.fell))
            table.add_row(safe(editor), safe(name), str(one.mendable), *shares, str(one.emptied))
    return table
