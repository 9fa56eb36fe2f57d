"""Vectors of passages on disk beside their source, by content, so that no passage is embedded twice.

Passages are known by their ids, which follow from title and text: what an update of the source leaves as it
was keeps its vectors. A file may hold the vectors of several embedders.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.embedder_record import EmbedderRecord
from factscore_chain.retrievers.embedding import Vectors, embed_passages
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_log = logging.getLogger(__name__)
_TABLES = """
CREATE TABLE IF NOT EXISTS embedders(id INTEGER PRIMARY KEY, name TEXT NOT NULL, probe BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS vectors(embedder INTEGER NOT NULL, passage TEXT NOT NULL, data BLOB NOT NULL,
                                   PRIMARY KEY(embedder, passage)) WITHOUT ROWID;
"""
_APPLICATION_ID = 0x4653_5645
"""Marks the file as ours in SQLite's header."""
_AT_ONCE = 500
_BUSY_SECONDS = 30.0


def vectors_beside(source: Path) -> Path:
    """Where the vectors of a source's passages are kept."""
    return source.with_name(source.name + ".vectors")


class KeptVectors:
    """The vectors of one embedder in a file; threads and processes may share it, and it survives a fork.

    A file that cannot be used, such as one in a folder that is not to be written to, is done without.

    Args:
        path: The file; it is made with the first vectors. None keeps nothing.
        embeddings: Makes the vectors that are not there.
    """

    def __init__(self, path: Path | None, embeddings: Embeddings) -> None:
        self._path = path
        self._embeddings = embeddings
        self._embedder: int | None = None
        self._lock = threading.Lock()

    def of(self, passages: Sequence[Passage]) -> Vectors:
        """Unit vectors of passages, shape (passages, dimension); those that are new are kept."""
        found = self._read([passage.id for passage in passages])
        missing = [passage for passage in passages if passage.id not in found]
        if missing:
            made = embed_passages(self._embeddings, missing)
            new = {passage.id: vector for passage, vector in zip(missing, made, strict=True)}
            self.keep(new)
            found.update(new)
        return np.stack([found[passage.id] for passage in passages])

    def missing(self, passages: Sequence[Passage]) -> list[Passage]:
        """Those of some passages of which no vector is kept."""
        found = self._read([passage.id for passage in passages])
        return [passage for passage in passages if passage.id not in found]

    @property
    def keeps(self) -> bool:
        """Whether the file can be used, as far as was seen."""
        return self._path is not None

    def _read(self, ids: Sequence[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        if self._path is None or not self._path.exists():
            return found
        try:
            with closing(self._connection()) as connection:
                embedder = self._number(connection)
                for start in range(0, len(ids), _AT_ONCE):
                    some = ids[start : start + _AT_ONCE]
                    sql = (
                        "SELECT passage, data FROM vectors WHERE embedder = ? "  # noqa: S608  marks only
                        f"AND passage IN ({','.join('?' * len(some))})"
                    )
                    rows = connection.execute(sql, (embedder, *some))
                    found.update((key, np.frombuffer(data, dtype="<f4")) for key, data in rows)
        except (sqlite3.Error, OSError, KnowledgeSourceError) as error:
            self._give_up(error)
        return found

    def keep(self, vectors: Mapping[str, Vectors]) -> None:
        """Keeps unit vectors by the ids of their passages."""
        if self._path is None:
            return
        try:
            with closing(self._connection()) as connection, connection:
                embedder = self._number(connection)
                connection.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)",
                    [(embedder, key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()],
                )
        except (sqlite3.Error, OSError, KnowledgeSourceError) as error:
            self._give_up(error)

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(str(self._path), timeout=_BUSY_SECONDS)
        try:
            if not _is_ours(connection):
                # SQLite does not wait where two make one file at the same time.
                with FileLock(f"{self._path}.lock", timeout=_BUSY_SECONDS):
                    self._prepare(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Makes a new file ours."""
        if _is_ours(connection):
            return
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise KnowledgeSourceError(f"{self._path} is another database.")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"{_TABLES} PRAGMA application_id = {_APPLICATION_ID};")

    def _number(self, connection: sqlite3.Connection) -> int:
        """The embedder's number in the file; two of the same name differ by their vectors of a fixed text."""
        with self._lock:
            if self._embedder is None:
                record = EmbedderRecord.of(self._embeddings)
                sql = "SELECT id, probe FROM embedders WHERE name = ? ORDER BY id"
                for number, probe in connection.execute(sql, (record.name,)).fetchall():
                    known = EmbedderRecord(record.name, np.frombuffer(probe, dtype="<f4"))
                    if known.is_of(record):
                        self._embedder = int(number)
                        return self._embedder
                sql = "INSERT INTO embedders(name, probe) VALUES (?, ?)"
                added = connection.execute(sql, (record.name, record.probe.astype("<f4").tobytes()))
                connection.commit()
                self._embedder = int(added.lastrowid or 0)
            return self._embedder

    def _give_up(self, error: Exception) -> None:
        _log.info("Vectors are not kept in %s: %s", self._path, error)
        self._path = None


def _is_ours(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION_ID)
