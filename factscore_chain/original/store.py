"""Answers of the original's caches, converted, beside those that models gave since: one SQLite file.

Of a converted answer nothing is known but the prompt, so only the published protocol, which sends the same
prompts, may look among them.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from langchain_core.messages import HumanMessage

from factscore_chain.answer_cache import APPLICATION_ID, AnswerCache, Call
from factscore_chain.completion import Completion
from factscore_chain.errors import FactScoreError
from factscore_chain.storage import StorageError, open_private

_TABLES = """
CREATE TABLE IF NOT EXISTS converted (
    cache TEXT NOT NULL, prompt TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (cache, prompt)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (cache TEXT PRIMARY KEY, content TEXT NOT NULL);
"""


class AnswerStore:
    """The converted caches of one folder; safe for threads, and for processes through SQLite's own locks.

    Raises:
        FactScoreError: The file cannot be opened or made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            self._connection = open_private(path, APPLICATION_ID)
            self._connection.executescript(_TABLES)
        except (StorageError, sqlite3.Error) as error:
            raise FactScoreError(
                f"The cache {str(path)!r} cannot be used ({error}). Delete it, or give another cache_dir."
            ) from error

    def converted(self, cache: str, prompt: str) -> str | None:
        """The answer that one of the original's caches held for a prompt."""
        return self._one("SELECT answer FROM converted WHERE cache = ? AND prompt = ?", cache, prompt)

    def converted_prompts(self, cache: str, limit: int) -> list[str]:
        """Some prompts of a converted cache."""
        with self._lock, closing(self._connection.cursor()) as cursor:
            rows = cursor.execute("SELECT prompt FROM converted WHERE cache = ? LIMIT ?", (cache, limit))
            return [prompt for (prompt,) in rows]

    def is_converted(self, cache: str, content: str) -> bool:
        """Whether this cache was converted from a file of this content."""
        return self._one("SELECT content FROM sources WHERE cache = ?", cache) == content

    def convert(self, cache: str, content: str, answers: Iterable[tuple[str, str]]) -> None:
        """Stores the answers of one of the original's caches, all or none."""
        with self._lock, self._connection as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO converted VALUES (?, ?, ?)",
                ((cache, prompt, answer) for prompt, answer in answers),
            )
            connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?)", (cache, content))

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._connection.close()

    def _one(self, sql: str, *parameters: str) -> str | None:
        with self._lock:
            row = self._connection.execute(sql, parameters).fetchone()
        return None if row is None else str(row[0])


class ConvertedCache(AnswerCache):
    """A cache of answers in the store's file that knows those of one converted cache as well.

    Args:
        store: The converted caches.
        cache: Name of the one to look in; None looks in none.
    """

    def __init__(self, store: AnswerStore, cache: str | None = None) -> None:
        super().__init__(store.path)
        self._store = store
        self._cache = cache

    def find(self, call: Call) -> Completion | None:
        """The answer that is kept for a call, or that the converted cache has for its only message."""
        if (kept := super().find(call)) is not None or self._cache is None:
            return kept
        match call.messages:
            case (HumanMessage(content=str(prompt)),):
                old = self._store.converted(self._cache, prompt)
                return None if old is None else Completion(old)
        return None
