"""Registering a JSONL file into one SQLite file: streaming, in batches, restartable."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from filelock import FileLock, Timeout
from tqdm import tqdm

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.connections import partial_path
from factscore_chain.retrievers.passages import MAX_TOKENS, cut_many
from factscore_chain.retrievers.rows import Line, Position, Row, RowReader, check_input, digest_of
from factscore_chain.retrievers.terms import store_common
from factscore_chain.retrievers.titles import folded, insert_names
from factscore_chain.retrievers.tokenize import TOKENIZER_VERSION, tokens

_BATCH_BYTES = 2_000_000
_BATCH_ROWS = 2_000
_KEPT_PROBLEMS = 100


@dataclass(frozen=True)
class LineProblem:
    """A line of the input that was left out, and why."""

    line: int
    problem: str


@dataclass
class Registration:
    """What became of the lines of a file."""

    documents: int = 0
    passages: int = 0
    bad_lines: int = 0
    """Lines that hold no document; the other lines were registered all the same."""
    duplicates: int = 0
    """Documents whose title was taken already; the first keeps it."""
    problems: list[LineProblem] = field(default_factory=list)
    """The first 100 bad or duplicate lines."""

    def note(self, line: int, problem: str) -> None:
        """Remembers why a line was left out."""
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(LineProblem(line, problem))

    @classmethod
    def from_json(cls, text: str) -> Registration:
        """Reads back what `to_json` wrote."""
        data = json.loads(text)
        return cls(**{**data, "problems": [LineProblem(**problem) for problem in data["problems"]]})

    def to_json(self) -> str:
        """As stored in the database."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Plan:
    """What is to be registered, where, and how."""

    source: Path
    out: Path
    name: str
    max_tokens: int = MAX_TOKENS
    strict: bool = False
    progress: bool | None = None

    @property
    def partial(self) -> Path:
        """The file that grows; it takes its final name only when complete."""
        return partial_path(self.out)

    @property
    def settings(self) -> dict[str, str | int]:
        """What a database must have been made with to be continued or reused."""
        return {
            "max_tokens": self.max_tokens,
            "tokenizer": TOKENIZER_VERSION,
            "schema": schema.SCHEMA_VERSION,
        }


def register(plan: Plan) -> None:
    """Registers the file, continuing an interrupted registration of it where that stopped.

    Raises:
        KnowledgeSourceError: The input cannot be read or has no document, a line is bad and `strict` is set,
            the output cannot be written, or another process is registering into the same file.
    """
    check_input(plan.source)
    try:
        plan.out.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(plan.out.with_name(f".{plan.out.name}.lock"), timeout=0):
            if not _continues(plan):
                _remove(plan.partial)
            done = _fill(plan)
            if not done.documents:
                _remove(plan.partial)
                why = "".join(f" Line {p.line}: {p.problem}." for p in done.problems[:1])
                raise KnowledgeSourceError(f"{plan.source} has no document to register.{why}")
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
        done = _Writer(connection, plan).run()
        # One plain file is left, which can be read where nothing can be written.
        connection.execute("PRAGMA journal_mode = DELETE")
        return done


