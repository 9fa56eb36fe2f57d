"""What GitHub Actions shows of a gate: annotations on the rows, and the summary of the job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from factscore_chain.gate.outputs.markdown import to_markdown
from factscore_chain.gate.wording import findings, name_of, score_line, standing
from factscore_chain.generation_files import RejectedRow
from factscore_chain.report import Report
from factscore_chain.values import Place

MOST_ANNOTATIONS = 10
"""Errors that GitHub shows of one step; it drops the others."""
MOST_SUMMARY = 1_000_000
"""Bytes of a summary; GitHub refuses a step's summary above 1 MiB as a whole."""
_CUT = "\n\n*The report goes on; see the files that the gate wrote.*\n"


def row_annotations(report: Report, rejected: Sequence[RejectedRow] = ()) -> list[str]:
    """Workflow commands that mark the rows for which the gate is closed; none if it is open."""
    if report.gate is None or report.gate.passed:
        return []
    return [
        *(_command(row.place, "no generation", row.cause) for row in rejected),
        *_on_generations(report),
    ][:MOST_ANNOTATIONS]


def write_summary(report: Report) -> None:
    """Adds the report to the job's summary, where there is one."""
    if name := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(_cut(to_markdown(report)))


def _on_generations(report: Report) -> Iterator[str]:
    for number, one in enumerate(report.generations, 1):
        if standing(number, one, report.gate) in {"failed", "incomplete"}:
            message = "\n".join([score_line(one), *(words for _, words in findings(one))])
            yield _command(one.place, name_of(number, one), message)


def _command(place: Place | None, title: str, message: str) -> str:
    properties = {"title": f"FActScore: {title}"}
    if place is not None:
        properties = {"file": _in_repository(place.file), "line": str(place.line), **properties}
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {shown}::{_data(message)}"


def _in_repository(file: str) -> str:
    """The path as GitHub knows it: from the root of the checkout."""
    path, root = Path(file), os.environ.get("GITHUB_WORKSPACE")
    if root and path.is_absolute() and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return file


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cut(text: str) -> str:
    content = text.encode()
    if len(content) <= MOST_SUMMARY:
        return text
    room = content[: MOST_SUMMARY - len(_CUT.encode())]
    return room[: room.rfind(b"\n")].decode() + _CUT
