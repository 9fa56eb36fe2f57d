"""One row a fact, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from factscore_chain.report import FactRecord, GenerationReport, Report

COLUMNS = (
    "generation",
    "id",
    "topic",
    "file",
    "line",
    "status",
    "score",
    "coverage",
    "fact",
    "verdict",
    "reason",
    "probability",
    "verifier",
    "passage_title",
    "passage",
    "error",
)
_Cell = str | int | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""With these, also in full width, a cell begins that a spreadsheet would calculate or split."""


def to_csv(report: Report) -> str:
    """The report as CSV (RFC 4180); a generation without facts has one row.

    Text that a spreadsheet would take for a formula gets an apostrophe before it, since anybody may have
    made the model write it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for number, generation in enumerate(report.generations, 1):
        for fact in generation.facts or (None,):
            writer.writerow([_harmless(cell) for cell in _cells(number, generation, fact)])
    return out.getvalue()


def _cells(number: int, generation: GenerationReport, fact: FactRecord | None) -> Iterator[_Cell]:
    place = generation.place
    yield from (number, generation.id, generation.topic)
    yield from (None, None) if place is None else (place.file, place.line)
    yield from (generation.status, generation.score, generation.coverage)
    yield from (None,) * 7 if fact is None else _fact_cells(fact)
    yield generation.error


def _fact_cells(fact: FactRecord) -> tuple[_Cell, ...]:
    passage = fact.best_passage
    return (
        fact.text,
        fact.verdict.value,
        fact.reason,
        fact.probability,
        fact.verifier,
        None if passage is None else passage.title,
        None if passage is None else passage.text,
    )


def _harmless(cell: _Cell) -> _Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