class _Writer:
    """Writes batches of rows, each in one transaction together with how far the input was read."""

    def __init__(self, connection: sqlite3.Connection, plan: Plan) -> None:
        self._connection = connection
        self._plan = plan
        meta = schema.read_meta(connection)
        self._done = (
            Registration.from_json(str(meta["registration"])) if "registration" in meta else Registration()
        )
        self._chain = bytes.fromhex(str(meta.get("content_hash", "")))
        self._next_name = self._last("names") + 1
        offset, line = int(meta.get("offset", 0)), int(meta.get("line", 0))
        self._position = Position(offset, line, digest_of(plan.source, offset))

    def run(self) -> Registration:
        """Reads the rest of the input and completes the database."""
        plan, start = self._plan, self._position.offset
        show = None if plan.progress is None else not plan.progress
        size = plan.source.stat().st_size
        with (
            plan.source.open("rb") as file,
            tqdm(total=size, initial=start, unit="B", unit_scale=True, desc=plan.name, disable=show) as bar,
        ):
            for batch in _batches(RowReader(file, self._position)):
                self._write(batch)
                bar.update(self._position.offset - bar.n)
        self._complete()
        return self._done

    def _write(self, lines: Sequence[Line]) -> None:
        with _transaction(self._connection):
            rows = list(self._accepted(lines))
            cut = cut_many([row.text for row in rows], self._plan.max_tokens)
            for row, passages in zip(rows, cut, strict=True):
                self._insert(row, passages)
            self._save()

    def _accepted(self, lines: Sequence[Line]) -> Iterator[Row]:
        seen: set[str] = set()
        for line in lines:
            if line.problem is not None:
                self._reject(line)
            elif line.row is not None and (line.row.title in seen or self._is_taken(line.row.title)):
                self._done.duplicates += 1
                self._done.note(line.number, f"the title {line.row.title!r} is taken; the first keeps it")
            elif line.row is not None:
                seen.add(line.row.title)
                yield line.row

    def _reject(self, line: Line) -> None:
        if self._plan.strict:
            raise KnowledgeSourceError(f"Line {line.number} of {self._plan.source}: {line.problem}.")
        self._done.bad_lines += 1
        self._done.note(line.number, str(line.problem))

    def _is_taken(self, title: str) -> bool:
        sql = "SELECT 1 FROM names WHERE folded = ? AND name = ? AND redirect = 0"
        return self._connection.execute(sql, (folded(title), title)).fetchone() is not None

    def _insert(self, row: Row, passages: Sequence[str]) -> None:
        document, first = self._done.documents + 1, self._done.passages + 1
        insert = self._connection.executemany
        insert("INSERT INTO documents VALUES (?, ?, ?, ?)", [(document, row.title, first, len(passages))])
        insert(
            "INSERT INTO passages VALUES (?, ?, ?)",
            [(first + i, document, p) for i, p in enumerate(passages)],
        )
        title = " ".join(tokens(row.title))
        insert(
            "INSERT INTO passage_terms(rowid, title, text) VALUES (?, ?, ?)",
            [(first + i, title, " ".join(tokens(p))) for i, p in enumerate(passages)],
        )
        names = [row.title, *(name for name in dict.fromkeys(row.redirects) if name != row.title)]
        insert_names(
            self._connection,
            [(self._next_name + i, name, document, i > 0) for i, name in enumerate(names)],
        )
        self._next_name += len(names)
        self._done.documents += 1
        self._done.passages += len(passages)
        self._chain = chained(self._chain, row.title, row.redirects, passages)

    def _save(self, **more: str | int) -> None:
        assert self._position.digest is not None  # noqa: S101  set by __post_init__
        schema.write_meta(
            self._connection,
            offset=self._position.offset,
            line=self._position.line,
            digest=self._position.digest.hexdigest(),
            registration=self._done.to_json(),
            content_hash=self._chain.hex(),
            **more,
        )

    def _complete(self) -> None:
        with _transaction(self._connection):
            store_common(self._connection, "passage_terms", "common_terms")
            store_common(self._connection, "name_grams", "common_grams")
            built = datetime.now(timezone.utc).isoformat(timespec="seconds")
            self._save(name=self._plan.name, built=built, complete=1)

    def _last(self, table: str) -> int:
        row = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()  # noqa: S608  our own name
        return int(row[0] or 0)


def chained(chain: bytes, title: str, redirects: Sequence[str], passages: Sequence[str]) -> bytes:
    """Adds a document to the hash of a source's content; independent of how documents were batched."""
    content = json.dumps([title, list(redirects), list(passages)], ensure_ascii=False)
    return hashlib.sha256(chain + content.encode()).digest()


class _transaction:  # noqa: N801  reads as a keyword
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN")

    def __exit__(self, kind: object, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _batches(lines: RowReader) -> Iterator[list[Line]]:
    batch: list[Line] = []
    start = lines.position.offset
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH_ROWS or line.end - start >= _BATCH_BYTES:
            yield batch
            batch, start = [], line.end
    if batch:
        yield batch


def _remove(partial: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        partial.with_name(partial.name + suffix).unlink(missing_ok=True)
