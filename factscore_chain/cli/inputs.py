"""Reads what `factscore score` is given; a bad row is named by its number and costs only itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from factscore_chain.errors import UsageError
from factscore_chain.values import Generation

_ROW_SUFFIXES = {".jsonl", ".ndjson"}


@dataclass(frozen=True)
class Rows:
    """The generations read, and one line for each row that could not be."""

    generations: tuple[Generation, ...]
    rejected: tuple[str, ...] = ()


def read_rows(source: str, topic: str | None = None) -> Rows:
    """Reads generations from a .jsonl file, a file with one text, one text, or "-" (standard input).

    Standard input is taken as rows if its first line is a JSON object, else as one text.

    Raises:
        UsageError: The file is missing or unreadable, or holds no row that can be scored.
    """
    if source == "-":
        text = sys.stdin.read()
        return (
            _from_lines("standard input", text.splitlines(), topic) if _is_rows(text) else _one(text, topic)
        )
    path = Path(source)
    if not _names_file(source):
        return _one(source, topic)
    text = read_text(source)
    # Not splitlines(): a row may hold U+2028 and the like unescaped.
    return _from_lines(path.name, text.split("\n"), topic) if _has_rows(path) else _one(text, topic)


def read_text(source: str) -> str:
    """Reads a text file.

    Raises:
        UsageError: It is missing or unreadable.
    """
    try:
        return Path(source).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The file {source!r} cannot be read: {_reason(error)}. Give a UTF-8 file."
        ) from error


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


def _has_rows(path: Path) -> bool:
    return path.suffix.lower() in _ROW_SUFFIXES


def _is_rows(text: str) -> bool:
    try:
        return isinstance(json.loads(text.lstrip().split("\n", 1)[0]), dict)
    except ValueError:
        return False


def _one(text: str, topic: str | None) -> Rows:
    return Rows((Generation(text, topic),))


def _from_lines(name: str, lines: Iterable[str], topic: str | None) -> Rows:
    generations: list[Generation] = []
    rejected: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            generations.append(_row(line, topic))
        except (ValueError, RecursionError) as error:
            rejected.append(f"{name}, line {number}: {_reason(error)}")
    if not generations:
        detail = f" {rejected[0]}" if rejected else ""
        raise UsageError(f"{name} holds no generation.{detail} Give one JSON object with 'output' a line.")
    return Rows(tuple(generations), tuple(rejected))


def _row(line: str, topic: str | None) -> Generation:
    from factscore_chain.generations import as_generation  # brings LangChain, which --help can do without

    value = json.loads(line)
    if not isinstance(value, dict):
        raise UsageError(f"Not a generation: a {type(value).__name__} stands where an object should.")
    return as_generation(value, topic)


def _reason(error: BaseException) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg} at column {error.colno})"
    if isinstance(error, RecursionError):
        return "JSON nested too deeply"
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
