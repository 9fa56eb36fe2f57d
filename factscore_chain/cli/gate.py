"""`factscore gate`: scores what a chain wrote, and ends in an exit code that CI understands."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.exits import Exit
from factscore_chain.cli.keeping import add_failures_argument
from factscore_chain.cli.progress import progress_bar
from factscore_chain.cli.score import add_estimator_arguments, make_chain, problems
from factscore_chain.errors import UsageError

if TYPE_CHECKING:
    from factscore_chain.gate import Criteria, Journal, Rows
    from factscore_chain.gate.finished import Finished
    from factscore_chain.report import Report

_EXITS = {"passed": Exit.DONE, "failed": Exit.BELOW, "incomplete": Exit.INCOMPLETE}
_DESCRIPTION = """Scores generations and judges the report. The score that is read is precision, the share of
a generation's facts that are supported, without length penalty unless --gamma is given. Ends in 0 if every
requirement is met, 1 if one is not, 2 for wrong use, 3 if something could not be scored."""


def add_parser(commands: Any) -> None:
    """Declares the command and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "gate", help="fail a build whose texts are not supported well enough", description=_DESCRIPTION
    )
    parser.add_argument(
        "source",
        metavar="FILE|DIR",
        type=Path,
        help='a .jsonl file of {"output", "topic"?, "id"?, "input"?} rows, a folder of such files, or '
        "a ready report (.json)",
    )
    add_estimator_arguments(parser, gamma=None)
    add_failures_argument(parser)
    parser.add_argument("--topic", help="topic of rows that name none themselves")
    _add_requirements(parser)
    _add_comparison(parser)
    _add_running(parser)
    parser.set_defaults(run=run)


def _add_requirements(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("requirements", "all shares are from 0 to 1")
    group.add_argument("--min-mean", type=float, metavar="SHARE", help="mean score over the generations")
    group.add_argument(
        "--min-pass-rate",
        type=float,
        metavar="SHARE",
        help="share of the generations that reach the threshold",
    )
    group.add_argument(
        "--threshold",
        type=float,
        metavar="SHARE",
        help="score that a generation has to reach (default: 0.8); given without --min-pass-rate, every "
        "generation has to",
    )
    group.add_argument(
        "--min-respond-ratio", type=float, metavar="SHARE", help="share of the generations that are answers"
    )
    add_on_empty_argument(group)
    group.add_argument(
        "--allow-incomplete",
        type=int,
        default=0,
        metavar="N",
        help="generations or rows that may be incomplete; each without a score counts as 0 (default: 0)",
    )


def _add_comparison(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("comparison with an earlier run on the same prompts")
    group.add_argument(
        "--baseline", type=Path, metavar="FILE", help="what `factscore baseline accept` wrote, or a report"
    )
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "--tolerance",
        type=float,
        metavar="SHARE",
        help="how far the mean may lie below the baseline's (default: 0.02)",
    )
    either.add_argument(
        "--significance",
        type=float,
        metavar="P",
        help="fail only on a loss whose p-value is below this, so that noise fails no build",
    )


def _add_running(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("running")
    group.add_argument(
        "--output",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="write the report here; may be repeated. The name decides the format: .json, .junit.xml, .md, "
        ".html, .sarif, .csv",
    )
    group.add_argument(
        "--resume",
        action="store_true",
        help="go on where a run with the same first --output was stopped; nothing is asked twice",
    )
    group.add_argument(
        "--only-failed",
        action="store_true",
        help="take what is complete from the report in the first .json --output, and score the rest",
    )
    group.add_argument(
        "--confirm",
        type=int,
        default=0,
        metavar="N",
        help="ask N times more about facts that decide the outcome, and let the majority stand",
    )
    add_seed_argument(group)


def add_on_empty_argument(parser: argparse._ActionsContainer) -> None:
    """Declares what a generation without a score counts for."""
    parser.add_argument(
        "--on-empty",
        choices=("pass", "fail", "skip"),
        default="skip",
        help="what a generation counts that abstained or states no fact: 1, 0, or nothing (default: skip)",
    )


def add_seed_argument(parser: argparse._ActionsContainer) -> None:
    """Declares the seed of statistics."""
    parser.add_argument("--seed", type=int, default=0, help="of intervals and p-values (default: 0)")


def run(options: argparse.Namespace) -> Exit:
    """Scores, judges, prints, writes; returns the exit code."""
    from factscore_chain.gate import Rows, judged, read_generations, read_report
    from factscore_chain.gate.github import row_annotations, write_summary
    from factscore_chain.gate.outputs import check_outputs, write_outputs

    check_outputs(options.output)
    criteria = _criteria(options)
    if options.source.suffix.lower() == ".json":
        _refuse_for_reports(options)
        rows, report = Rows(()), judged(read_report(options.source), criteria)
    else:
        rows = read_generations(options.source, options.topic)
        report = _scored(options, rows, criteria)
    write_outputs(report, options.output)
    if report.complete and (journal := _journal(options)) is not None:
        journal.remove()
    write_summary(report)
    with _no_commands():
        _print(report)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print(*row_annotations(report, rows.rejected), sep="\n")
    return Exit.INCOMPLETE if report.gate is None else _EXITS[report.gate.result]


def _criteria(options: argparse.Namespace) -> Criteria:
    from factscore_chain.gate import Criteria, read_run

    return Criteria(
        min_mean=options.min_mean,
        min_pass_rate=options.min_pass_rate,
        threshold=options.threshold,
        min_respond_ratio=options.min_respond_ratio,
        baseline=None if options.baseline is None else read_run(options.baseline),
        tolerance=options.tolerance,
        significance=options.significance,
        gamma=options.gamma,
        on_empty=options.on_empty,
        allow_incomplete=options.allow_incomplete,
        seed=options.seed,
    )


def _refuse_for_reports(options: argparse.Namespace) -> None:
    names = ("knowledge", "llm", "estimator", "resume", "only_failed", "confirm")
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name)]
    if given:
        raise UsageError(f"A ready report is only judged, so {', '.join(given)} would do nothing. Give rows.")


