"""Reading a database that this package built."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.connections import Connections
from factscore_chain.retrievers.plan import Registration
from factscore_chain.retrievers.terms import match_any
from factscore_chain.retrievers.titles import TitleIndex, folded
from factscore_chain.retrievers.tokenize import TOKENIZER_VERSION, tokens

_BUDGET = 50_000
"""Index entries that a search may read: keeps it fast where a word stands in most passages."""
_TITLE_WEIGHT = 4.0


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether the file's header carries our mark."""
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID)


class Database:
    """Our own tables, read-only.

    Raises:
        KnowledgeSourceError: Registration never ended, or another version of this package wrote the file.
    """

    def __init__(self, path: Path, connections: Connections) -> None:
        self._path = path
        self._connections = connections
        version = connections.get().execute("PRAGMA user_version").fetchone()[0]
        if version != schema.SCHEMA_VERSION:
            raise KnowledgeSourceError(
                f"{path} has layout {version}, this version reads {schema.SCHEMA_VERSION}. Build it again."
            )
        self.meta = schema.read_meta(connections.get())
        if not self.meta.get("complete"):
            raise KnowledgeSourceError(
                f"The registration of {path} stopped at line {self.meta.get('line', 0)} of its input. "
                "Run the build again: it continues there."
            )
        if self.meta.get("tokenizer") != TOKENIZER_VERSION:
            raise KnowledgeSourceError(
                f"{path} was indexed with tokenizer {self.meta.get('tokenizer')}, this version searches with "
                f"{TOKENIZER_VERSION}. Build it again."
            )
        self.name = str(self.meta["name"])
        self.built = str(self.meta["built"])
        self.registration: Registration | None = Registration.from_json(str(self.meta["registration"]))
        self.document_count = self.registration.documents
        self.passage_count: int | None = self.registration.passages

    def content_hash(self) -> str:
        """Hash over titles, redirects and passages, made at registration."""
        return str(self.meta["content_hash"])

    def titles(self) -> Iterator[str]:
        """All titles, in the order of their registration."""
        for (title,) in self._connections.get().execute("SELECT title FROM documents ORDER BY id"):
            yield title

    def has(self, title: str) -> bool:
        """Whether a document has exactly this title."""
        return self._document(title) is not None

    def resolve(self, title: str) -> str:
        """The title of the document that is meant; see `TitleIndex.resolve`."""
        return TitleIndex(self._connections.get()).resolve(title)

    def find(self, title: str) -> str | None:
        """The title of the document that bears a name; see `TitleIndex.find`."""
        return TitleIndex(self._connections.get()).find(title)

    def namesakes(self, name: str) -> list[str]:
        """Titles of all documents that bear a name; see `TitleIndex.namesakes`."""
        return TitleIndex(self._connections.get()).namesakes(name)

    def texts(self, title: str) -> list[str]:
        """The passages of the document with exactly this title, in order."""
        sql = (
            "SELECT p.text FROM documents d JOIN passages p "
            "ON p.id BETWEEN d.first AND d.first + d.count - 1 WHERE d.id = ? ORDER BY p.id"
        )
        return [text for (text,) in self._connections.get().execute(sql, (self._document(title),))]

    def all_passages(self) -> Iterator[tuple[str, str]]:
        """Title and text of every passage, in the order of registration."""
        sql = "SELECT d.title, p.text FROM passages p JOIN documents d ON d.id = p.document ORDER BY p.id"
        yield from self._connections.get().execute(sql)

    def search(self, query: str, limit: int) -> list[tuple[str, str, float]]:
        """Title, text and BM25 score of the best passages; those without a word of the query are left out."""
        connection = self._connections.get()
        match = match_any(connection, "common_terms", tokens(query), _BUDGET)
        if match is None:
            return []
        sql = (
            "SELECT d.title, p.text, found.score FROM (SELECT rowid, bm25(passage_terms, ?, 1.0) AS score "
            "FROM passage_terms WHERE passage_terms MATCH ? ORDER BY score, rowid LIMIT ?) AS found "
            "JOIN passages p ON p.id = found.rowid JOIN documents d ON d.id = p.document "
            "ORDER BY found.score, found.rowid"
        )
        rows = connection.execute(sql, (_TITLE_WEIGHT, match, limit))
        return [(title, text, -score) for title, text, score in rows]

    def close(self) -> None:
        """Nothing is held but the connections."""

    def _document(self, title: str) -> int | None:
        sql = "SELECT document FROM names WHERE folded = ? AND name = ? AND redirect = 0"
        row = self._connections.get().execute(sql, (folded(title), title)).fetchone()
        return None if row is None else int(row[0])
