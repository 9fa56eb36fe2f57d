"""Answers of chat models on disk, so that nothing is asked and paid for twice: one SQLite file.

The key is a hash of everything that shapes an answer: the messages (with the prompt's wording, the passages
and the fact in them), the model with its settings, what was asked for beside the text, and the number of
the sample. Failed, cut-off, filtered and empty answers are not kept.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout
from langchain_core.messages import BaseMessage
from pydantic import BaseModel, TypeAdapter, ValidationError

from factscore_chain.completion import Completion
from factscore_chain.errors import FactScoreError
from factscore_chain.single_flight import SingleFlight

_log = logging.getLogger(__name__)
_COMPLETION: TypeAdapter[Completion] = TypeAdapter(Completion)
_FORMAT = 1
"""Part of every key; raised where the meaning of what is stored changes."""
_APPLICATION_ID = 0x4653_4143
"""Marks the file as ours in SQLite's header."""
BUSY_SECONDS = 30.0
"""How long is waited for a process that writes."""
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"


class AnswerCacheError(FactScoreError):
    """A cache of answers cannot be used."""


@dataclass(frozen=True)
class Call:
    """One request to a chat model."""

    model: str
    """Which model, with all settings that shape its answers."""
    messages: tuple[BaseMessage, ...]
    options: Mapping[str, object]
    """What is asked for beside the text, such as log-probabilities."""
    sample: int = 0
    """Tells apart requests that are the same in all else but are to be answered anew."""
    schema: type[BaseModel] | None = None
    """The form that the reply is to have; None for text."""

    @cached_property
    def key(self) -> str:
        """A hash of all of it."""
        said = [(message.type, message.content) for message in self.messages]
        schema = None if self.schema is None else self.schema.model_json_schema()
        parts = [_FORMAT, self.model, said, sorted(self.options.items()), self.sample, schema]
        return sha256(json.dumps(parts, default=str).encode("utf-8", "surrogatepass")).hexdigest()


class AnswerCache:
    """A file of answers; safe for threads, for processes through SQLite's locks, and across forks.

    It is opened when first needed. A file that cannot be used is named once in the log, and the run goes on
    without it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._flights: SingleFlight[tuple[Completion, bool]] = SingleFlight()
        self._lock = threading.Lock()
        self._opened: tuple[int, sqlite3.Connection] | None = None
        self._usable = True

    async def get(self, call: Call, ask: Callable[[], Awaitable[Completion]]) -> tuple[Completion, bool]:
        """The answer to a call: kept, or being asked for just now, or else asked for and kept.

        Returns:
            The answer, and whether it was asked for by this caller.
        """

        async def look_or_ask() -> tuple[Completion, bool]:
            if (kept := await asyncio.to_thread(self.find, call)) is not None:
                return kept, False
            answer = await ask()
            if answer.is_whole:
                await asyncio.to_thread(self.keep, call, answer)
            return answer, True

        (answer, asked), here = await self._flights.run(call.key, look_or_ask)
        return answer, asked and here

    def find(self, call: Call) -> Completion | None:
        """The answer that is kept for a call; None if there is none."""
        found = self._run("SELECT answer FROM answers WHERE key = ?", (call.key,))
        try:
            return _COMPLETION.validate_python(json.loads(found[0][0])) if found else None
        except (ValueError, ValidationError):
            return None  # a damaged row is asked for again, and replaced

    def keep(self, call: Call, answer: Completion) -> None:
        """Keeps the answer to a call; it survives whatever ends the process."""
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?)", (call.key, json.dumps(asdict(answer))))

    def close(self) -> None:
        """Closes the file; it is opened again if needed."""
        with self._lock:
            if self._opened is not None and self._opened[0] == os.getpid():
                self._opened[1].close()
            self._opened = None

    def __del__(self) -> None:
        self.close()

    def _run(self, sql: str, parameters: tuple[str, ...]) -> list[tuple[str, ...]]:
        with self._lock:
            if not self._usable:
                return []
            try:
                with self._connection() as connection:
                    return connection.execute(sql, parameters).fetchall()
            except (sqlite3.Error, AnswerCacheError) as error:
                self._usable = False
                _log.warning(
                    "The answer cache %r cannot be used (%s). The run goes on without it; delete the file, "
                    "or name another.",
                    str(self.path),
                    error,
                )
                return []

    def _connection(self) -> sqlite3.Connection:
        # A connection must not be used in a child process that was forked with it.
        if self._opened is None or self._opened[0] != os.getpid():
            connection = open_private(self.path)
            connection.execute(_TABLE)
            self._opened = (os.getpid(), connection)
        return self._opened[1]


def open_private(path: Path, mark: int = _APPLICATION_ID) -> sqlite3.Connection:
    """Opens or makes a database that only its user can read, for many readers and a writer at a time.

    Args:
        path: The file.
        mark: Tells databases of this kind from others, in SQLite's header.

    Raises:
        AnswerCacheError: It cannot be opened, or is a database of something else.
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
        raise AnswerCacheError(str(error)) from error
    connection.close()
    raise AnswerCacheError("it is a database of something else")


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
