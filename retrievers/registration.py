"""Registering a JSONL file into one SQLite file: streaming, in batches, restartable."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from filelock import FileLock, Timeout

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.plan import Plan, Registration
from factscore_chain.retrievers.replacing import check_replaceable
from factscore_chain.retrievers.rows import check_input, digest_of
from factscore_chain.retrievers.writer import Writer


def register(plan: Plan) -> None:
    """Registers the file, continuing an interrupted registration of it where that stopped.

    Raises:
        KnowledgeSourceError: The input cannot be read or has no document, a line is bad and `strict` is set,
            the output cannot be written, or another process is registering into the same file.
        UsageError: What the output would replace is no knowledge source.
    """
    check_input(plan.source)
    check_replaceable(plan.out)
    try:
        plan.out.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(plan.out.with_name(f".{plan.out.name}.lock"), timeout=0):
            if not _continues(plan):
                _remove(plan.partial)
            done = _fill(plan)
            if not done.documents:
                _remove(plan.partial)
                why = "".join(f" {str(one)[:1].upper()}{str(one)[1:]}." for one in done.problems[:1])
                raise KnowledgeSourceError(f"{plan.input} has no document to register.{why}")
            check_replaceable(plan.out)
            os.replace(plan.partial, plan.out)
            _remove(plan.partial)
    except Timeout:
        raise KnowledgeSourceError(
            f"{plan.out} is locked by another process that is registering into it. Wait for it to end."
        ) from None
    except (OSError, sqlite3.Error) as error:
        raise KnowledgeSourceError(f"Cannot write the knowledge source {plan.out}: {error}.") from error


def is_made_from(meta: dict[str, str | int], plan: Plan) -> bool:
    """Whether a complete database holds just what the plan would register."""
    if any(meta.get(key) != value for key, value in plan.settings.items()):
        return False
    if meta.get("offset") != plan.source.stat().st_size:
        return False
    return meta.get("digest") == digest_of(plan.source).hexdigest()


def _continues(plan: Plan) -> bool:
    if not plan.partial.exists():
        return False
    try:
        with closing(sqlite3.connect(plan.partial)) as connection:
            meta = schema.read_meta(connection)
    except sqlite3.Error:
        return False
    if any(meta.get(key) != value for key, value in plan.settings.items()):
        return False
    offset = int(meta.get("offset", 0))
    if offset > plan.source.stat().st_size:
        return False
    return meta.get("digest") == digest_of(plan.source, offset).hexdigest()


def _fill(plan: Plan) -> Registration:
    fresh = not plan.partial.exists()
    with closing(sqlite3.connect(plan.partial, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
        if fresh:
            schema.create(connection)
            schema.write_meta(connection, **plan.settings, digest=hashlib.sha256().hexdigest())
        done = Writer(connection, plan).run()
        # One plain file is left, which can be read where nothing can be written.
        connection.execute("PRAGMA journal_mode = DELETE")
        return done


def _remove(partial: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        partial.with_name(partial.name + suffix).unlink(missing_ok=True)
