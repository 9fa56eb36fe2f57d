"""Any input as one file of rows, whose registration can be broken off and gone on with."""

from __future__ import annotations

import bz2
import gzip
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, cast

import orjson

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.formats.document import Document, Found, LeftOut, Redirect
from factscore_chain.retrievers.formats.files import is_prose, read_file, read_folder
from factscore_chain.retrievers.formats.parquet import read_parquet
from factscore_chain.retrievers.formats.wikipedia import read_cirrus, read_xml
from factscore_chain.retrievers.rows import LEFT_OUT

ROWS = frozenset({".jsonl", ".ndjson"})
"""Endings of files that are registered as they are."""
KINDS = (
    'a JSONL file of {"title", "text"} rows, a folder or file of Markdown, HTML, text or PDF, '
    "a wiki's XML or CirrusSearch dump, or a parquet file"
)

Reader = Callable[[Path], Iterator[Found]]

_PACKED = frozenset({".gz", ".bz2"})


def reader_of(path: Path) -> Reader | None:
    """What reads an input, by its name; None for a file of rows, or one that no reader knows."""
    if path.is_dir():
        return _read_folder
    if is_prose(path):
        return read_file
    suffix = Path(path.stem).suffix.lower() if path.suffix.lower() in _PACKED else path.suffix.lower()
    packed = suffix != path.suffix.lower()
    if suffix == ".xml":
        return lambda file: _unpacked(file, read_xml)
    if suffix == ".parquet":
        return None if packed else read_parquet
    if (suffix == ".json" and "cirrus" in path.name.lower()) or (suffix == ".json" and packed):
        return lambda file: _unpacked(file, read_cirrus)
    return None


@contextmanager
def as_rows(path: Path, out: Path) -> Iterator[Path]:
    """Gives an input as a file of rows: itself if it is one, else one that stands beside `out` meanwhile.

    The same input gives the same rows, so that a registration of them that broke off can go on.

    Raises:
        KnowledgeSourceError: It is missing, or cannot be read.
        MissingExtraError: Its parser is not installed.
    """
    read = reader_of(path)
    if read is None:
        yield path
        return
    if not path.exists():
        raise KnowledgeSourceError(f"There is nothing at {path} to register. Give {KINDS}.")
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = out.with_name(f".{out.name}.rows.jsonl")
    try:
        write_rows(path, read, rows)
        if not rows.stat().st_size:
            raise KnowledgeSourceError(f"{path} has no document to register. Give {KINDS}.")
        yield rows
    finally:
        rows.unlink(missing_ok=True)


def write_rows(path: Path, read: Reader, out: Path) -> None:
    """Writes an input's documents as rows, each with the redirects that stand elsewhere in it.

    Raises:
        KnowledgeSourceError: It cannot be read.
        MissingExtraError: Its parser is not installed.
    """
    try:
        with (
            tempfile.TemporaryDirectory(dir=out.parent, prefix=".redirects-") as folder,
            closing(sqlite3.connect(Path(folder) / "redirects.db", isolation_level=None)) as names,
        ):
            first = Path(folder) / "rows.jsonl"
            if _write_first(read(path), first, names):
                _write_merged(first, out, names)
            else:
                first.replace(out)
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or error
        raise KnowledgeSourceError(f"Cannot read {path}: {why}.") from error


def _read_folder(folder: Path) -> Iterator[Found]:
    tables = sorted(folder.glob("*.parquet"))
    for table in tables:
        yield from read_parquet(table)
    if not tables:
        yield from read_folder(folder)


def _unpacked(path: Path, read: Callable[[IO[bytes]], Iterator[Found]]) -> Iterator[Found]:
    with _opened(path) as file:
        yield from read(file)


def _opened(path: Path) -> IO[bytes]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return bz2.open(path, "rb") if suffix == ".bz2" else path.open("rb")


def _write_first(found: Iterable[Found], first: Path, names: sqlite3.Connection) -> bool:
    """Writes each document as a row; returns whether there are redirects that belong to any of them."""
    any_redirect = False
    names.execute("PRAGMA journal_mode = OFF")
    names.execute("BEGIN")
    names.execute("CREATE TABLE redirects(title TEXT NOT NULL, name TEXT NOT NULL)")
    with first.open("wb") as file:
        for one in found:
            if isinstance(one, Redirect):
                any_redirect = True
                names.execute("INSERT INTO redirects VALUES (?, ?)", (one.title, one.name))
            else:
                file.write(_line(_row(one)))
    names.execute("CREATE INDEX by_title ON redirects(title)")
    names.execute("COMMIT")
    return any_redirect


def _write_merged(first: Path, out: Path, names: sqlite3.Connection) -> None:
    find = "SELECT name FROM redirects WHERE title = ? ORDER BY name"
    with first.open("rb") as rows, out.open("wb") as file:
        for line in rows:
            row = orjson.loads(line)
            if "title" in row:
                row["redirects"] += [name for (name,) in names.execute(find, (row["title"],))]
            file.write(_line(row))


def _row(one: Document | LeftOut) -> dict[str, Any]:
    if isinstance(one, LeftOut):
        return {LEFT_OUT: _sound(one.problem)}
    texts, names = map(_sound, one.texts), map(_sound, one.redirects)
    return {"title": _sound(one.title), "text": list(texts), "redirects": list(names)}


def _sound(text: str) -> str:
    """The text without halves of characters, which broken PDF files give and no UTF-8 has."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _line(row: dict[str, Any]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
