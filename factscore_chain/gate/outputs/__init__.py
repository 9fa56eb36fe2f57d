"""The files that a gate leaves behind: the format follows from the name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from factscore_chain.errors import UsageError
from factscore_chain.files import check_writable, write_whole
from factscore_chain.gate.outputs.csv_rows import to_csv
from factscore_chain.gate.outputs.junit import to_junit
from factscore_chain.gate.outputs.markdown import to_markdown
from factscore_chain.gate.outputs.sarif import to_sarif
from factscore_chain.report import Report

_FORMATS: dict[str, Callable[[Report], str]] = {
    ".junit.xml": to_junit,
    ".xml": to_junit,
    ".json": Report.to_json,
    ".md": to_markdown,
    ".html": Report.to_html,
    ".sarif": to_sarif,
    ".csv": to_csv,
}

SUFFIXES = tuple(_FORMATS)
"""Endings of file names that stand for a format."""


def check_outputs(paths: Sequence[Path]) -> None:
    """Finds out before the work whether the files have a format and can be written after it.

    Raises:
        UsageError: One of them has not, or cannot.
    """
    for path in paths:
        _format_of(path)
        check_writable(path)


def write_outputs(report: Report, paths: Sequence[Path]) -> None:
    """Writes a report to files, each in the format of its name.

    Raises:
        UsageError: A name stands for no format.
        FactScoreError: A file cannot be written.
    """
    for path in paths:
        text = _format_of(path)(report)
        write_whole(path, text if text.endswith("\n") else f"{text}\n")


def _format_of(path: Path) -> Callable[[Report], str]:
    for suffix, write in _FORMATS.items():
        if path.name.lower().endswith(suffix):
            return write
    raise UsageError(f"{str(path)!r} stands for no format. Let the name end in one of {', '.join(SUFFIXES)}.")
