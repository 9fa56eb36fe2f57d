"""A small knowledge source for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from factscore_chain.retrievers.knowledge import KnowledgeSource

PAGES: tuple[dict[str, Any], ...] = (
    {
        "title": "Ada Lovelace",
        "text": "Ada Lovelace was born in London in 1815. She wrote notes on the Analytical Engine.",
        "redirects": ["Countess of Lovelace"],
    },
    {
        "title": "Charles Babbage",
        "text": ["Charles Babbage was an English mathematician.", "He designed the Difference Engine."],
    },
    {"title": "Mercury (planet)", "text": "Mercury is the planet nearest to the Sun."},
    {"title": "Mercury (element)", "text": "Mercury is a metal that is liquid at room temperature."},
)


def write_rows(path: Path, rows: Iterable[Any]) -> Path:
    """Writes JSON lines; a string stands as it is, so that a broken line can be written too."""
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def make_source(folder: Path) -> KnowledgeSource:
    """Registers `PAGES`."""
    return KnowledgeSource.build(write_rows(folder / "pages.jsonl", PAGES), folder / "pages.db")


def towns(folder: Path, count: int, name: str = "towns") -> KnowledgeSource:
    """A source of many pages that differ in their numbers only."""
    rows = [{"title": f"Town {i}", "text": f"Town {i} has {i} wells."} for i in range(count)]
    return KnowledgeSource.build(write_rows(folder / f"{name}.jsonl", rows), folder / f"{name}.db")
