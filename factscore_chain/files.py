"""Writes files so that nobody finds half of one, and nobody else reads what users wrote."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from factscore_chain.errors import FactScoreError, UsageError


def check_writable(path: Path | None) -> None:
    """Finds out before the work whether a report can be written after it.

    Raises:
        UsageError: It cannot.
    """
    if path is None:
        return
    target = path if path.exists() else path.parent
    if path.is_dir() or not target.exists() or not os.access(target, os.W_OK):
        raise UsageError(
            f"The report cannot be written to {str(path)!r}. Give a file in a folder you may write."
        )


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that it is either whole or as it was; a new one is its user's alone.

    Raises:
        FactScoreError: It cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        part.unlink(missing_ok=True)
        with open(part, "w", encoding="utf-8", opener=_private) as file:
            file.write(text)
        part.chmod(mode)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise FactScoreError(f"{str(path)!r} could not be written: {error.strerror}.") from error


def private_append(path: Path) -> IO[bytes]:
    """Opens a file to add to it; a new one is its user's alone."""
    return open(path, "ab", opener=_private)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)
