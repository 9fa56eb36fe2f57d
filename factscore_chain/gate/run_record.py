"""What a run found, without its texts: all that a comparison needs, and what a baseline file holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from factscore_chain.errors import FactScoreError, UsageError
from factscore_chain.records import Record
from factscore_chain.report import GenerationReport, Manifest, Report
from factscore_chain.score import Scores, Status, Tally, aggregate

KIND: Literal["factscore-baseline"] = "factscore-baseline"
_NAMED = 3
"""Repeated ids that an error names."""


class RunRow(Record):
    """The counts of one generation, and what tells it from the others."""

    id: str | None = None
    topic: str | None = None
    input: str | None = None
    status: Status
    facts: int = 0
    supported: int = 0
    decided: int = 0

    @classmethod
    def of(cls, generation: GenerationReport) -> RunRow:
        """Takes the counts out of a generation's report."""
        counted = generation.tally
        return cls(
            id=generation.id,
            topic=generation.topic,
            input=generation.input,
            status=counted.status,
            facts=counted.facts,
            supported=counted.supported,
            decided=counted.decided,
        )

    @property
    def tally(self) -> Tally:
        """What its score is computed from."""
        return Tally(self.status, self.facts, self.supported, self.decided)


class RunRecord(Record):
    """The counts of all generations of a run, and what made them."""

    kind: Literal["factscore-baseline"] = KIND
    manifest: Manifest
    generations: tuple[RunRow, ...]
    rejected: int = 0

    @classmethod
    def of(cls, report: Report) -> RunRecord:
        """Takes the counts out of a report."""
        return cls(
            manifest=report.manifest,
            generations=tuple(map(RunRow.of, report.generations)),
            rejected=len(report.rejected),
        )

    @property
    def scores(self) -> Scores:
        """The four numbers, without length penalty."""
        return aggregate((row.tally for row in self.generations), None)


def accepted(report: Report) -> RunRecord:
    """A report as the baseline that later runs are compared with.

    Raises:
        FactScoreError: The report is incomplete, or holds nothing to compare with.
        UsageError: An id stands twice in it, so that a later run could not be matched with it.
    """
    if not report.complete:
        raise FactScoreError(
            "The report is incomplete, and what it lacks would be missing from every comparison. "
            "Run the gate again with --only-failed, then accept its report."
        )
    if report.counts.scored == 0:
        raise FactScoreError("No generation of the report has a score, so nothing can be compared with it.")
    baseline = RunRecord.of(report)
    refuse_repeated_ids(baseline.generations)
    return baseline


def refuse_repeated_ids(rows: Sequence[RunRow]) -> None:
    """Names the ids that stand more than once in a run.

    Raises:
        UsageError: There are any.
    """
    counts = Counter(row.id for row in rows if row.id is not None)
    if twice := [name for name, count in counts.items() if count > 1]:
        names = ", ".join(map(repr, twice[:_NAMED])) + (", ..." if len(twice) > _NAMED else "")
        stand = "The id {} stands" if len(twice) == 1 else "The ids {} stand"
        raise UsageError(f"{stand.format(names)} more than once in one run. Give each row its own.")


def read_run(path: Path) -> RunRecord:
    """Reads a baseline file, or takes the counts out of a report.

    Raises:
        UsageError: The file is missing, or is neither.
    """
    content = _read(path)
    try:
        if json.loads(content).get("kind") == KIND:
            return RunRecord.model_validate_json(content)
        return RunRecord.of(Report.model_validate_json(content))
    except (ValueError, AttributeError, RecursionError) as error:
        raise _unusable(path, "a baseline or a report", error) from error


def read_report(path: Path) -> Report:
    """Reads a report that `factscore score --out` or a gate wrote.

    Raises:
        UsageError: The file is missing, or is no report.
    """
    text = _read(path)
    try:
        return Report.model_validate_json(text)
    except (ValueError, RecursionError) as error:
        raise _unusable(path, "a report", error) from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{str(path)!r} cannot be read: {reason}.") from error


def _unusable(path: Path, wanted: str, error: Exception) -> UsageError:
    detail = "not JSON"
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        detail = f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"
    elif isinstance(error, AttributeError):
        detail = "no JSON object"
    return UsageError(
        f"{str(path)!r} is not {wanted} ({detail}). Give a file that this version's `factscore score --out`, "
        "`factscore gate --output` or `factscore baseline accept` wrote."
    )
