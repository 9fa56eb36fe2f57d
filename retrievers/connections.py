"""Read-only SQLite connections, one a thread, and what a file that is not a database really is."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from pathlib import Path

from factscore_chain.errors import KnowledgeSourceError

_SQLITE = b"SQLite format 3\0"
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"<", "a web page (HTML or XML), as a failed download leaves behind"),
    (b"{", "JSON: register it with KnowledgeSource.build(), or `factscore kb build`, and open the result"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"PK", "a zip archive: unpack it first"),
)


class Connections:
    """Gives every thread its own read-only connection, opened when first needed.

    A forked child opens its own: SQLite handles must not cross a fork.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[sqlite3.Connection] = []
        self._local = threading.local()
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._closed = False
        self._finalizer = weakref.finalize(self, _close_all, self._open, self._pid)

    def get(self) -> sqlite3.Connection:
        """This thread's connection.

        Raises:
            KnowledgeSourceError: The source was closed.
        """
        if self._closed:
            raise KnowledgeSourceError(f"The knowledge source {self._path} is closed. Open it again.")
        if self._pid != os.getpid():
            self._after_fork()
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            # Closing happens in whichever thread ends the source, hence no check of the thread.
            uri = f"{self._path.absolute().as_uri()}?mode=ro"
            connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            with self._lock:
                self._open.append(connection)
            self._local.connection = connection
        return connection

    def close(self) -> None:
        """Closes the connections of all threads; closing twice does nothing."""
        self._closed = True
        self._finalizer()

    def _after_fork(self) -> None:
        # The parent's handles are kept, unused and unclosed: closing them here would drop the parent's locks.
        self._finalizer.detach()
        _inherited.extend(self._open)
        self._open = []
        self._local = threading.local()
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._finalizer = weakref.finalize(self, _close_all, self._open, self._pid)


_inherited: list[sqlite3.Connection] = []


def _close_all(connections: list[sqlite3.Connection], pid: int) -> None:
    if pid == os.getpid():
        while connections:
            connections.pop().close()


def partial_path(path: Path) -> Path:
    """Where a source grows until it is complete."""
    return path.with_name(path.name + ".partial")


def check_file(path: Path) -> None:
    """Makes sure that a file is a whole SQLite database before it is opened as one.

    Raises:
        KnowledgeSourceError: It is missing, empty, cut short or something else; the message says what.
    """
    if not path.exists():
        if partial_path(path).exists():
            raise KnowledgeSourceError(
                f"The registration of {path} has not ended. If it was interrupted, run the build again: it "
                "continues where it stopped."
            )
        raise KnowledgeSourceError(
            f"There is no knowledge source at {path}. Build it from a JSONL file first."
        )
    if path.is_dir():
        raise KnowledgeSourceError(f"{path} is a folder. Give the knowledge source's file.")
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise KnowledgeSourceError(f"Cannot read {path}: {error.strerror or error}.") from error
    size = path.stat().st_size
    if not head:
        raise KnowledgeSourceError(
            f"{path} is an empty file, not a knowledge source. Build or download it again."
        )
    if not head.startswith(_SQLITE):
        raise KnowledgeSourceError(f"{path} is not a knowledge source: it holds {_kind(head)}.")
    expected = _expected_size(head)
    if len(head) < 100 or size < expected:
        raise KnowledgeSourceError(
            f"{path} is cut short: {size} of {expected} bytes. Build or download it again."
        )


def _kind(head: bytes) -> str:
    stripped = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for start, kind in _KINDS:
        if stripped.startswith(start):
            return kind
    return f"data of another kind, starting with {head[:16]!r}"


def _expected_size(head: bytes) -> int:
    # SQLite's file format, section 1.3: page size at byte 16, pages at 28, valid if bytes 24 and 92 agree.
    if len(head) < 100:
        return 512
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    return (65_536 if page == 1 else page) * (pages if head[24:28] == head[92:96] else 1)
