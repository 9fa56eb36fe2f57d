"""Reads rows of generations; a bad row is named by its file and line, and costs only itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from factscore_chain.errors import UsageError
from factscore_chain.values import Generation, Place

BYTE_ORDER_MARK = "\ufeff"
ROW_SUFFIXES = frozenset({".jsonl", ".ndjson"})


@dataclass(frozen=True)
class RejectedRow:
    """A row that holds no generation, and why."""

    place: Place
    cause: str

    def __str__(self) -> str:
        return f"{self.place.file}, line {self.place.line}: {self.cause}"


@dataclass(frozen=True)
class Rows:
    """The generations read, each with its place, and the rows that could not be."""

    generations: tuple[Generation, ...]
    rejected: tuple[RejectedRow, ...] = ()


def read_generations(path: Path, topic: str | None = None, *, name: str | None = None) -> Rows:
    """Reads a file or a folder of JSON lines, {"output", "topic"?, "id"?, "input"?, "facts"?} each.

    Of a folder, every .jsonl and .ndjson file in it is read, by name, hidden ones left out.

    Args:
        path: The file or folder.
        topic: Topic of rows that name none themselves.
        name: What places call the file, in place of the path.

    Raises:
        UsageError: It is missing or unreadable, or a file holds no generation.
    """
    if path.is_dir():
        parts = [read_generations(one, topic) for one in _files_in(path)]
        return Rows(
            tuple(one for part in parts for one in part.generations),
            tuple(one for part in parts for one in part.rejected),
        )
    # Not splitlines(): a row may hold U+2028 and the like unescaped.
    return parse_rows(name or path.as_posix(), read_text(path).split("\n"), topic)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, its line ends as newlines.

    Raises:
        UsageError: It cannot be read.
    """
    return StringIO(read_exact(path).removeprefix(BYTE_ORDER_MARK), newline=None).read()


def read_exact(path: Path) -> str:
    """The content of a UTF-8 file, character for character.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The file {str(path)!r} cannot be read: {_reason(error)}. Give a UTF-8 file."
        ) from error


def parse_rows(name: str, lines: Iterable[str], topic: str | None = None) -> Rows:
    """Makes generations of lines.

    Raises:
        UsageError: No line holds one.
    """
    generations: list[Generation] = []
    rejected: list[RejectedRow] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = Place(name, number)
        try:
            generations.append(replace(_row(line, topic), place=place))
        except (ValueError, RecursionError) as error:
            rejected.append(RejectedRow(place, _reason(error)))
    if not generations:
        detail = f" {rejected[0]}" if rejected else ""
        raise UsageError(f"{name} holds no generation.{detail} Give one JSON object with 'output' a line.")
    return Rows(tuple(generations), tuple(rejected))


def _files_in(folder: Path) -> list[Path]:
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in ROW_SUFFIXES and not _is_hidden(path.relative_to(folder)) and path.is_file()
    )
    if not found:
        raise UsageError(f"The folder {str(folder)!r} holds no .jsonl file. Give one with generations.")
    return found


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


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
