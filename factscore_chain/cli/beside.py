"""What `factscore score` measures beside precision, and the reference that recall is measured against."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from factscore_chain.errors import UsageError
from factscore_chain.generation_files import read_text

if TYPE_CHECKING:
    from factscore_chain.generation_files import Rows
    from factscore_chain.report import Report


def add_figures(parser: argparse.ArgumentParser) -> None:
    """Declares them."""
    figures = parser.add_argument_group("figures beside precision")
    figures.add_argument(
        "--f1-k",
        type=float,
        metavar="K",
        help="supported facts of a full answer, for F1@K (default: the median of the answers)",
    )
    figures.add_argument(
        "--recall",
        metavar="page|reference|FILE",
        help="also list which facts of a reference are missing: the topic's page, the rows' own 'reference', "
        "or a file with the text",
    )
    figures.add_argument(
        "--max-reference-facts",
        type=int,
        default=50,
        metavar="N",
        help="facts of a reference that are looked for (default: 50)",
    )


def with_reference(recall: str | None, rows: Rows) -> tuple[str | None, Rows]:
    """What recall is measured against; the text of a file becomes the reference of rows without one.

    Raises:
        UsageError: The rows are to bring their references, and none does; or the file cannot be read.
    """
    if recall == "reference" and all(one.reference is None for one in rows.generations):
        raise UsageError(
            "--recall reference looks for the facts of each row's own 'reference', and no row has one. "
            "Add it to the rows, or give --recall FILE with the text, or --recall page."
        )
    if recall in {None, "page", "reference"}:
        return recall, rows
    text = read_text(Path(str(recall)))
    generations = (one if one.reference else replace(one, reference=text) for one in rows.generations)
    return "reference", replace(rows, generations=tuple(generations))


def without_recall(report: Report) -> list[str]:
    """A line for each generation whose recall was asked for and could not be measured."""
    return [
        f"generation {number} ({one.topic or 'no topic'}): {one.recall.error}"
        for number, one in enumerate(report.generations, 1)
        if one.recall is not None and one.recall.error is not None
    ]
