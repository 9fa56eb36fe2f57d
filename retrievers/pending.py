"""Postings of batches that wait until their block is full, in a file beside the growing source."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from factscore_chain.retrievers.postings import Postings

_TABLE = """CREATE TABLE IF NOT EXISTS batches(first INTEGER PRIMARY KEY, words TEXT NOT NULL,
sizes BLOB NOT NULL, passages BLOB NOT NULL, counts BLOB NOT NULL, lengths BLOB NOT NULL)"""


def pending_path(partial: Path) -> Path:
    """Where the batches of a growing source wait."""
    return partial.with_name(partial.name + ".words")


class Pending:
    """Batches by the id of their first passage, each written before the source commits what it belongs to."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(_TABLE)

    def put(self, first: int, postings: Postings) -> None:
        """Keeps a batch; its ids are those of the source."""
        columns = (postings.sizes, postings.passages, postings.counts, postings.lengths)
        self._connection.execute(
            "INSERT OR REPLACE INTO batches VALUES (?, ?, ?, ?, ?, ?)",
            (first, "\n".join(postings.words), *(column.tobytes() for column in columns)),
        )

    def forget_from(self, first: int) -> None:
        """Drops batches that the source never committed."""
        self._connection.execute("DELETE FROM batches WHERE first >= ?", (first,))

    def forget_before(self, stop: int) -> None:
        """Drops batches all of whose passages have ids below `stop`."""
        sql = "DELETE FROM batches WHERE first + length(lengths) / 4 <= ?"
        self._connection.execute(sql, (stop,))

    def batches(self) -> list[Postings]:
        """All that is kept, in the order of ids."""
        return [_read(*row) for row in self._connection.execute("SELECT * FROM batches ORDER BY first")]

    def next_id(self) -> int | None:
        """The id behind the last passage kept; None if none is."""
        sql = "SELECT first + length(lengths) / 4 FROM batches ORDER BY first DESC LIMIT 1"
        row = self._connection.execute(sql).fetchone()
        return None if row is None else int(row[0])

    def first_id(self) -> int | None:
        """The id of the first passage kept; None if none is."""
        found: int | None = self._connection.execute("SELECT min(first) FROM batches").fetchone()[0]
        return found

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


def _read(first: int, words: str, sizes: bytes, passages: bytes, counts: bytes, lengths: bytes) -> Postings:
    return Postings(
        tuple(words.split("\n")) if words else (),
        np.frombuffer(sizes, dtype=np.int32),
        np.frombuffer(passages, dtype=np.int32),
        np.frombuffer(counts, dtype=np.uint8),
        np.frombuffer(lengths, dtype=np.int32),
    )
