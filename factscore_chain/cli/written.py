"""A report as text, in the format that the name of its file stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class Writable(Protocol):
    """A report of any kind."""

    def to_json(self) -> str:
        """The report as one JSON object."""

    def to_markdown(self) -> str:
        """The report for people."""

    def to_html(self) -> str:
        """The report as a page."""


def written(report: Writable, path: Path) -> str:
    """The report as Markdown (.md) or a page (.html) by the name, else as JSON, with a line end."""
    suffix = path.suffix.lower()
    if suffix in {".md", ".markdown"}:
        text = report.to_markdown()
    else:
        text = report.to_html() if suffix in {".html", ".htm"} else report.to_json()
    return text if text.endswith("\n") else f"{text}\n"
