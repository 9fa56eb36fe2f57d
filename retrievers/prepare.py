"""What can be done to rows without the database, by any process: reading, cutting, indexing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from factscore_chain.retrievers.passages import cut_many
from factscore_chain.retrievers.postings import Postings, make_postings
from factscore_chain.retrievers.rows import Line, Row, read_line

DIGEST = 16
"""Bytes of a row's digest."""


@dataclass(frozen=True)
class Lines:
    """Lines of an input, to be prepared together."""

    first: int
    """The number of the first, counted from 1."""
    data: tuple[bytes | None, ...]
    """None for a line that is too long."""
    max_tokens: int


@dataclass(frozen=True)
class Prepared:
    """A document ready to be stored."""

    line: int
    title: str
    redirects: tuple[str, ...]
    digest: bytes
    """Of title, text and redirects: by it an unchanged document is known again."""
    passages: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """What became of some lines."""

    documents: tuple[Prepared, ...]
    postings: Postings
    """Of all passages of the documents, numbered from 0."""
    problems: tuple[tuple[int, str], ...]
    """Lines that hold no document, and why."""


def prepare(lines: Lines) -> Batch:
    """Reads lines, cuts their documents into passages, and indexes these."""
    read = read_lines(lines)
    rows = [(line.number, line.row) for line in read if line.row is not None]
    cut = cut_many([row.text for _, row in rows], lines.max_tokens)
    documents = tuple(
        Prepared(number, row.title, tuple(row.redirects), digest_of_row(row), tuple(passages))
        for (number, row), passages in zip(rows, cut, strict=True)
    )
    postings = make_postings([one.title for one in documents], [one.passages for one in documents])
    problems = tuple((line.number, line.problem) for line in read if line.problem is not None)
    return Batch(documents, postings, problems)


def read_lines(lines: Lines) -> list[Line]:
    """The rows of lines, or what is wrong with them."""
    return [read_line(data, number) for number, data in enumerate(lines.data, lines.first)]


def digest_of_row(row: Row) -> bytes:
    """Stands for everything of a row that makes its document."""
    content = json.dumps([row.title, row.text, row.redirects], ensure_ascii=False)
    return hashlib.blake2b(content.encode(), digest_size=DIGEST).digest()


def kept_passages(documents: Sequence[Prepared], kept: Sequence[bool]) -> list[bool]:
    """For each passage of the documents, whether its document is kept."""
    return [keep for one, keep in zip(documents, kept, strict=True) for _ in one.passages]
