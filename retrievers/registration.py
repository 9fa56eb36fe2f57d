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
from factscore_chain.retrievers.pending import Pending, pending_path
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
    if offset > plan.source.stat().st_size or not _goes_with(meta, plan):
        return False
    return meta.get("digest") == digest_of(plan.source, offset).hexdigest()


def _goes_with(meta: dict[str, str | int], plan: Plan) -> bool:
    """Whether all that waits for its block is there; what the source never committed is dropped."""
    stop = Registration.from_json(str(meta["registration"])).passages if "registration" in meta else 0
    start = stop // schema.BLOCK * schema.BLOCK
    with closing(Pending(pending_path(plan.partial))) as pending:
        pending.forget_from(stop)
        pending.forget_before(start)
        first, end = pending.first_id(), pending.next_id()
    return start == stop if first is None else first <= start and end == stop


def _fill(plan: Plan) -> Registration:
    fresh = not plan.partial.exists()
    with (
        closing(sqlite3.connect(plan.partial, isolation_level=None)) as connection,
        closing(Pending(pending_path(plan.partial))) as pending,
    ):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
        if fresh:
            schema.create(connection)
            schema.write_meta(connection, **plan.settings, digest=hashlib.sha256().hexdigest())
        done = Writer(connection, pending, plan).run()
        # One plain file is left, which can be read where nothing can be written.
        connection.execute("PRAGMA journal_mode = DELETE")
        return done


def _remove(partial: Path) -> None:
    for file in (partial, pending_path(partial)):
        for suffix in ("", "-wal", "-shm", "-journal"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
