"""The knowledge source: documents with titles, cut into passages, in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType

from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.bm25 import checked_k
from factscore_chain.retrievers.connections import Connections, check_file
from factscore_chain.retrievers.database import Database, is_ours
from factscore_chain.retrievers.documents import passage_id
from factscore_chain.retrievers.formats.conversion import as_rows
from factscore_chain.retrievers.original import OriginalDatabase, is_original
from factscore_chain.retrievers.passages import MAX_TOKENS
from factscore_chain.retrievers.plan import Plan, Registration
from factscore_chain.retrievers.registration import is_made_from, register
from factscore_chain.retrievers.update import Changes, update_source
from factscore_chain.retrievers.workers import checked_workers
from factscore_chain.values import Passage


class Titles(Collection[str]):
    """The titles of a source, read from the file as they are asked for."""

    def __init__(self, source: KnowledgeSource) -> None:
        self._source = source

    def __len__(self) -> int:
        return self._source.document_count

    def __iter__(self) -> Iterator[str]:
        with self._source._reading():
            yield from self._source._store.titles()

    def __contains__(self, title: object) -> bool:
        with self._source._reading():
            return isinstance(title, str) and self._source._store.has(title)


class KnowledgeSource:
    """Opens a knowledge source read-only: one that `build` made, or a database of the original package.

    Any number of threads and processes may use it at once; it can be pickled, and survives a fork.

    Args:
        path: The SQLite file.

    Raises:
        KnowledgeSourceError: The file is missing, incomplete, or something else than a knowledge source.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        check_file(self.path)
        self._connections = Connections(self.path)
        try:
            with self._reading():
                self._store = self._open()
        except BaseException:
            self._connections.close()
            raise

    @classmethod
    def build(
        cls,
        documents: str | Path,
        out_path: str | Path,
        *,
        name: str | None = None,
        max_tokens: int = MAX_TOKENS,
        strict: bool = False,
        overwrite: bool = False,
        progress: bool | None = None,
        workers: int | None = None,
    ) -> KnowledgeSource:
        """Registers documents and opens the result.

        They come as a JSONL file, a folder or file of Markdown, HTML, plain text or PDF, a wiki's XML or
        CirrusSearch dump (packed by gzip or bzip2 or not), or a parquet file or a folder of them. A line of
        JSONL holds `{"title": str, "text": str | list[str]}` and, where a document has other names,
        `"redirects": list[str]`. Lines are read one after the other and written in batches, so memory stays
        flat; an interrupted build continues where it stopped when it is called again. A bad line, or one
        whose title is taken, is left out and listed in `registration`. The file takes its name only once
        complete.

        Args:
            documents: The documents; text in UTF-8. A folder's hidden files are passed over.
            out_path: The file to make.
            name: What reports call the source; the name of the input by default.
            max_tokens: Most tokens of a passage.
            strict: Stop at the first bad line instead of leaving it out.
            overwrite: Replace a knowledge source that holds something else; one that was made from the same
                content is registered anew. A file that is no knowledge source is never replaced.
            progress: Show a progress bar; by default on a terminal only.
            workers: Processes that cut and index, beside this one, which writes; 1 does all here, and None
                takes as many as there are cores. The result is the same, to the byte; a small input is never
                worth a process.

        Raises:
            UsageError: `out_path` holds something else, and `overwrite` is not set or it is no knowledge
                source; or `workers` is less than 1.
            KnowledgeSourceError: The input cannot be read, holds no document, has a bad line (`strict`), or
                another process is building the same file.
            MissingExtraError: The input needs a parser that is not installed (extra `documents`).
        """
        given, out = Path(documents), Path(out_path)
        with as_rows(given, out) as rows:
            processes = checked_workers(workers)
            plan = Plan(rows, out, name or given.stem, max_tokens, strict, progress, given, processes)
            if out.exists() and not overwrite:
                return cls._reopen(plan)
            register(plan)
        return cls(out)

    @classmethod
    def update(
        cls,
        path: str | Path,
        documents: str | Path,
        *,
        strict: bool = False,
        progress: bool | None = None,
        workers: int | None = None,
    ) -> Changes:
        """Brings a source up to date with its documents as they are now.

        New documents are added, changed ones replaced, those that are no longer there removed; all others
        keep their passages. The source then answers as one that was built anew, and has the same content
        hash. It is replaced in one step: whoever has it open goes on with what it was, and an update that is
        broken off changes nothing.

        Args:
            path: A source that `build` made.
            documents: All its documents, as `build` takes them.
            strict: Stop at the first bad line instead of leaving it out.
            progress: Show a progress bar; by default on a terminal only.
            workers: Processes that cut and index what changed; None for as many as there are cores.

        Returns:
            How many documents were added, changed, removed and kept.

        Raises:
            UsageError: `workers` is less than 1.
            KnowledgeSourceError: The source cannot be opened, or was made by another version or the original
                package; the input cannot be read, holds no document, or has a bad line (`strict`); or
                another process is writing the same file.
            MissingExtraError: The input needs a parser that is not installed (extra `documents`).
        """
        given, out, processes = Path(documents), Path(path), checked_workers(workers)
        with cls(out) as source:
            if not isinstance(source._store, Database) or source._store.version != schema.SCHEMA_VERSION:
                raise KnowledgeSourceError(
                    f"{out} was made by an older version or by the original package, and cannot be updated. "
                    "Build it again."
                )
            name, max_tokens = source.name, int(source._store.meta["max_tokens"])
        with as_rows(given, out) as rows:
            return update_source(Plan(rows, out, name, max_tokens, strict, progress, given, processes))

    @classmethod
    def _reopen(cls, plan: Plan) -> KnowledgeSource:
        existing = cls(plan.out)
        store = existing._store
        if isinstance(store, Database) and plan.source.is_file() and is_made_from(store.meta, plan):
            return existing
        existing.close()
        raise UsageError(
            f"{plan.out} exists and was not made by this version from {plan.input} as it is now. Give "
            "another path, update it (factscore kb update), or replace it (--overwrite, overwrite=True)."
        )

    @property
    def name(self) -> str:
        """What reports call the source."""
        return self._store.name

    @property
    def built(self) -> str:
        """When it was registered: date and time in ISO 8601, UTC."""
        return self._store.built

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over titles, redirects and passages, in 64 hex digits; equal content, equal hash."""
        with self._reading():
            return self._store.content_hash()

    @property
    def document_count(self) -> int:
        """Number of documents."""
        return self._store.document_count

    @property
    def passage_count(self) -> int | None:
        """Number of passages; None in a database of the original, where nothing counts them."""
        return self._store.passage_count

    @property
    def registration(self) -> Registration | None:
        """What became of the input's lines; None in a database of the original."""
        return self._store.registration

    @property
    def titles(self) -> Titles:
        """All titles, in the order of registration."""
        return Titles(self)

    def resolve(self, title: str) -> str:
        """The title of the one document that is meant; never a guess.

        Args:
            title: Exact, or different in case, underscores, Unicode form, accents or white space, or a
                declared redirect.

        Raises:
            AmbiguousTitleError: Several documents may be meant.
            TitleNotFoundError: None is; near titles are listed.
        """
        with self._reading():
            return self._store.resolve(title)

    def find(self, name: str) -> str | None:
        """The title of the one document that bears a name or redirect; None if none or several do."""
        with self._reading():
            return self._store.find(name)

    def namesakes(self, name: str) -> tuple[str, ...]:
        """The titles of all documents that bear a name, by itself or with a qualifier in brackets."""
        with self._reading():
            return tuple(self._store.namesakes(name))

    def passages(self, title: str) -> tuple[Passage, ...]:
        """The passages of the document that `resolve` finds, in the order of the text.

        Raises:
            AmbiguousTitleError: Several documents may be meant.
            TitleNotFoundError: None is.
        """
        with self._reading():
            name = self._store.resolve(title)
            texts = self._store.texts(name)
        return tuple(Passage(passage_id(name, text), text, name) for text in texts)

    def search(self, query: str, k: int = 5) -> tuple[Passage, ...]:
        """The passages of the whole source that match a query best by BM25, best first.

        Args:
            query: Any text; operators and quotes have no meaning.
            k: Most passages wanted. Passages that share no word with the query are never returned.

        Raises:
            UsageError: k is negative.
            KnowledgeSourceError: It is a database of the original, which has no full-text index.
        """
        if checked_k(k) == 0:
            return ()
        with self._reading():
            rows = self._store.search(query, k)
        found: dict[str, Passage] = {}
        for title, text, score in rows:
            key = passage_id(title, text)
            found.setdefault(
                key, Passage(key, text, title, rank=len(found) + 1, score=score, origins=("bm25",))
            )
        return tuple(found.values())

    def all_passages(self) -> Iterator[Passage]:
        """Every passage, document by document, read from the file as they are asked for."""
        with self._reading():
            for title, text in self._store.all_passages():
                yield Passage(passage_id(title, text), text, title)

    def close(self) -> None:
        """Closes the file; the source cannot be used any more."""
        self._store.close()
        self._connections.close()

    def __enter__(self) -> KnowledgeSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[type[KnowledgeSource], tuple[Path]]:
        return type(self), (self.path,)

    def __repr__(self) -> str:
        return f"KnowledgeSource({str(self.path)!r})"

    def _open(self) -> Database | OriginalDatabase:
        connection = self._connections.get()
        if is_ours(connection):
            return Database(self.path, self._connections)
        if is_original(connection):
            return OriginalDatabase(self.path, self._connections)
        raise KnowledgeSourceError(
            f"{self.path} is an SQLite database, but not a knowledge source. Build one from a JSONL file."
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise KnowledgeSourceError(f"Cannot read {self.path}: {error}. Build it again.") from error
