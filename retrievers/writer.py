"""Writing documents into a growing source, each batch in one transaction with how far the input was read."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from itertools import accumulate

import numpy as np
from tqdm import tqdm

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.blocks import store_block
from factscore_chain.retrievers.pending import Pending
from factscore_chain.retrievers.plan import Plan, Registration
from factscore_chain.retrievers.prepare import Batch, Lines, Prepared, kept_passages
from factscore_chain.retrievers.rows import LineReader, Position, digest_of
from factscore_chain.retrievers.terms import store_common
from factscore_chain.retrievers.titles import folded, insert_names
from factscore_chain.retrievers.workers import prepared

_BATCH_BYTES = 2_000_000
_BATCH_ROWS = 2_000
_WORTH_A_PROCESS = 4 * _BATCH_BYTES
"""Bytes of input; with less of it a process would take longer to start than to work."""


class Writer:
    """Writes batches of rows, each in one transaction together with how far the input was read.

    Args:
        connection: Of the growing source.
        pending: Where postings wait until there are enough of them.
        plan: What is registered.
    """

    def __init__(self, connection: sqlite3.Connection, pending: Pending, plan: Plan) -> None:
        self._connection = connection
        self._pending = pending
        self._plan = plan
        meta = schema.read_meta(connection)
        self._done = (
            Registration.from_json(str(meta["registration"])) if "registration" in meta else Registration()
        )
        self._chain = bytes.fromhex(str(meta.get("content_hash", "")))
        self._words = int(meta.get("words", 0))
        self._next_name = self._last("names") + 1
        offset, line = int(meta.get("offset", 0)), int(meta.get("line", 0))
        self._position = Position(offset, line, digest_of(plan.source, offset))

    def run(self) -> Registration:
        """Reads the rest of the input and completes the database."""
        plan, start = self._plan, self._position.offset
        show = None if plan.progress is None else not plan.progress
        size = plan.source.stat().st_size
        workers = plan.workers if size - start >= _WORTH_A_PROCESS else 1
        with (
            plan.source.open("rb") as file,
            tqdm(total=size, initial=start, unit="B", unit_scale=True, desc=plan.name, disable=show) as bar,
        ):
            ends: deque[Position] = deque()
            batches = batches_of(LineReader(file, self._position), plan.max_tokens, ends)
            for batch in prepared(batches, workers):
                self._position = ends.popleft()
                self._write(batch)
                bar.update(self._position.offset - bar.n)
        self._complete()
        return self._done

    def _write(self, batch: Batch) -> None:
        with transaction(self._connection):
            kept = self._accepted(batch)
            postings = batch.postings
            if not all(kept):
                postings = postings.only(np.array(kept_passages(batch.documents, kept), dtype=bool))
            first = self._done.passages
            if len(postings.lengths):
                self._pending.put(first, postings.moved(first))
            self._words += int(postings.lengths.sum())
            self._insert([one for one, keep in zip(batch.documents, kept, strict=True) if keep])
            for block in range(first // schema.BLOCK, self._done.passages // schema.BLOCK):
                store_block(self._connection, self._pending, block, self._done.passages)
            self._save()
        if self._done.passages // schema.BLOCK > first // schema.BLOCK:
            self._pending.forget_before(self._done.passages // schema.BLOCK * schema.BLOCK)

    def _accepted(self, batch: Batch) -> list[bool]:
        """For each document whether it is taken; notes the others, and the lines that hold none."""
        left_out = list(batch.problems)
        if left_out and self._plan.strict:
            number, problem = left_out[0]
            place = f"Line {number} of " if number else ""
            raise KnowledgeSourceError(f"{place}{self._plan.input}: {problem}.")
        self._done.bad_lines += len(left_out)
        seen: set[str] = set()
        kept = []
        for one in batch.documents:
            kept.append(one.title not in seen and not self._is_taken(one.title))
            seen.add(one.title)
            if not kept[-1]:
                self._done.duplicates += 1
                left_out.append((one.line, f"the title {one.title!r} is taken; the first keeps it"))
        for number, problem in sorted(left_out, key=lambda found: found[0]):
            self._done.note(number, problem)
        return kept

    def _is_taken(self, title: str) -> bool:
        sql = "SELECT 1 FROM names WHERE folded = ? AND name = ? AND redirect = 0"
        return self._connection.execute(sql, (folded(title), title)).fetchone() is not None

    def _insert(self, documents: Sequence[Prepared]) -> None:
        sizes = [len(one.passages) for one in documents]
        firsts = [self._done.passages, *accumulate(sizes, initial=self._done.passages)][1:]
        numbers = range(self._done.documents + 1, self._done.documents + 1 + len(documents))
        store_documents(self._connection, list(zip(numbers, numbers, firsts, documents, strict=False)))
        names = [
            (name, number, i > 0)
            for number, one in zip(numbers, documents, strict=True)
            for i, name in enumerate(all_names(one))
        ]
        insert_names(self._connection, [(self._next_name + i, *name) for i, name in enumerate(names)])
        self._next_name += len(names)
        self._done.documents += len(documents)
        self._done.passages += sum(sizes)
        for one in documents:
            self._chain = chained(self._chain, one.title, one.redirects, one.passages)

    def _save(self, **more: str | int) -> None:
        assert self._position.digest is not None  # noqa: S101  set by __post_init__
        schema.write_meta(
            self._connection,
            offset=self._position.offset,
            line=self._position.line,
            digest=self._position.digest.hexdigest(),
            registration=self._done.to_json(),
            content_hash=self._chain.hex(),
            words=self._words,
            **more,
        )

    def _complete(self) -> None:
        with transaction(self._connection):
            if self._done.passages % schema.BLOCK:
                store_block(
                    self._connection, self._pending, self._done.passages // schema.BLOCK, self._done.passages
                )
            store_common(self._connection, "name_grams", "common_grams")
            self._save(name=self._plan.name, built=now(), complete=1)

    def _last(self, table: str) -> int:
        row = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()  # noqa: S608  our own name
        return int(row[0] or 0)


def store_documents(
    connection: sqlite3.Connection, documents: Sequence[tuple[int, int, int, Prepared]]
) -> None:
    """Stores documents and their passages: row id, place in the input, id of the first passage, document."""
    connection.executemany(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)",
        [(number, d.title, first, len(d.passages), place, d.digest) for number, place, first, d in documents],
    )
    connection.executemany(
        "INSERT INTO passages VALUES (?, ?, ?)",
        [(first + i, number, text) for number, _, first, d in documents for i, text in enumerate(d.passages)],
    )


def all_names(document: Prepared) -> list[str]:
    """The title and the other names of a document, each once."""
    others = (name for name in dict.fromkeys(document.redirects) if name != document.title)
    return [document.title, *others]


def now() -> str:
    """The time as reports show it: ISO 8601, UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def chained(chain: bytes, title: str, redirects: Sequence[str], passages: Sequence[str]) -> bytes:
    """Adds a document to the hash of a source's content; independent of how documents were batched."""
    content = json.dumps([title, list(redirects), list(passages)], ensure_ascii=False)
    return hashlib.sha256(chain + content.encode()).digest()


class transaction:  # noqa: N801  reads as a keyword
    """A transaction that is undone by an exception."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN")

    def __exit__(self, kind: object, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def batches_of(lines: LineReader, max_tokens: int, ends: deque[Position]) -> Iterator[Lines]:
    """Lines in batches of some size; where each of them ends is added to `ends`."""
    batch: list[bytes | None] = []
    start, first = lines.position.offset, lines.position.line + 1
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH_ROWS or lines.position.offset - start >= _BATCH_BYTES:
            ends.append(lines.state())
            yield Lines(first, tuple(batch), max_tokens)
            batch, start, first = [], lines.position.offset, lines.position.line + 1
    if batch:
        ends.append(lines.state())
        yield Lines(first, tuple(batch), max_tokens)
