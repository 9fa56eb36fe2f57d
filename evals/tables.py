"""Statistics of whole systems for people, as tables on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from factscore_chain.evals.human import Group, HumanFigures, HumanReport
from factscore_chain.evals.predictions import EstimatorPair, PredictionsReport
from factscore_chain.evals.subsets import SubsetFigures
from factscore_chain.render import clean


def print_predictions(report: PredictionsReport, console: Console | None = None) -> None:
    """Prints the systems, the agreement of the estimators, and the subsets."""
    console = console or Console()
    estimators = list(report.ranking)
    table = _table(f"Systems, {report.prompts} prompts", "responding %", "facts", *estimators, "rows")
    order = report.ranking[estimators[0]] if estimators else list(report.systems)
    for name in order:
        one = report.systems[name]
        table.add_row(
            escape(clean(name)),
            _percent(one.responding),
            _plain(one.facts_per_response),
            *(_percent(one.scores.get(estimator)) for estimator in estimators),
            " / ".join(str(one.rows.get(estimator, 0)) for estimator in estimators),
        )
    console.print(table)
    for pair in report.agreement:
        console.print(_agreement(pair))
    for estimator, subsets in report.subsets.items():
        console.print(_subsets(subsets, f"Random subsets, {clean(estimator)}"))


def print_human(report: HumanReport, console: Console | None = None) -> None:
    """Prints the systems, their breakdowns, and the subsets."""
    console = console or Console()
    table = _table(
        "Human FActScore", "score", "responding %", "facts", "supported", "not supported", "irrelevant"
    )
    for name in report.ranking:
        one = report.systems[name]
        counts = (str(number) for number in one.counts.values())
        table.add_row(
            escape(clean(name)),
            _percent(one.score),
            _percent(one.responding),
            _plain(one.facts_per_response),
            *counts,
        )
    console.print(table, _breakdowns(report.systems, report.ranking))
    console.print(_subsets(report.subsets, "Random subsets"))


def _breakdowns(systems: dict[str, HumanFigures], names: Sequence[str]) -> Table:
    table = _table("By rarity, region and position", *map(clean, names))
    for group in ("by_rarity", "by_region", "by_position"):
        table.add_section()
        found: dict[str, dict[str, Group]] = {name: getattr(systems[name], group) for name in names}
        for key in dict.fromkeys(key for groups in found.values() for key in groups):
            cells = (groups.get(key) for groups in found.values())
            table.add_row(
                escape(clean(key)),
                *("-" if one is None else f"{_percent(one.score)} ({one.n})" for one in cells),
            )
    return table


def _agreement(pair: EstimatorPair) -> Text:
    return Text(
        f"{clean(pair.first)} and {clean(pair.second)}: Pearson {_plain(pair.pearson, 3)}, Kendall's tau "
        f"{_plain(pair.kendall_tau, 3)}, {_percent(pair.pairs_in_order)}% of the pairs of systems in order."
    )


def _subsets(subsets: Sequence[SubsetFigures], title: str) -> Table:
    table = _table(title, "largest sd", "mean sd", "same order %", "Kendall's tau", "")
    for one in subsets:
        deviations = list(one.standard_deviation.values())
        table.add_row(
            f"{one.prompts} prompts",
            _percent(max(deviations)),
            _percent(sum(deviations) / len(deviations)),
            _percent(one.same_order),
            _plain(one.kendall_tau, 3),
            "with replacement" if one.with_replacement else "",
        )
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=escape(title), title_justify="left")
    table.add_column("")
    for column in columns:
        table.add_column(escape(column), justify="right")
    return table


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _plain(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
