"""Tells what `factscore score` was given: rows, a file with one text, one text, or standard input."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from factscore_chain.generation_files import BYTE_ORDER_MARK, ROW_SUFFIXES, Rows, parse_rows, read_exact
from factscore_chain.values import Generation


@dataclass(frozen=True)
class Given:
    """What a command was given: where it stands, and what it holds."""

    content: str
    """Character for character, without a byte order mark."""
    path: Path | None
    """The file; None for standard input and a text on the command line."""
    has_rows: bool
    """Whether it is rows rather than one text."""


def read_rows(source: str, topic: str | None = None) -> Rows:
    """Reads generations from a .jsonl file, a file with one text, one text, or "-" (standard input).

    Standard input is taken as rows if its first line is a JSON object, else as one text.

    Raises:
        UsageError: The file is missing or unreadable, or holds no row that can be scored.
    """
    given = read_given(source)
    return rows_of(replace(given, content=StringIO(given.content, newline=None).read()), topic)


def rows_of(given: Given, topic: str | None = None) -> Rows:
    """The generations of what was given, with their text as it stands there.

    Raises:
        UsageError: No row can be scored.
    """
    if not given.has_rows:
        return Rows((Generation(given.content, topic),))
    # Not splitlines(): a row may hold U+2028 and the like unescaped.
    return parse_rows(given.path.name if given.path else "standard input", given.content.split("\n"), topic)


def read_given(source: str) -> Given:
    """Finds out what an argument means, and reads it.

    Raises:
        UsageError: The file is missing or unreadable.
    """
    if source == "-":
        text = sys.stdin.read()
        return Given(text, None, _is_rows(text))
    if not _names_file(source):
        return Given(source, None, has_rows=False)
    path = Path(source)
    content = read_exact(path).removeprefix(BYTE_ORDER_MARK)
    return Given(content, path, path.suffix.lower() in ROW_SUFFIXES)


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