def _scored(options: argparse.Namespace, rows: Rows, criteria: Criteria) -> Report:
    from factscore_chain.gate import run_gate

    finished = _finished(options)
    chain = make_chain(options, max_failures=options.max_failures)
    with progress_bar("generation", len(rows.generations)) as bar:
        return run_gate(
            chain,
            rows,
            criteria,
            finished=finished,
            journal=_journal(options),
            confirmations=options.confirm,
            on_done=lambda report: bar.update(),
        )


def _finished(options: argparse.Namespace) -> Finished:
    from factscore_chain.gate import finished_in, read_report

    found: Finished = {}
    if options.only_failed:
        previous = next((path for path in options.output if path.suffix.lower() == ".json"), None)
        if previous is None or not previous.exists():
            raise UsageError("--only-failed needs an --output that ends in .json and holds the last report.")
        found |= finished_in(read_report(previous))
    if options.resume:
        journal = _journal(options)
        if journal is None:
            raise UsageError("--resume needs an --output: what was done is kept beside it.")
        found |= journal.read()
    return found


def _journal(options: argparse.Namespace) -> Journal | None:
    from factscore_chain.gate import Journal

    return Journal.beside(options.output[0]) if options.output else None


def _print(report: Report) -> None:
    from factscore_chain.gate.wording import outcome_lines, standing_lines
    from factscore_chain.render import clean

    for message in (*report.rejected, *problems(report)):
        print(f"factscore: {clean(message)}", file=sys.stderr)
    for line in (*standing_lines(report), *outcome_lines(report)):
        print(clean(line))


@contextmanager
def _no_commands() -> Iterator[None]:
    """Keeps GitHub from taking a line of a text under test for one of its commands."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}")
    yield
    print(f"::{word}::")
