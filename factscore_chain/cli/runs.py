"""`factscore baseline` and `factscore compare`: what a gate compares with, and how two runs differ."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.gate import add_on_empty_argument, add_seed_argument

if TYPE_CHECKING:
    from factscore_chain.gate_outcome import Comparison

DEFAULT_BASELINE = Path("factscore-baseline.json")


def add_parser(commands: Any) -> None:
    """Declares both commands."""
    _add_baseline(commands)
    _add_compare(commands)


def _add_baseline(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser("baseline", help="keep what a gate compares with")
    parts = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    accept = parts.add_parser(
        "accept",
        help="make a report the baseline of later runs",
        description="Writes the counts of a report, without its texts, to a file that belongs under version "
        "control. An incomplete report is refused.",
    )
    accept.add_argument("report", metavar="REPORT", type=Path, help="a report as JSON")
    accept.add_argument(
        "--to",
        type=Path,
        default=DEFAULT_BASELINE,
        metavar="FILE",
        help=f"where the baseline goes (default: {DEFAULT_BASELINE})",
    )
    accept.set_defaults(run=run_accept)


def _add_compare(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare",
        help="how two runs on the same prompts differ, and whether that is more than noise",
        description="Pairs the generations of two reports or baselines by id, else by topic and input, else "
        "by their order, and compares precision, without length penalty unless --gamma is given.",
    )
    parser.add_argument("first", metavar="A", type=Path, help="a report or a baseline")
    parser.add_argument("second", metavar="B", type=Path, help="the one that is compared with it")
    parser.add_argument("--gamma", type=float, help="length penalty (default: none)")
    add_on_empty_argument(parser)
    parser.add_argument(
        "--significance",
        type=float,
        default=0.05,
        metavar="P",
        help="level for the smallest difference that could have been seen (default: 0.05)",
    )
    add_seed_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run_compare)


def run_accept(options: argparse.Namespace) -> bool:
    """Writes the baseline."""
    from factscore_chain.files import check_writable, write_whole
    from factscore_chain.gate import accepted, read_report

    check_writable(options.to)
    baseline = accepted(read_report(options.report))
    write_whole(options.to, baseline.model_dump_json(indent=1) + "\n")
    print(f"{options.to}: {len(baseline.generations)} generations, estimator {baseline.manifest.estimator}")
    return True


def run_compare(options: argparse.Namespace) -> bool:
    """Prints the comparison."""
    from factscore_chain.gate import compare, read_run
    from factscore_chain.gate.criteria import check_significance, value_of
    from factscore_chain.score import check_gamma

    check_significance(options.significance)
    comparison = compare(
        read_run(options.first),
        read_run(options.second),
        value=partial(value_of, gamma=check_gamma(options.gamma), on_empty=options.on_empty),
        significance=options.significance,
        seed=options.seed,
    )
    if options.json:
        print(comparison.model_dump_json())
    else:
        _print(comparison, str(options.first), str(options.second))
    return True


def _print(comparison: Comparison, first: str, second: str) -> None:
    from rich.console import Console
    from rich.table import Table

    from factscore_chain.gate.wording import comparison_lines, number
    from factscore_chain.render import clean, percent

    table = Table(header_style="bold")
    for name in ("run", "estimator"):
        table.add_column(name, overflow="fold")
    for name in ("score", "respond ratio", "facts per response"):
        table.add_column(name, justify="right")
    for name, side in ((first, comparison.first), (second, comparison.second)):
        figures = (percent(side.score), percent(side.respond_ratio), number(side.facts_per_response))
        table.add_row(clean(name), clean(side.name), *figures)
    Console().print(table)
    for line in (*comparison_lines(comparison), *(f"warning: {one}" for one in comparison.warnings)):
        print(clean(line))
