"""The editing report for people, as a table on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from factscore_chain.evals.editing import EditingReport, Rescored
from factscore_chain.evals.editing_metrics import FIGURES
from factscore_chain.evals.render import number, safe, with_interval

_TITLES = {
    "err_loc": "error localisation",
    "err_corr": "error correction",
    "sim_al": "similarity",
    "unsupported_removed": "unsupported facts removed or corrected",
    "supported_kept": "words of supported facts kept",
}


def print_editing(report: EditingReport, console: Console | None = None) -> None:
    """Prints the figures beside those of the baselines, and the scores before and after."""
    console = console or Console()
    table = Table(title=safe(f"{report.file}, {report.editor['kind']} editor"), title_justify="left")
    for title in ("", f"{report.n} texts", *report.baselines):
        table.add_column(title.replace("_", " "), justify="right" if title else "left")
    for name in FIGURES:
        table.add_row(
            _TITLES[name],
            with_interval(name, getattr(report, name), report.intervals),
            *(number(name, getattr(one, name)) for one in report.baselines.values()),
        )
    console.print(table, _scores(report.factscore), sep="\n")
    console.print(
        f"{report.changed} texts changed, {report.failed} sentences without an edit; verdicts by people "
        f"for {report.labelled} texts, by {safe(report.estimator)} for the others. "
        f"Policy: {report.policy.value}.",
        style="dim",
    )


def _scores(factscore: dict[str, Rescored]) -> Table:
    table = Table(title="FActScore of the texts that had an unsupported fact", title_justify="left")
    for title in ("", "texts", "before", "after", "rose", "fell", "emptied"):
        table.add_column(title, justify="right" if title else "left")
    for name, one in factscore.items():
        shares = (number("", value) for value in (one.before, one.after, one.rose, one.fell))
        table.add_row(safe(name), str(one.mendable), *shares, str(one.emptied))
    return table
