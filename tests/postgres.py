"""A real PostgreSQL server for tests: its own data folder, its own socket, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

PASSWORD = "planted/p@ss:word%"
_USER = "tester"


def _programs() -> Path | None:
    """The folder of the server's programs; Debian keeps them off the path, by version."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: float(one.parts[-3]))
    return versions[-1].parent if versions else None


class PostgresServer:
    """A server on a socket in a temporary folder; it refuses root, who starts it as the user postgres."""

    def __init__(self, programs: Path, folder: Path, user: str | None) -> None:
        self._programs, self._folder, self._user = programs, folder, user
        secret = folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        if user is not None:
            shutil.chown(folder, user)
            shutil.chown(secret, user)
        make = ["-U", _USER, "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "--locale=C"]
        self._run("initdb", "--no-sync", *make)

    def start(self) -> None:
        options = f"-F -c listen_addresses='' -k {self._folder}"
        self._run("pg_ctl", "start", "-w", "-s", "-l", str(self._folder / "log"), "-o", options)

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-w", "-s", "-m", "immediate")

    def url(self, database: str = "postgres", password: str = PASSWORD, user: str = _USER) -> str:
        secret = quote(password, safe="")
        return f"postgresql://{user}:{secret}@/{database}?host={quote(str(self._folder), safe='')}"

    def run(self, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs statements; gives the rows of the last."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder / "data"), *arguments]
        # A file, no pipe: the server would inherit a pipe, and its end would never come.
        with (self._folder / "problems").open("wb") as problems:
            done = subprocess.run(
                command,
                user=self._user,
                group=self._user,
                extra_groups=None if self._user is None else [],
                cwd=self._folder,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=problems,
                check=False,
            )
        assert done.returncode == 0, (self._folder / "problems").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def running_postgres() -> Iterator[PostgresServer]:
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    user = "postgres" if os.getuid() == 0 else None
    if user is not None and user not in {entry.pw_name for entry in pwd.getpwall()}:
        pytest.skip("PostgreSQL refuses to run as root, and there is no user postgres")
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        server = PostgresServer(programs, Path(folder), user)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def postgres(running_postgres: PostgresServer) -> PostgresServer:
    """The server, with nothing kept in it."""
    running_postgres.run("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return running_postgres
