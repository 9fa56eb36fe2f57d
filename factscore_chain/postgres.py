"""What runs keep, in PostgreSQL, so that several machines may share it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from factscore_chain.errors import MissingExtraError, UsageError
from factscore_chain.storage import StorageError

if TYPE_CHECKING:
    import psycopg
    from psycopg.sql import Composed

_log = logging.getLogger(__name__)

PATIENCE_SECONDS = 300.0
"""How long a lost server is waited for: as long as a restart or a failover takes."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_AT_ONCE = 500
"""Keys of one statement."""
_LOCK = 0x4653_4350
"""Of PostgreSQL's advisory locks, the one under which our tables are made."""
_DEFAULTS = {
    "application_name": "factscore-chain",
    "client_encoding": "utf8",
    "connect_timeout": "10",
    # A server that vanished without a word is noticed within about a minute, not after hours.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}


class PostgresStore:
    """See `Store`; kinds are tables `factscore_KIND` in the first schema of the user's search path.

    It is connected to at once. A connection that is lost is made again, and the statement repeated, which
    changes nothing where it had been done already. Only when the server stays away is that an error.

    Args:
        url: `postgresql://USER@HOST:PORT/DATABASE`, with whatever else libpq reads.

    Raises:
        UsageError: The URL cannot be read, or the database cannot be reached or used.
        MissingExtraError: psycopg is not installed (extra `postgres`).
    """

    def __init__(self, url: str) -> None:
        self._parameters = _read(url)
        self._lock = threading.Lock()
        self._opened: tuple[int, psycopg.Connection[Any]] | None = None
        self._inherited: list[psycopg.Connection[Any]] = []
        self._tables: set[str] = set()
        self._given_up = False
        self._check()

    @property
    def location(self) -> str:
        """Host and database, without user or password."""
        parts = self._parameters
        port = f":{parts['port']}" if parts.get("port") else ""
        return f"postgresql://{parts.get('host') or 'localhost'}{port}/{parts.get('dbname') or ''}"

    def __repr__(self) -> str:
        return f"PostgresStore({self.location!r})"

    def find(self, kind: str, keys: Iterable[str]) -> dict[str, str]:
        """The texts that are kept; see `Store`."""
        wanted, found = iter(keys), dict[str, str]()
        while some := list(islice(wanted, _AT_ONCE)):
            found.update(self._run(kind, "SELECT key, value FROM {table} WHERE key = ANY(%s)", some))
        return found

    def keep(self, kind: str, texts: Mapping[str, str]) -> None:
        """Keeps texts; see `Store`."""
        if texts:
            self._run(
                kind,
                "INSERT INTO {table} (key, value) SELECT * FROM unnest(%s::text[], %s::text[]) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                *map(list, zip(*sorted(texts.items()), strict=True)),
            )

    def keys(self, kind: str) -> list[str]:
        """All keys of one kind; see `Store`."""
        return [row[0] for row in self._run(kind, 'SELECT key FROM {table} ORDER BY key COLLATE "C"')]

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._drop()

    def __del__(self) -> None:
        if hasattr(self, "_lock"):  # else the URL was refused
            self.close()

    def _run(self, kind: str, statement: str, *parameters: list[str]) -> list[tuple[Any, ...]]:
        import psycopg

        with self._lock:
            # Who gave up once tries once more each time, so that many threads do not wait one after another.
            deadline = time.monotonic() + (0 if self._given_up else PATIENCE_SECONDS)
            pause = _FIRST_PAUSE
            while True:
                try:
                    found = self._once(kind, statement, parameters)
                except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                    self._drop()
                    if time.monotonic() + pause >= deadline:
                        self._given_up = True
                        raise StorageError(_reason(error)) from None
                    self._say_once(pause, error)
                except psycopg.Error as error:
                    raise StorageError(_reason(error)) from None
                else:
                    self._given_up = False
                    return found
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _once(self, kind: str, statement: str, parameters: tuple[list[str], ...]) -> list[tuple[Any, ...]]:
        cursor = self._connection(kind).execute(_composed(statement, kind), parameters)
        return cursor.fetchall() if cursor.description else []

    def _say_once(self, pause: float, error: Exception) -> None:
        if pause == _FIRST_PAUSE:
            _log.warning("%s was lost (%s). Trying to reach it again.", self.location, _reason(error))

    def _check(self) -> None:
        import psycopg

        try:
            self._connection()
        except (psycopg.Error, StorageError) as error:
            raise UsageError(f"{self.location!r} cannot be used ({_reason(error)}).") from None

    def _connection(self, kind: str | None = None) -> psycopg.Connection[Any]:
        # A connection must not be used in a child process that was forked with it, nor closed there.
        if self._opened is not None and self._opened[0] != os.getpid():
            self._inherited.append(self._opened[1])
            self._opened = None
        if self._opened is None:
            self._opened = (os.getpid(), _connect(self._parameters))
            self._tables.clear()
        connection = self._opened[1]
        if kind is not None and kind not in self._tables:
            _make_table(connection, kind)
            self._tables.add(kind)
        return connection

    def _drop(self) -> None:
        if self._opened is not None and self._opened[0] == os.getpid():
            self._opened[1].close()
            self._opened = None


def _read(url: str) -> dict[str, Any]:
    """The parts of a URL.

    Raises:
        UsageError: It cannot be read. Nothing of it is quoted, since any piece may belong to the password.
        MissingExtraError: psycopg is not installed.
    """
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise MissingExtraError("Keeping things in PostgreSQL", "postgres") from error
    try:
        parts: dict[str, Any] = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        parts = {"port": "?"}
    # A password with a bare "/" or "@" in it is read as part of the host, port or database.
    named = f"{parts.get('host') or ''}{parts.get('dbname') or ''}"
    if "@" in named or not str(parts.get("port") or "0").replace(",", "").isdecimal():
        raise UsageError(
            "The URL of the database cannot be read. Write postgresql://USER@HOST:PORT/DATABASE, with "
            "special characters of a password percent-encoded; or leave the password out and set PGPASSWORD."
        )
    return {**_DEFAULTS, **parts}


def _connect(parameters: dict[str, Any]) -> psycopg.Connection[Any]:
    """Connects.

    Raises:
        StorageError: The database cannot hold every text.
    """
    import psycopg

    # Poolers between here and the server know nothing of statements that were prepared.
    connection = psycopg.connect("", autocommit=True, prepare_threshold=None, **parameters)
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        raise StorageError(f"its encoding is {encoding}, and texts need one whose encoding is UTF8")
    return connection


def _make_table(connection: psycopg.Connection[Any], kind: str) -> None:
    (there,) = connection.execute("SELECT to_regclass(%s)", (_table(kind),)).fetchone() or (None,)
    if there is not None:
        return  # whoever may not make it may use it
    with connection.transaction():
        # PostgreSQL does not wait where two sessions make one table at the same time.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        columns = "(key text PRIMARY KEY, value text NOT NULL)"
        connection.execute(_composed(f"CREATE TABLE IF NOT EXISTS {{table}} {columns}", kind))


def _table(kind: str) -> str:
    return f"factscore_{kind}"


def _composed(statement: str, kind: str) -> Composed:
    from psycopg import sql

    # Every statement is a constant of this module, which psycopg asks for by its type.
    return sql.SQL(cast("Any", statement)).format(table=sql.Identifier(_table(kind)))


def _reason(error: Exception) -> str:
    """What went wrong, in one line; the driver quotes no password."""
    return " ".join(str(error).split()) or type(error).__name__
