"""Reading a database that the original `factscore` package built: one row a title, passages joined."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.connections import Connections
from factscore_chain.retrievers.plan import Registration
from factscore_chain.retrievers.terms import store_common
from factscore_chain.retrievers.titles import TitleIndex, insert_names
from factscore_chain.retrievers.writer import chained

SEPARATOR = "####SPECIAL####SEPARATOR####"
_SAMPLE = 1_000
_HASHED_WHOLE = 256 * 1024 * 1024
_BATCH = 10_000


def is_original(connection: sqlite3.Connection) -> bool:
    """Whether the database has the original's one table."""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(documents)")]
    return columns == ["title", "text"]


def split_passages(text: str) -> list[str]:
    """The passages of a row, without the encoder's markers that the original left in them."""
    found: list[str] = []
    for part in text.split(SEPARATOR):
        lines = (line.strip() for line in part.replace("<s>", "\n").replace("</s>", "\n").split("\n"))
        if passage := "\n".join(line for line in lines if line):
            found.append(passage)
    return found


class OriginalDatabase:
    """The original's database, read-only. Titles resolve as in our own; there is no full-text index."""

    def __init__(self, path: Path, connections: Connections) -> None:
        self._path = path
        self._connections = connections
        self._titles: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        if self._one("SELECT 1 FROM documents LIMIT 1") is None:
            raise KnowledgeSourceError(f"{path} holds no document: its registration never ran to the end.")
        self.name = path.stem
        self.built = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc).isoformat(timespec="seconds")
        self.document_count = int(self._one("SELECT count(title) FROM documents") or 0)
        self.passage_count: int | None = None
        self.registration: Registration | None = None

    def titles(self) -> Iterator[str]:
        """All titles, in the order of their registration."""
        for (title,) in self._connections.get().execute("SELECT title FROM documents ORDER BY rowid"):
            yield title

    def has(self, title: str) -> bool:
        """Whether a document has exactly this title."""
        return self._one("SELECT 1 FROM documents WHERE title = ?", title) is not None

    def resolve(self, title: str) -> str:
        """The title that is meant; see `TitleIndex.resolve`."""
        if self.has(title):
            return title
        with self._lock:
            return self._title_index().resolve(title)

    def find(self, title: str) -> str | None:
        """The title that bears a name; see `TitleIndex.find`."""
        if self.has(title):
            return title
        with self._lock:
            return self._title_index().find(title)

    def namesakes(self, name: str) -> list[str]:
        """Titles of all documents that bear a name; see `TitleIndex.namesakes`."""
        with self._lock:
            return self._title_index().namesakes(name)

    def texts(self, title: str) -> list[str]:
        """The passages of the document with exactly this title."""
        text = self._one("SELECT text FROM documents WHERE title = ?", title)
        return split_passages(str(text or ""))

    def all_passages(self) -> Iterator[tuple[str, str]]:
        """Title and text of every passage, in the order of registration."""
        for title, text in self._connections.get().execute(
            "SELECT title, text FROM documents ORDER BY rowid"
        ):
            for passage in split_passages(text):
                yield title, passage

    def search(self, query: str, limit: int) -> list[tuple[str, str, float]]:
        """Not possible: the original stores no index over its passages."""
        raise KnowledgeSourceError(
            f"{self._path} was built by the original factscore package, which made no full-text index: "
            "give a topic, or build a knowledge source from its JSONL file to search without one."
        )

    def content_hash(self) -> str:
        """Hash of titles and texts; of a sample of a thousand rows where the file is larger than 256 MB."""
        sql = "SELECT title, text FROM documents ORDER BY rowid"
        parameters: tuple[int, ...] = ()
        if self._path.stat().st_size > _HASHED_WHOLE:
            sql = "SELECT title, text FROM documents WHERE rowid % ? = 0 ORDER BY rowid"
            parameters = (max(1, self.document_count // _SAMPLE),)
        chain = str(self.document_count).encode()
        for title, text in self._connections.get().execute(sql, parameters):
            chain = chained(chain, title, (), split_passages(text))
        return hashlib.sha256(chain).hexdigest()

    def close(self) -> None:
        """Frees the index of titles."""
        with self._lock:
            if self._titles is not None:
                self._titles.close()
                self._titles = None

    def _one(self, sql: str, *parameters: str) -> str | int | None:
        row = self._connections.get().execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def _title_index(self) -> TitleIndex:
        # Built once, when first a title is not exact: the original stores nothing to look it up by.
        if self._titles is None:
            self._titles = self._index_titles()
            weakref.finalize(self, self._titles.close)
        return TitleIndex(self._titles)

    def _index_titles(self) -> sqlite3.Connection:
        # An unnamed database is a temporary file that SQLite deletes by itself.
        index = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        schema.create(index)
        index.execute("BEGIN")
        with closing(self._connections.get().execute("SELECT rowid, title FROM documents")) as rows:
            while batch := rows.fetchmany(_BATCH):
                index.executemany("INSERT INTO documents VALUES (?1, ?2, 0, 0, ?1, '')", batch)
                insert_names(index, [(row, title, row, False) for row, title in batch])
        store_common(index, "name_grams", "common_grams")
        index.execute("COMMIT")
        return index
