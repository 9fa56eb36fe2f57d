"""`factscore report`: a saved report, shown again without scoring anything."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.errors import UsageError
from factscore_chain.files import check_writable, write_whole

if TYPE_CHECKING:
    from factscore_chain.html import Labels
    from factscore_chain.report import Report


def add_parser(commands: Any) -> None:
    """Declares the command and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="make a page of a saved report",
        description="Reads a report that was written as JSON, and writes it as one HTML page for a browser, "
        "that needs no other file.",
    )
    parser.add_argument("report", type=Path, metavar="REPORT", help="a report in JSON")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the page (default: beside the report, ending in .html)"
    )
    parser.add_argument("--title", help="heading of the page")
    parser.add_argument(
        "--labels",
        type=Path,
        metavar="LABELED",
        help="what people say of the facts, in FActScore's labelled format or rows of claim, evidence, "
        "label: adds a calibration plot, and marks the facts on which they differ",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Reads, draws, writes; returns whether the report is complete."""
    from factscore_chain.gate.run_record import read_report
    from factscore_chain.html import render_html

    out: Path = options.out or options.report.with_suffix(".html")
    if out == options.report:
        raise UsageError(
            f"The page would take the place of the report {str(out)!r}. Name another with --out."
        )
    check_writable(out)
    report = read_report(options.report)
    page = render_html(report, labels=_labels(report, options.labels), title=options.title)
    write_whole(out, page)
    print(f"{out}: generations {report.counts.generations}, facts {report.counts.facts}")
    return report.complete


def _labels(report: Report, path: Path | None) -> Labels | None:
    from factscore_chain.evals.labeled import read_labeled
    from factscore_chain.evals.report_labels import labels_for

    return None if path is None else labels_for(report, read_labeled(path))
