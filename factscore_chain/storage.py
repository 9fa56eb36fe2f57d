"""What runs keep: texts under keys, several kinds of them in one place that processes share.

`Store` is all that a place has to offer; everything that is kept (answers of models, finished generations,
finished stages) goes through it. `SqliteStore` is a private file; `postgres.py` has a database
that machines share.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from factscore_chain.errors import FactScoreError, UsageError

BUSY_SECONDS = 30.0
"""How long is waited for a process that writes."""

ANSWERS, FINISHED = "answers", "finished"
"""Kinds: answers of chat models, and reports of generations."""
RUNS = 0x4653_4352
"""Marks a file of what runs made, in SQLite's header."""

_COLUMNS = {ANSWERS: "answer", FINISHED: "report"}
_ALL, _KEYS, _INTO = "SELECT * FROM", "SELECT key FROM", "INSERT OR REPLACE INTO"
"""Begin statements; the table behind them is named by a kind, never by what users give."""
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SCHEMES = frozenset({"postgresql", "postgres"})
_AT_ONCE = 500
"""Keys of one statement."""


class StorageError(FactScoreError):
    """A place where runs keep things cannot be used."""


class Store(Protocol):
    """A place for texts that outlive the process; safe for threads, for processes, and across forks."""

    @property
    def location(self) -> str:
        """Where it is, for messages: without a password."""

    def find(self, kind: str, keys: Iterable[str]) -> dict[str, str]:
        """The texts of one kind that are kept under some keys; what is not kept is left out.

        Raises:
            StorageError: The place cannot be read.
        """

    def keep(self, kind: str, texts: Mapping[str, str]) -> None:
        """Keeps texts of one kind, all or none; what was kept under a key before is replaced.

        Raises:
            StorageError: The place cannot be written.
        """

    def keys(self, kind: str) -> list[str]:
        """All keys of one kind, sorted.

        Raises:
            StorageError: The place cannot be read.
        """

    def close(self) -> None:
        """Lets go of it; it is opened again if needed."""


class SqliteStore:
    """A database file that only its user can read, with a table for each kind.

    It is opened when first needed.

    Args:
        path: The file.
        mark: Tells files of this sort from others, in SQLite's header.
    """

    def __init__(self, path: str | Path, mark: int) -> None:
        self.path = Path(path).expanduser()
        self._mark = mark
        self._lock = threading.Lock()
        self._opened: tuple[int, sqlite3.Connection] | None = None
        self._tables: set[str] = set()

    @property
    def location(self) -> str:
        """The file's path."""
        return str(self.path)

    def find(self, kind: str, keys: Iterable[str]) -> dict[str, str]:
        """The texts that are kept; see `Store`."""
        wanted, found = iter(keys), dict[str, str]()
        while some := list(islice(wanted, _AT_ONCE)):
            rows = self._run(kind, f"{_ALL} {kind} WHERE key IN ({','.join('?' * len(some))})", some)
            found.update((row[0], row[1]) for row in rows)
        return found

    def keep(self, kind: str, texts: Mapping[str, str]) -> None:
        """Keeps texts; see `Store`."""
        rows = [(key, text) for key, text in texts.items()]
        with self._lock:
            try:
                with self._connection(kind) as connection:
                    connection.executemany(f"{_INTO} {kind} VALUES (?, ?)", rows)
            except sqlite3.Error as error:
                raise StorageError(str(error)) from error

    def keys(self, kind: str) -> list[str]:
        """All keys of one kind; see `Store`."""
        return [row[0] for row in self._run(kind, f"{_KEYS} {kind} ORDER BY key", [])]

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            if self._opened is not None and self._opened[0] == os.getpid():
                self._opened[1].close()
            self._opened = None
            self._tables.clear()

    def __del__(self) -> None:
        self.close()

    def _run(self, kind: str, sql: str, parameters: list[str]) -> list[tuple[str, ...]]:
        with self._lock:
            try:
                return self._connection(kind).execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                raise StorageError(str(error)) from error

    def _connection(self, kind: str) -> sqlite3.Connection:
        # A connection must not be used in a child process that was forked with it.
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = (os.getpid(), open_private(self.path, self._mark))
            self._tables.clear()
        connection = self._opened[1]
        if kind not in self._tables:
            column = _COLUMNS.get(kind, "value")
            columns = f"(key TEXT PRIMARY KEY, {column} TEXT NOT NULL)"
            connection.execute(f"CREATE TABLE IF NOT EXISTS {kind} {columns} WITHOUT ROWID")
            self._tables.add(kind)
        return connection


def open_store(place: str | Path | Store, mark: int) -> Store:
    """The store that a user names: a file, a database by its URL, or one that is open already.

    Args:
        place: Path of the file, `postgresql://USER@HOST:PORT/DATABASE` (extra `postgres`), or the store.
        mark: Tells files of this sort from others.

    Raises:
        UsageError: It is a URL that cannot be read, or its database cannot be used.
        MissingExtraError: The driver of the database is not installed.
    """
    if isinstance(place, str) and is_database(place):
        from factscore_chain.postgres import PostgresStore

        return PostgresStore(place)
    return SqliteStore(place, mark) if isinstance(place, (str, Path)) else place


def is_database(place: str) -> bool:
    """Whether a text names a database by its URL, rather than a file.

    Raises:
        UsageError: It is a URL of something else. Only its scheme is quoted: the rest may hold a password.
    """
    url = _URL.match(place)
    if url is None:
        return False
    if url[1].lower() not in _SCHEMES:
        raise UsageError(
            f"Nothing can be kept at {url[1]}://. Give the path of a file, or "
            "postgresql://USER@HOST:PORT/DATABASE."
        )
    return True


def open_private(path: Path, mark: int) -> sqlite3.Connection:
    """Opens or makes a database that only its user can read, for many readers and a writer at a time.

    Args:
        path: The file.
        mark: Tells databases of this kind from others, in SQLite's header.

    Raises:
        StorageError: It cannot be opened, or is a database of something else.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)  # it holds what users wrote; SQLite gives its side files the same mode
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
        # SQLite does not wait where two processes make one file at the same time.
        with FileLock(f"{path}.lock", timeout=BUSY_SECONDS, mode=0o600):
            if _prepare(connection, mark):
                return connection
    except (OSError, Timeout, sqlite3.Error) as error:
        raise StorageError(str(error)) from error
    connection.close()
    raise StorageError("it is a database of something else")


def _prepare(connection: sqlite3.Connection, wanted: int) -> bool:
    """Marks a new file as ours; returns whether the file is."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if mark != wanted:
        if tables:
            return False
        connection.execute(f"PRAGMA application_id = {wanted}")
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return True
