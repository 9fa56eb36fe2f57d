"""Bringing a source up to date with its documents: only those that changed are cut and indexed again.

The work is done on a copy that takes the source's place when it is complete, so that whoever reads the source
meanwhile, or after an update that was broken off, finds it as it was.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from filelock import FileLock, Timeout
from tqdm import tqdm

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.changes import BlockChanges
from factscore_chain.retrievers.plan import Plan, Registration
from factscore_chain.retrievers.prepare import Batch, Lines, Prepared, digest_of_row, read_lines
from factscore_chain.retrievers.rows import LineReader, Position, Row, check_input
from factscore_chain.retrievers.terms import store_common
from factscore_chain.retrievers.titles import folded, insert_names, remove_names
from factscore_chain.retrievers.workers import prepared
from factscore_chain.retrievers.writer import all_names, batches_of, chained, now, store_documents

_TEMPORARY = """
CREATE TEMP TABLE seen(title TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE kept(id INTEGER PRIMARY KEY);
"""


@dataclass
class Changes:
    """What an update did."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0


@dataclass(frozen=True)
class _Found:
    """A row of the input, and what the source has under its title."""

    row: Row
    document: int | None
    """The row id of the document of that title; None if there is none."""
    same: bool
    """Whether that document was made from just this."""


def update_source(plan: Plan) -> Changes:
    """Makes the source at `plan.out` what a build from the plan's documents would make it.

    Raises:
        KnowledgeSourceError: The input cannot be read or has no document, a line is bad and `strict` is set,
            the source was made with other settings or by another version, another process is writing it, or
            there is no room for a copy of it.
    """
    check_input(plan.source)
    copy = plan.out.with_name(f".{plan.out.name}.updating")
    try:
        with FileLock(plan.out.with_name(f".{plan.out.name}.lock"), timeout=0):
            try:
                shutil.copyfile(plan.out, copy)
                with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
                    # A copy that is not complete is thrown away: nothing in it needs to survive anything.
                    connection.execute("PRAGMA journal_mode = OFF")
                    connection.execute("PRAGMA synchronous = OFF")
                    connection.execute("PRAGMA cache_size = -65536")
                    changes = _Update(connection, plan).run()
                with copy.open("rb+") as file:
                    os.fsync(file.fileno())
                shutil.copymode(plan.out, copy)
                os.replace(copy, plan.out)
            finally:
                copy.unlink(missing_ok=True)
    except Timeout:
        raise KnowledgeSourceError(
            f"{plan.out} is locked by another process that is writing it. Wait for it to end."
        ) from None
    except (OSError, sqlite3.Error) as error:
        raise KnowledgeSourceError(f"Cannot update the knowledge source {plan.out}: {error}.") from error
    return changes


class _Update:
    def __init__(self, connection: sqlite3.Connection, plan: Plan) -> None:
        self._connection = connection
        self._plan = plan
        self._meta = schema.read_meta(connection)
        if any(self._meta.get(key) != value for key, value in plan.settings.items()):
            raise KnowledgeSourceError(
                f"{plan.out} was made by another version, so no part of it can be kept. Build it again."
            )
        self._registered = Registration()
        self._chain = b""
        self._changes = Changes()
        self._next_document = self._highest("documents") + 1
        self._next_name = self._highest("names") + 1
        self._blocks = BlockChanges(connection, self._highest("passages") + 1, int(self._meta["words"]))

    def run(self) -> Changes:
        """Reads the whole input and applies what is different in it."""
        plan = self._plan
        position = Position()
        show = None if plan.progress is None else not plan.progress
        self._connection.executescript(_TEMPORARY)
        self._connection.execute("BEGIN")
        with (
            plan.source.open("rb") as file,
            tqdm(
                total=plan.source.stat().st_size, unit="B", unit_scale=True, desc=plan.name, disable=show
            ) as bar,
        ):
            ends: deque[Position] = deque()
            found: deque[list[_Found]] = deque()
            batches = batches_of(LineReader(file, position), plan.max_tokens, ends)
            for batch in prepared(self._changed(batches, found), plan.workers):
                position = ends.popleft()
                self._apply(found.popleft(), batch)
                bar.update(position.offset - bar.n)
            if not self._registered.documents:
                raise KnowledgeSourceError(f"{plan.input} has no document to register.")
            self._remove_others()
            self._blocks.apply()
            self._save(position)
        self._connection.execute("COMMIT")
        return self._changes

    def _changed(self, batches: Iterator[Lines], found: deque[list[_Found]]) -> Iterator[Lines]:
        """For each batch, the lines of new or changed documents; all its documents are added to `found`."""
        for lines in batches:
            taken, changed = [], []
            for data, line in zip(lines.data, read_lines(lines), strict=True):
                if line.problem is not None:
                    self._reject(line.number, line.problem)
                elif line.row is not None and not self._is_first(line.row.title):
                    self._registered.duplicates += 1
                    problem = f"the title {line.row.title!r} is taken; the first keeps it"
                    self._registered.note(line.number, problem)
                elif line.row is not None:
                    taken.append(self._look_up(line.row))
                    if not taken[-1].same:
                        changed.append(data)
            found.append(taken)
            yield Lines(lines.first, tuple(changed), lines.max_tokens)

    def _reject(self, number: int, problem: str) -> None:
        if self._plan.strict:
            place = f"Line {number} of " if number else ""
            raise KnowledgeSourceError(f"{place}{self._plan.input}: {problem}.")
        self._registered.bad_lines += 1
        self._registered.note(number, problem)

    def _is_first(self, title: str) -> bool:
        return self._connection.execute("INSERT OR IGNORE INTO seen VALUES (?)", (title,)).rowcount == 1

    def _look_up(self, row: Row) -> _Found:
        sql = (
            "SELECT d.id, d.digest FROM names n JOIN documents d ON d.id = n.document "
            "WHERE n.folded = ? AND n.name = ? AND n.redirect = 0"
        )
        known = self._connection.execute(sql, (folded(row.title), row.title)).fetchone()
        if known is None:
            return _Found(row, None, same=False)
        return _Found(row, known[0], same=known[1] == digest_of_row(row))

    def _apply(self, found: list[_Found], batch: Batch) -> None:
        new = iter(batch.documents)
        added: list[tuple[int, int, int, Prepared]] = []
        first = self._blocks.next_id
        for one in found:
            self._registered.documents += 1
            place = self._registered.documents
            if one.same:
                assert one.document is not None  # noqa: S101  what is the same is there
                passages = self._keep(one.document, place)
                self._changes.unchanged += 1
            else:
                document = next(new)
                passages = list(document.passages)
                added.append((self._next_document, place, first, document))
                first += len(passages)
                self._next_document += 1
                self._changes.changed += one.document is not None
                self._changes.added += one.document is None
            self._registered.passages += len(passages)
            self._chain = chained(self._chain, one.row.title, one.row.redirects, passages)
        self._blocks.add(batch.postings)
        store_documents(self._connection, added)
        self._connection.executemany("INSERT INTO kept VALUES (?)", [(number,) for number, *_ in added])
        names = [
            (name, number, i > 0) for number, _, _, one in added for i, name in enumerate(all_names(one))
        ]
        insert_names(self._connection, [(self._next_name + i, *name) for i, name in enumerate(names)])
        self._next_name += len(names)

    def _keep(self, document: int, place: int) -> list[str]:
        """Keeps a document, at its place in the new input; gives its passages."""
        self._connection.execute("INSERT INTO kept VALUES (?)", (document,))
        sql = "UPDATE documents SET place = ?1 WHERE id = ?2 AND place <> ?1"
        self._connection.execute(sql, (place, document))
        sql = (
            "SELECT p.text FROM documents d JOIN passages p "
            "ON p.id BETWEEN d.first AND d.first + d.count - 1 WHERE d.id = ? ORDER BY p.id"
        )
        return [text for (text,) in self._connection.execute(sql, (document,))]

    def _remove_others(self) -> None:
        """Removes the documents that the input has no more, and the old forms of changed ones."""
        sql = (
            "SELECT id, title, first, count FROM documents "
            "WHERE id NOT IN (SELECT id FROM kept) ORDER BY first"
        )
        gone = self._connection.execute(sql).fetchall()
        for number, title, first, count in gone:
            sql = "SELECT text FROM passages WHERE id BETWEEN ? AND ? ORDER BY id"
            span = (first, first + count - 1)
            self._blocks.remove(title, [text for (text,) in self._connection.execute(sql, span)], first)
            self._connection.execute("DELETE FROM passages WHERE id BETWEEN ? AND ?", span)
            self._connection.execute("DELETE FROM documents WHERE id = ?", (number,))
        if gone:
            remove_names(self._connection, "document NOT IN (SELECT id FROM kept)")
        self._changes.removed = len(gone) - self._changes.changed

    def _save(self, position: Position) -> None:
        assert position.digest is not None  # noqa: S101  set by __post_init__
        store_common(self._connection, "name_grams", "common_grams")
        schema.write_meta(
            self._connection,
            offset=position.offset,
            line=position.line,
            digest=position.digest.hexdigest(),
            registration=self._registered.to_json(),
            content_hash=self._chain.hex(),
            words=self._blocks.words,
            built=now(),
        )

    def _highest(self, table: str) -> int:
        row = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()  # noqa: S608  our own name
        return int(-1 if row[0] is None else row[0])
