"""Embedding a knowledge source into Chroma: in batches, restartable, by one process at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout
from tqdm import tqdm

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.embedder_record import EmbedderRecord
from factscore_chain.retrievers.kept_vectors import KeptVectors, vectors_beside
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vector_store import Place, store_errors
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection
    from langchain_core.embeddings import Embeddings

_BATCH = 512
"""Passages embedded before they are stored: the most that an interruption can cost."""
_COMPLETE = "complete"
# Chroma's defaults lose passages of near-equal texts: of 2,000 that differ by one number, a fifth were not
# found by their own text. With these hardly any is, for half as much time again.
_GRAPH: CreateHNSWConfiguration = {
    "space": "cosine",
    "max_neighbors": 64,
    "ef_construction": 200,
    "ef_search": 300,
}


def collection_name(source: KnowledgeSource) -> str:
    """The name of a source's collection, which follows from its content."""
    return f"factscore-{source.content_hash[:40]}"


def is_complete(collection: Collection) -> bool:
    """Whether every passage of the source has its vector."""
    return bool(collection.metadata.get(_COMPLETE))


def build_index(source: KnowledgeSource, embeddings: Embeddings, place: Place, progress: bool | None) -> None:
    """Embeds the passages that have no vector yet; see `VectorIndex.build`."""
    record = EmbedderRecord.of(embeddings)
    try:
        with _lock(place):
            client = place.open()
            try:
                with store_errors(place):
                    collection = _collection(client, source, record, place)
                    if not is_complete(collection):
                        _fill(client, collection, source, embeddings, progress)
            finally:
                place.close(client)
    except Timeout:
        raise KnowledgeSourceError(
            f"The vector index {place} is locked by another process that is building it. Wait for it to end."
        ) from None


def _lock(place: Place) -> AbstractContextManager[Any]:
    # A server takes care of its writers itself, and ids that follow from content make double work harmless.
    if place.folder is None:
        return nullcontext()
    place.folder.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(place.folder.with_name(f".{place.folder.name}.lock"), timeout=0)


def _collection(
    client: ClientAPI, source: KnowledgeSource, record: EmbedderRecord, place: Place
) -> Collection:
    metadata = {**record.to_metadata(), "source": source.name, "content_hash": source.content_hash}
    collection = client.get_or_create_collection(
        collection_name(source),
        metadata=metadata,
        embedding_function=None,
        configuration={"hnsw": _GRAPH},
    )
    EmbedderRecord.from_metadata(collection.metadata).check(record, str(place))
    return collection


def _fill(
    client: ClientAPI,
    collection: Collection,
    source: KnowledgeSource,
    embeddings: Embeddings,
    progress: bool | None,
) -> None:
    size = max(1, min(_BATCH, client.get_max_batch_size()))
    hidden = None if progress is None else not progress
    kept = KeptVectors(vectors_beside(source.path), embeddings)
    with tqdm(total=source.passage_count, unit="passage", desc=source.name, disable=hidden) as bar:
        for batch in _batches(source.all_passages(), size):
            distinct = {passage.id: passage for passage in batch}
            stored = set(collection.get(ids=list(distinct), include=[])["ids"])
            missing = [passage for key, passage in distinct.items() if key not in stored]
            if missing:
                _store(collection, missing, kept)
            bar.update(len(batch))
    collection.modify(metadata={**collection.metadata, _COMPLETE: True})


def _store(collection: Collection, passages: Sequence[Passage], kept: KeptVectors) -> None:
    collection.upsert(
        ids=[passage.id for passage in passages],
        embeddings=kept.of(passages),
        documents=[passage.text for passage in passages],
        metadatas=[{"title": passage.title or ""} for passage in passages],
    )


def _batches(passages: Iterator[Passage], size: int) -> Iterator[list[Passage]]:
    while batch := list(islice(passages, size)):
        yield batch
