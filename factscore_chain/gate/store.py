"""A file of finished generations that many runs share: what was scored once is not scored again."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from factscore_chain.answer_cache import AnswerCacheError, open_private
from factscore_chain.errors import UsageError
from factscore_chain.report import GenerationReport

_log = logging.getLogger(__name__)

_APPLICATION_ID = 0x4653_4352
"""Marks the file as one of these in SQLite's header."""
_TABLE = "CREATE TABLE IF NOT EXISTS finished (key TEXT PRIMARY KEY, report TEXT NOT NULL) WITHOUT ROWID"


class RunStore(Mapping[str, GenerationReport]):
    """Reports of generations by their content key, in one private SQLite file; safe for several processes.

    Each generation is written as soon as it is scored, so it outlives whatever ends the run. A damaged row
    is as good as none: its generation is scored again.

    Raises:
        UsageError: The file cannot be opened or read, or is a database of something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._writable = True
        self._lock = threading.Lock()  # callbacks come from several threads
        try:
            self._connection = open_private(self.path, _APPLICATION_ID)
            self._connection.execute(_TABLE)
        except (AnswerCacheError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def __getitem__(self, key: str) -> GenerationReport:
        found = self._select("SELECT report FROM finished WHERE key = ?", (key,))
        try:
            return GenerationReport.model_validate_json(found[0][0])
        except (IndexError, ValidationError):
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[str]:
        return iter([row[0] for row in self._select("SELECT key FROM finished ORDER BY key")])

    def __len__(self) -> int:
        return int(self._select("SELECT count(*) FROM finished")[0][0])

    def add(self, key: str, report: GenerationReport) -> None:
        """Keeps a generation; one of which something was lost is left to be scored again.

        Where the file cannot be written any more, that is said once, and the run goes on without it.
        """
        if not report.complete:
            return
        row = (key, report.model_dump_json())
        with self._lock:
            if not self._writable:
                return
            try:
                with self._connection:
                    self._connection.execute("INSERT OR REPLACE INTO finished VALUES (?, ?)", row)
            except sqlite3.Error as error:
                self._writable = False
                _log.warning(
                    "%r cannot be written any more (%s). The run goes on; what it scores from here on is in "
                    "its report alone.",
                    str(self.path),
                    error,
                )

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def _select(self, sql: str, parameters: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        try:
            with self._lock:
                return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> UsageError:
        return UsageError(
            f"The store {str(self.path)!r} cannot be used ({error}). Delete the file, or name another."
        )
