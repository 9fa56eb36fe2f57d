"""What a build may put its result in place of: nothing but knowledge sources."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from factscore_chain.errors import UsageError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.original import is_original

_MARK_AT = slice(68, 72)
"""Where SQLite's header keeps the application id (its file format, section 1.3)."""


def check_replaceable(path: Path) -> None:
    """Makes sure that nothing but a knowledge source would be lost, were a file replaced.

    A source of ours is known by its header, so one of another version, or damaged behind it, may go too; so
    may a database of the original package, and an empty file.

    Raises:
        UsageError: The file is something else, or a folder.
    """
    if not path.exists():
        return
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(100)
        mark = schema.APPLICATION_ID.to_bytes(4, "big")
        if (
            not head
            or (head.startswith(b"SQLite format 3\0") and head[_MARK_AT] == mark)
            or _is_original(path)
        ):
            return
    raise UsageError(
        f"{path} is not a knowledge source, so it is not overwritten. Give another path, or remove it."
    )


def _is_original(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return is_original(connection)
    except sqlite3.Error:
        return False
