"""Reading a database that this package built."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.connections import Connections
from factscore_chain.retrievers.full_text import search_full_text
from factscore_chain.retrievers.plan import Registration
from factscore_chain.retrievers.titles import TitleIndex, folded
from factscore_chain.retrievers.tokenize import TOKENIZER_VERSION, tokens
from factscore_chain.retrievers.word_search import WordIndex

_AT_ONCE = 500


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
        if version not in (schema.SCHEMA_VERSION, schema.FULL_TEXT_VERSION):
            raise KnowledgeSourceError(
                f"{path} has layout {version}, this version reads {schema.FULL_TEXT_VERSION} and "
                f"{schema.SCHEMA_VERSION}. Build it again."
            )
        self.version = int(version)
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
        self._words: WordIndex | None = None

    def content_hash(self) -> str:
        """Hash over titles, redirects and passages, made at registration."""
        return str(self.meta["content_hash"])

    def titles(self) -> Iterator[str]:
        """All titles, in the order of their registration."""
        sql = f"SELECT title FROM documents ORDER BY {self._order}"  # noqa: S608  our own name
        for (title,) in self._connections.get().execute(sql):
            yield title

    def has(self, title: str) -> bool:
        """Whether a document has exactly this title."""
        return self._document(title) is not None

    def resolve(self, title: str) -> str:
        """The title of the document that is meant; see `TitleIndex.resolve`."""
        return self._title_index().resolve(title)

    def find(self, title: str) -> str | None:
        """The title of the document that bears a name; see `TitleIndex.find`."""
        return self._title_index().find(title)

    def namesakes(self, name: str) -> list[str]:
        """Titles of all documents that bear a name; see `TitleIndex.namesakes`."""
        return self._title_index().namesakes(name)

    def texts(self, title: str) -> list[str]:
        """The passages of the document with exactly this title, in order."""
        sql = (
            "SELECT p.text FROM documents d JOIN passages p "
            "ON p.id BETWEEN d.first AND d.first + d.count - 1 WHERE d.id = ? ORDER BY p.id"
        )
        return [text for (text,) in self._connections.get().execute(sql, (self._document(title),))]

    def all_passages(self) -> Iterator[tuple[str, str]]:
        """Title and text of every passage, in the order of registration."""
        documents = self._connections.get().execute(
            f"SELECT title, first, count FROM documents ORDER BY {self._order}"  # noqa: S608  our own name
        )
        sql = "SELECT text FROM passages WHERE id BETWEEN ? AND ? ORDER BY id"
        for title, first, count in documents:
            for (text,) in self._connections.get().execute(sql, (first, first + count - 1)):
                yield title, text

    def search(self, query: str, limit: int) -> list[tuple[str, str, float]]:
        """Title, text and BM25 score of the best passages; those without a word of the query are left out."""
        connection = self._connections.get()
        if self.version == schema.FULL_TEXT_VERSION:
            return search_full_text(connection, query, limit)
        found = self._word_index(connection).search(connection, tokens(query), limit)
        rows = self._rows(connection, [number for number, _ in found])
        ranked = sorted(((-score, *rows[number]) for number, score in found), key=lambda row: row[:3])
        return [(title, text, -score) for score, _, _, title, text in ranked[:limit]]

    def close(self) -> None:
        """Nothing is held but the connections."""

    @property
    def _order(self) -> str:
        # An update gives new documents new ids, wherever in the input they stand.
        return "id" if self.version == schema.FULL_TEXT_VERSION else "place"

    def _title_index(self) -> TitleIndex:
        return TitleIndex(self._connections.get(), self._order)

    def _word_index(self, connection: sqlite3.Connection) -> WordIndex:
        if self._words is None:
            blocks = [block for (block,) in connection.execute("SELECT block FROM lengths ORDER BY block")]
            self._words = WordIndex(self.passage_count or 0, int(self.meta["words"]), blocks)
        return self._words

    def _rows(
        self, connection: sqlite3.Connection, passages: Sequence[int]
    ) -> dict[int, tuple[int, int, str, str]]:
        """Place, id, title and text of passages, by their ids."""
        found: dict[int, tuple[int, int, str, str]] = {}
        for start in range(0, len(passages), _AT_ONCE):
            some = passages[start : start + _AT_ONCE]
            sql = (
                "SELECT p.id, d.place, p.id, d.title, p.text FROM passages p "  # noqa: S608  marks only
                "JOIN documents d ON d.id = p.document "
                f"WHERE p.id IN ({','.join('?' * len(some))})"
            )
            found.update((number, tuple(row)) for number, *row in connection.execute(sql, some))
        return found

    def _document(self, title: str) -> int | None:
        sql = "SELECT document FROM names WHERE folded = ? AND name = ? AND redirect = 0"
        row = self._connections.get().execute(sql, (folded(title), title)).fetchone()
        return None if row is None else int(row[0])
