"""Writing documents into a growing source, each batch in one transaction with how far the input was read."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone

from tqdm import tqdm

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.passages import cut_many
from factscore_chain.retrievers.plan import Plan, Registration
from factscore_chain.retrievers.rows import Line, Position, Row, RowReader, digest_of
from factscore_chain.retrievers.terms import store_common
from factscore_chain.retrievers.titles import folded, insert_names
from factscore_chain.retrievers.tokenize import tokens

_BATCH_BYTES = 2_000_000
_BATCH_ROWS = 2_000


class Writer:
    """Writes batches of rows, each in one transaction together with how far the input was read."""

    def __init__(self, connection: sqlite3.Connection, plan: Plan) -> None:
        self._connection = connection
        self._plan = plan
        meta = schema.read_meta(connection)
        self._done = (
            Registration.from_json(str(meta["registration"])) if "registration" in meta else Registration()
        )
        self._chain = bytes.fromhex(str(meta.get("content_hash", "")))
        self._next_name = self._last("names") + 1
        offset, line = int(meta.get("offset", 0)), int(meta.get("line", 0))
        self._position = Position(offset, line, digest_of(plan.source, offset))

    def run(self) -> Registration:
        """Reads the rest of the input and completes the database."""
        plan, start = self._plan, self._position.offset
        show = None if plan.progress is None else not plan.progress
        size = plan.source.stat().st_size
        with (
            plan.source.open("rb") as file,
            tqdm(total=size, initial=start, unit="B", unit_scale=True, desc=plan.name, disable=show) as bar,
        ):
            for batch in _batches(RowReader(file, self._position)):
                self._write(batch)
                bar.update(self._position.offset - bar.n)
        self._complete()
        return self._done

    def _write(self, lines: Sequence[Line]) -> None:
        with _transaction(self._connection):
            rows = list(self._accepted(lines))
            cut = cut_many([row.text for row in rows], self._plan.max_tokens)
            for row, passages in zip(rows, cut, strict=True):
                self._insert(row, passages)
            self._save()

    def _accepted(self, lines: Sequence[Line]) -> Iterator[Row]:
        seen: set[str] = set()
        for line in lines:
            if line.problem is not None:
                self._reject(line)
            elif line.row is not None and (line.row.title in seen or self._is_taken(line.row.title)):
                self._done.duplicates += 1
                self._done.note(line.number, f"the title {line.row.title!r} is taken; the first keeps it")
            elif line.row is not None:
                seen.add(line.row.title)
                yield line.row

    def _reject(self, line: Line) -> None:
        if self._plan.strict:
            place = f"Line {line.number} of " if line.number else ""
            raise KnowledgeSourceError(f"{place}{self._plan.input}: {line.problem}.")
        self._done.bad_lines += 1
        self._done.note(line.number, str(line.problem))

    def _is_taken(self, title: str) -> bool:
        sql = "SELECT 1 FROM names WHERE folded = ? AND name = ? AND redirect = 0"
        return self._connection.execute(sql, (folded(title), title)).fetchone() is not None

    def _insert(self, row: Row, passages: Sequence[str]) -> None:
        document, first = self._done.documents + 1, self._done.passages + 1
        insert = self._connection.executemany
        insert("INSERT INTO documents VALUES (?, ?, ?, ?)", [(document, row.title, first, len(passages))])
        insert(
            "INSERT INTO passages VALUES (?, ?, ?)",
            [(first + i, document, p) for i, p in enumerate(passages)],
        )
        title = " ".join(tokens(row.title))
        insert(
            "INSERT INTO passage_terms(rowid, title, text) VALUES (?, ?, ?)",
            [(first + i, title, " ".join(tokens(p))) for i, p in enumerate(passages)],
        )
        names = [row.title, *(name for name in dict.fromkeys(row.redirects) if name != row.title)]
        insert_names(
            self._connection,
            [(self._next_name + i, name, document, i > 0) for i, name in enumerate(names)],
        )
        self._next_name += len(names)
        self._done.documents += 1
        self._done.passages += len(passages)
        self._chain = chained(self._chain, row.title, row.redirects, passages)

    def _save(self, **more: str | int) -> None:
        assert self._position.digest is not None  # noqa: S101  set by __post_init__
        schema.write_meta(
            self._connection,
            offset=self._position.offset,
            line=self._position.line,
            digest=self._position.digest.hexdigest(),
            registration=self._done.to_json(),
            content_hash=self._chain.hex(),
            **more,
        )

    def _complete(self) -> None:
        with _transaction(self._connection):
            store_common(self._connection, "passage_terms", "common_terms")
            store_common(self._connection, "name_grams", "common_grams")
            built = datetime.now(timezone.utc).isoformat(timespec="seconds")
            self._save(name=self._plan.name, built=built, complete=1)

    def _last(self, table: str) -> int:
        row = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()  # noqa: S608  our own name
        return int(row[0] or 0)


def chained(chain: bytes, title: str, redirects: Sequence[str], passages: Sequence[str]) -> bytes:
    """Adds a document to the hash of a source's content; independent of how documents were batched."""
    content = json.dumps([title, list(redirects), list(passages)], ensure_ascii=False)
    return hashlib.sha256(chain + content.encode()).digest()


class _transaction:  # noqa: N801  reads as a keyword
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN")

    def __exit__(self, kind: object, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _batches(lines: RowReader) -> Iterator[list[Line]]:
    batch: list[Line] = []
    start = lines.position.offset
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH_ROWS or line.end - start >= _BATCH_BYTES:
            yield batch
            batch, start = [], line.end
    if batch:
        yield batch
