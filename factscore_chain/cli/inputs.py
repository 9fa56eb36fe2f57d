"""Tells what `factscore score` was given: rows, a file with one text, one text, or standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from factscore_chain.generation_files import ROW_SUFFIXES, Rows, parse_rows, read_generations, read_text
from factscore_chain.values import Generation


def read_rows(source: str, topic: str | None = None) -> Rows:
    """Reads generations from a .jsonl file, a file with one text, one text, or "-" (standard input).

    Standard input is taken as rows if its first line is a JSON object, else as one text.

    Raises:
        UsageError: The file is missing or unreadable, or holds no row that can be scored.
    """
    if source == "-":
        text = sys.stdin.read()
        return parse_rows("standard input", text.split("\n"), topic) if _is_rows(text) else _one(text, topic)
    path = Path(source)
    if not _names_file(source):
        return _one(source, topic)
    if path.suffix.lower() in ROW_SUFFIXES:
        return read_generations(path, topic, name=path.name)
    return _one(read_text(path), topic)


def _names_file(source: str) -> bool:
    """Whether an argument is a path rather than a text to score."""
    if not source.strip():
        return False
    try:
        if Path(source).exists():
            return True
    except (OSError, ValueError):  # too long, or with a NUL, to be a path
        return False
    return not any(character.isspace() for character in source.strip())


def _is_rows(text: str) -> bool:
    try:
        return isinstance(json.loads(text.lstrip().split("\n", 1)[0]), dict)
    except ValueError:
        return False


def _one(text: str, topic: str | None) -> Rows:
    return Rows((Generation(text, topic),))
