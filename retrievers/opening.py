"""Opens whatever names a knowledge source; a JSONL file is registered once and then starts at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from filelock import FileLock, Timeout
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from platformdirs import user_cache_path

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.embedding import embedder_name
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.formats.conversion import KINDS, ROWS, reader_of
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.schema import SCHEMA_VERSION
from factscore_chain.retrievers.topical import TopicRetriever
from factscore_chain.retrievers.vectors import VectorIndex

if TYPE_CHECKING:
    from hashlib import _Hash

AnyKnowledge: TypeAlias = "KnowledgeSource | BaseRetriever | str | Path"

CACHE_VARIABLE = "FACTSCORE_CACHE"
"""Environment variable that names the cache folder in place of the user's own."""


def cache_folder() -> Path:
    """Where registered sources are kept: $FACTSCORE_CACHE, else the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) if named else user_cache_path("factscore-chain")


PATIENCE = 600
"""Seconds that a process waits for another one that is registering the same file."""

EMBEDDED_AT_ONCE = 2_000
"""Passages up to which a JSONL file gets a vector index as it is registered: some seconds of work, once."""


def open_knowledge(path: str | Path, embeddings: Embeddings | None = None) -> KnowledgeSource:
    """Opens a registered database, or registers documents into the cache.

    A JSONL file is known again by its content, everything else by its files' names, sizes and times.

    A small source gets its vector index at once, so that a search without a topic has both legs; for a
    large one that is `factscore kb build --vectors`.

    Args:
        path: The database, or what `KnowledgeSource.build` takes.
        embeddings: What the index of documents is made by; None for the shipped encoder.

    Raises:
        KnowledgeSourceError: Nothing is there, or it is neither.
        MissingExtraError: The documents need a parser that is not installed (extra `documents`).
    """
    path = Path(path)
    if not path.exists():
        raise KnowledgeSourceError(
            f"There is no knowledge source at {str(path)!r}. Give {KINDS}, or a database made by "
            "`factscore kb build`."
        )
    reader = reader_of(path)
    if reader is None and path.suffix.lower() not in ROWS:
        return KnowledgeSource(path)
    key = _content_key(path, embeddings) if reader is None else _stamp_key(path, embeddings)
    database = cache_folder() / "knowledge" / f"{path.stem}-{key}.db"
    database.parent.mkdir(parents=True, exist_ok=True)
    with _turn(database):
        known = reader is not None and database.exists()
        source = KnowledgeSource(database) if known else KnowledgeSource.build(path, database)
        if (source.passage_count or 0) <= EMBEDDED_AT_ONCE:
            VectorIndex.build(source, embeddings)
    return source


@contextmanager
def _turn(database: Path) -> Iterator[None]:
    """Waits while another process registers or opens the same file: tests often start several at once."""
    try:
        with FileLock(database.with_name(f".{database.name}.turn"), timeout=PATIENCE):
            yield
    except Timeout:
        raise KnowledgeSourceError(
            f"Another process has been registering into {database} for {PATIENCE} s. Wait for it to end, or "
            "register the file once with `factscore kb build` and name the database."
        ) from None


def open_elsewhere(place: str | Path, embeddings: Embeddings | None = None) -> TopicRetriever | None:
    """Opens a source that is kept elsewhere than in a file; None where `place` names documents or a database.

    Args:
        place: A collection on a Chroma server, `chroma://HOST:PORT/COLLECTION`; or a YAML file that describes
            a LangChain vector store.
        embeddings: What embeds queries; None for what the description says, else the shipped encoder.

    Raises:
        UsageError: The URL or the description cannot be read.
        KnowledgeSourceError: The collection or the store cannot be opened.
    """
    if isinstance(place, str) and "://" in place:
        from factscore_chain.retrievers.chroma import ChromaRetriever

        return ChromaRetriever(place, embeddings)
    if Path(place).suffix.lower() in {".yaml", ".yml"}:
        from factscore_chain.retrievers.described import open_described

        return open_described(Path(place), embeddings)
    return None


def as_retriever(knowledge: AnyKnowledge) -> BaseRetriever:
    """Makes a retriever of a knowledge source, what names one, or a retriever.

    Raises:
        KnowledgeSourceError, UsageError: See `open_elsewhere` and `open_knowledge`.
    """
    if isinstance(knowledge, BaseRetriever):
        return knowledge
    if isinstance(knowledge, (str, Path)) and (elsewhere := open_elsewhere(knowledge)) is not None:
        return elsewhere
    source = knowledge if isinstance(knowledge, KnowledgeSource) else open_knowledge(knowledge)
    return KnowledgeRetriever(source=source)


def _digest(embeddings: Embeddings | None) -> _Hash:
    # An index belongs to one embedder, so each has its own copy of the source to stand beside; what an older
    # version has laid out otherwise is registered anew.
    embedder = "" if embeddings is None else embedder_name(embeddings)
    return sha256(f"{SCHEMA_VERSION}\0{embedder}\0".encode())


def _stamp_key(path: Path, embeddings: Embeddings | None) -> str:
    """Stands for what has to be parsed: to read it all again takes as long as to register it."""
    digest = _digest(embeddings)
    parts = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    for part in parts:
        found = part.stat()
        digest.update(f"{part.absolute()}\0{found.st_size}\0{found.st_mtime_ns}\n".encode("utf-8", "replace"))
    return digest.hexdigest()[:16]


def _content_key(path: Path, embeddings: Embeddings | None) -> str:
    digest = _digest(embeddings)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]
