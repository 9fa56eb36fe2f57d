"""Evaluation reports for people, as tables on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from factscore_chain.evals.agreement import AgreementReport, Figures, GroupFigures
from factscore_chain.evals.pairs import PairsReport
from factscore_chain.render import clean

_SEGMENT = {
    "f1_not_supported": "F1 not supported",
    "f1_always_not_supported": "F1 always not supported",
    "f1_gain": "gain (points)",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "kappa": "kappa",
    "ece": "calibration error",
}
_SYSTEM = {
    "human_score": "human score",
    "estimated_score": "estimated score",
    "error_rate": "error (points)",
}
_PAIRS = {"accuracy": "accuracy", **{name: title for name, title in _SEGMENT.items() if name != "kappa"}}
_POINTS = {"f1_gain", "error_rate"}


def print_agreement(reports: Sequence[AgreementReport], console: Console | None = None) -> None:
    """Prints each file's figures with intervals, what they leave out, and the breakdowns."""
    console = console or Console()
    for report in reports:
        console.print(_agreement_table(report), _notes(report), sep="\n")
        console.print(_breakdowns(report))
    if len(reports) > 1:
        console.print(_ranking(reports))


def print_pairs(report: PairsReport, console: Console | None = None) -> None:
    """Prints the figures on claim and evidence rows."""
    table = Table(title=safe(f"{report.file}, {report.estimator}"), title_justify="left")
    table.add_column("")
    table.add_column(f"{report.n} rows, {report.supported} supported", justify="right")
    for name, title in _PAIRS.items():
        table.add_row(title, with_interval(name, getattr(report, name), report.intervals))
    console = console or Console()
    console.print(table)
    if report.undecided or report.failed:
        console.print(f"{report.undecided} undecided and {report.failed} failed count as not supported.")


def print_figures(title: str, figures: Mapping[str, Any], console: Console | None = None) -> None:
    """Prints plain figures, one a row; what is not a number or a word is left out."""
    table = Table(title=safe(title), title_justify="left", show_header=False)
    for name, value in figures.items():
        if value is None or isinstance(value, (str, int, float)):
            table.add_row(
                name.replace("_", " "),
                number(name, value) if isinstance(value, float) else safe(str(value)),
            )
    (console or Console()).print(table)


def _agreement_table(report: AgreementReport) -> Table:
    table = Table(title=safe(f"{report.file}, {report.estimator}"), title_justify="left")
    table.add_column("")
    both = {"with irrelevant": report, "without irrelevant": report.without_irrelevant}
    for title in both:
        table.add_column(title, justify="right")
    table.add_row("facts", *(str(figures.n_facts) for figures in both.values()))
    table.add_row("generations", *(str(figures.n_generations) for figures in both.values()))
    for rows in (_SEGMENT, _SYSTEM):
        table.add_section()
        for name, title in rows.items():
            table.add_row(title, *(_figure(name, figures) for figures in both.values()))
    return table


def _notes(report: AgreementReport) -> Text:
    lines = [
        f"Topics reported on: {report.topics}; {report.topics_left_out} left out"
        + (", since shipped models were fitted on them." if report.topics == "held-out" else "."),
        f"Respond ratio {number('', report.respond_ratio)}; {report.topics_not_found} topics without a "
        f"document ({report.facts_not_judged} facts, in no figure); {report.undecided} undecided and "
        f"{report.failed} failed, counted as not supported.",
        f"Single generations: correlation {number('', report.per_generation.pearson)}, mean absolute error "
        f"{number('error_rate', report.per_generation.mean_absolute_error)} points.",
        "With irrelevant: facts that people call irrelevant count as not supported, as in the paper. In "
        "brackets: 95% bootstrap intervals, resampling topics.",
    ]
    if (told := report.irrelevant).estimated:
        lines.append(
            f"Facts called irrelevant: {told.human} by people, {told.estimated} here; precision "
            f"{number('precision', told.precision)}, recall {number('recall', told.recall)}."
        )
    return Text("\n".join(lines), style="dim")


def _breakdowns(report: AgreementReport) -> Table:
    table = Table(title="By kind of fact, position and rarity", title_justify="left")
    for title in ("", "facts", "human", "est.", "F1", "always", "gain", "bal. acc.", "AUC"):
        table.add_column(title, justify="right" if title else "left", no_wrap=not title)
    for groups in (report.by_kind, report.by_position, report.by_rarity):
        table.add_section()
        for name, figures in groups.items():
            table.add_row(safe(name), *_group_cells(figures))
    return table


def _group_cells(figures: GroupFigures) -> tuple[str, ...]:
    names = [name for name in GroupFigures.model_fields if name != "n_facts"]
    return (str(figures.n_facts), *(number(name, getattr(figures, name)) for name in names))


def _ranking(reports: Sequence[AgreementReport]) -> Text:
    def ranked(name: str) -> list[str]:
        return [one.file for one in sorted(reports, key=lambda one: -(getattr(one, name) or 0.0))]

    human, estimated = ranked("human_score"), ranked("estimated_score")
    same = "the same" if human == estimated else "another"
    return Text(
        f"Systems by human score: {' > '.join(map(clean, human))}; by estimated score, {same} order: "
        f"{' > '.join(map(clean, estimated))}."
    )


def _figure(name: str, figures: Figures) -> str:
    return with_interval(name, getattr(figures, name), figures.intervals)


def with_interval(name: str, value: float | None, intervals: Mapping[str, tuple[float, float] | None]) -> str:
    """A figure with its interval in brackets, if it has one."""
    interval = intervals.get(name)
    if interval is None:
        return number(name, value)
    return f"{number(name, value)}  [{number(name, interval[0])}, {number(name, interval[1])}]"


def number(name: str, value: float | None) -> str:
    """A figure with the digits that its kind is given with; "-" if it is undefined."""
    if value is None:
        return "-"
    return f"{value:+.1f}" if name in _POINTS else f"{value:.3f}"


def safe(text: str) -> str:
    """A text that cannot steer the terminal or the table."""
    return escape(clean(text))
