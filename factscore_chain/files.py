"""Writes files so that nobody finds half of one."""

from __future__ import annotations

import os
from pathlib import Path

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
    """Writes a file so that it is either whole or as it was.

    Raises:
        FactScoreError: It cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise FactScoreError(f"{str(path)!r} could not be written: {error.strerror}.") from error
