"""Reading a JSONL file of documents row by row, with memory that does not depend on its size."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import orjson
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StrictStr, ValidationError

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.tokenize import clean

if TYPE_CHECKING:
    from hashlib import _Hash

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; a longer line is reported as bad instead of being read into memory."""

LEFT_OUT = "left_out"
"""The only key of a row that stands for a part of an input that gave no document; it says why."""


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


_Texts = Annotated[list[StrictStr], BeforeValidator(_as_list)]


class Row(BaseModel):
    """One document as a line of JSON; other fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    title: StrictStr
    text: _Texts
    redirects: _Texts = Field(default=[], validation_alias=AliasChoices("redirects", "aliases"))


@dataclass(frozen=True)
class Line:
    """A line of the file."""

    number: int
    """Counted from 1; 0 for a part of an input that has no lines."""
    row: Row | None
    """None for an empty line, or for one with a problem."""
    problem: str | None = None


@dataclass
class Position:
    """How far a file has been read, and what was read: enough to go on later, and to notice another file."""

    offset: int = 0
    line: int = 0
    digest: _Hash | None = None

    def __post_init__(self) -> None:
        self.digest = self.digest or hashlib.sha256()


class LineReader:
    """Reads lines from a position on, keeping the position up to date."""

    def __init__(self, file: BinaryIO, position: Position) -> None:
        self._file = file
        self.position = position

    def __iter__(self) -> Iterator[bytes | None]:
        """Each line; None for one that is too long."""
        self._file.seek(self.position.offset)
        while data := self._file.readline(LONGEST_LINE):
            self._advance(data)
            too_long = len(data) == LONGEST_LINE and not data.endswith(b"\n")
            while too_long and data and not data.endswith(b"\n"):
                data = self._file.readline(LONGEST_LINE)
                self._advance(data)
            self.position.line += 1
            yield None if too_long else data

    def _advance(self, data: bytes) -> None:
        assert self.position.digest is not None  # noqa: S101  set by __post_init__
        self.position.digest.update(data)
        self.position.offset += len(data)

    def state(self) -> Position:
        """A copy of the position, for what has been read so far."""
        assert self.position.digest is not None  # noqa: S101  set by __post_init__
        return Position(self.position.offset, self.position.line, self.position.digest.copy())


def digest_of(path: Path, size: int | None = None) -> _Hash:
    """SHA-256 of the first bytes of a file, or of all of it."""
    digest = hashlib.sha256()
    left = path.stat().st_size if size is None else size
    with path.open("rb") as file:
        while left > 0 and (data := file.read(min(left, 1 << 20))):
            digest.update(data)
            left -= len(data)
    return digest


def check_input(path: Path) -> None:
    """Makes sure that there is a file to register.

    Raises:
        KnowledgeSourceError: It is missing, a folder, unreadable or empty.
    """
    if not path.is_file():
        raise KnowledgeSourceError(f"There is no file {path} to register. Give a JSONL file of documents.")
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise KnowledgeSourceError(f"{path} is empty. Give a JSONL file with one document a line.")
    except OSError as error:
        raise KnowledgeSourceError(f"Cannot read {path}: {error.strerror or error}.") from error


def read_line(data: bytes | None, number: int) -> Line:
    """The row of a line, or what is wrong with it; None stands for a line that is too long."""
    if data is None:
        return Line(number, None, f"longer than {LONGEST_LINE:,} bytes")
    if number == 1:
        data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        return Line(number, None)
    try:
        value = _parse(data)
        if isinstance(value, dict) and value.keys() == {LEFT_OUT}:
            return Line(0, None, str(value[LEFT_OUT]))
        return Line(number, *_checked(Row.model_validate(value)))
    except ValidationError as error:
        return Line(number, None, _explain(error))
    except (ValueError, RecursionError) as error:
        return Line(number, None, f"not JSON ({error})")


def _parse(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        # The standard library also reads half surrogate pairs, which some writers leave behind.
        return json.loads(data.decode("utf-8"))


def _checked(row: Row) -> tuple[Row | None, str | None]:
    title = " ".join(clean(row.title).split())
    texts = [clean(text) for text in row.text if text.strip()]
    if not title:
        return None, "the title is empty"
    if not texts:
        return None, f"{title!r} has no text"
    redirects = [name for name in (" ".join(clean(r).split()) for r in row.redirects) if name]
    return row.model_copy(update={"title": title, "text": texts, "redirects": redirects}), None


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"])) or "row"
    return f"{place}: {first['msg']}"
