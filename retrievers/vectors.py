"""Vectors of a whole knowledge source, in Chroma."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.bm25 import checked_k
from factscore_chain.retrievers.embedder_record import EmbedderRecord
from factscore_chain.retrievers.embedding import Vectors, default_embeddings, embed_queries
from factscore_chain.retrievers.exact import EXACT_UP_TO, ExactVectors
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.topic_index import clamped
from factscore_chain.retrievers.vector_build import build_index, collection_name, is_complete
from factscore_chain.retrievers.vector_store import Place, store_errors
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from langchain_chroma import Chroma
    from langchain_core.embeddings import Embeddings


def folder_beside(source: KnowledgeSource) -> Path:
    """Where the index of a source is kept unless another place is named."""
    return source.path.with_name(source.path.name + ".chroma")


def open_beside(source: KnowledgeSource, embeddings: Embeddings | None) -> VectorIndex | None:
    """The index beside a source; None if none was built, or if its building has not ended.

    Raises:
        KnowledgeSourceError: It was made by another embedder.
    """
    place = Place(folder_beside(source))
    if not place.exists:
        return None
    client = place.open()
    try:
        with store_errors(place):
            found = _find(client, source)
        if found is None or not is_complete(found):
            return None
        return VectorIndex(source, embeddings)
    finally:
        place.close(client)


class VectorIndex:
    """Opens the vector index of a source, which `build` made.

    The collection's name follows from the source's content, so sources never mix, and a source that changed
    needs a new index. It records which embedder made it. Threads may share it; a forked process must open its
    own, since the store does not survive a fork.

    Args:
        source: The knowledge source.
        embeddings: Any LangChain embeddings; None for the shipped encoder.
        folder: Where Chroma keeps its files; `<source>.chroma` by default.
        url: A Chroma server in place of a folder, as "http://localhost:8000".
        client: An open Chroma client in place of both.

    Raises:
        KnowledgeSourceError: The index was not built to its end, or by another embedder, or the store fails.
        UsageError: The address is not one of a server.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        embeddings: Embeddings | None = None,
        *,
        folder: str | Path | None = None,
        url: str | None = None,
        client: ClientAPI | None = None,
    ) -> None:
        self._source = source
        self._embeddings = embeddings or default_embeddings()
        self._place = _place(source, folder, url, client)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._held: ExactVectors | None = None
        if not self._place.exists:
            raise KnowledgeSourceError(f"There is no vector index at {self._place}. Build it first.")
        self._client = self._place.open()
        try:
            self._collection = self._checked_collection()
        except BaseException:
            self.close()
            raise

    @classmethod
    def build(
        cls,
        source: KnowledgeSource,
        embeddings: Embeddings | None = None,
        *,
        folder: str | Path | None = None,
        url: str | None = None,
        client: ClientAPI | None = None,
        progress: bool | None = None,
    ) -> VectorIndex:
        """Embeds every passage of a source that has no vector yet, and opens the index.

        What an interrupted build embedded is kept: calling it again embeds the rest only.

        Args:
            source: The knowledge source.
            embeddings: Any LangChain embeddings; None for the shipped encoder.
            folder: Where Chroma keeps its files; `<source>.chroma` by default.
            url: A Chroma server in place of a folder.
            client: An open Chroma client in place of both.
            progress: Show a progress bar; by default on a terminal only.

        Raises:
            KnowledgeSourceError: Another embedder began the index, another process is building it (only
                noticed for a folder), or the store fails.
            UsageError: The address is not one of a server.
        """
        embeddings = embeddings or default_embeddings()
        place = _place(source, folder, url, client)
        build_index(source, embeddings, place, progress)
        return cls(source, embeddings, folder=folder, url=url, client=client)

    def __len__(self) -> int:
        with self._using():
            return int(self._collection.count())

    def search(self, query: str, k: int = 5) -> tuple[Passage, ...]:
        """The k passages whose vectors are nearest to the query's, best first.

        Exact for an index of up to 20,000 passages; by the store's graph, which may miss some, for a larger
        one. Scores are cosines in 0..1; higher is better.

        Raises:
            UsageError: k is negative.
        """
        return tuple(self.search_many([query], k)[0])

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """Searches for several queries, embedding all of them together.

        Raises:
            UsageError: k is negative.
        """
        if checked_k(k) == 0 or not queries:
            return [[] for _ in queries]
        vectors = embed_queries(self._embeddings, queries)
        with self._using():
            if self._collection.count() <= EXACT_UP_TO:
                return self._exact().search(vectors, k)
            found = self._collection.query(
                query_embeddings=vectors,
                n_results=k,
                include=["documents", "metadatas", "distances"],
            )
        columns = (found["ids"], found["documents"], found["metadatas"], found["distances"])
        return [_passages(*row) for row in zip(*map(_present, columns), strict=True)]

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Stored unit vectors of passages, by id; ids that are not stored are left out."""
        with self._using():
            found = self._collection.get(ids=list(ids), include=["embeddings"])
        stored = _present(found["embeddings"])
        return {
            key: np.asarray(vector, dtype=np.float32)
            for key, vector in zip(found["ids"], stored, strict=True)
        }

    def as_vectorstore(self) -> Chroma:
        """The same collection as a LangChain vector store, for other retrievers to build on."""
        from langchain_chroma import Chroma

        return Chroma(
            client=self._client,
            collection_name=self._collection.name,
            embedding_function=self._embeddings,
            create_collection_if_not_exists=False,
        )

    def close(self) -> None:
        """Closes the store, unless the client was given."""
        self._place.close(self._client)

    def _exact(self) -> ExactVectors:
        with self._lock:
            if self._held is None:
                self._held = ExactVectors.read(self._collection)
            return self._held

    def _checked_collection(self) -> Collection:
        with store_errors(self._place):
            collection = _find(self._client, self._source)
        if collection is None:
            raise KnowledgeSourceError(
                f"The vector store {self._place} has no index of {self._source.name!r} "
                "as it is now. Build it first."
            )
        EmbedderRecord.from_metadata(collection.metadata).check(
            EmbedderRecord.of(self._embeddings), str(self._place)
        )
        if not is_complete(collection):
            raise KnowledgeSourceError(
                f"The vector index {self._place} is still being built, or its building was interrupted. "
                "Run the build again: it continues."
            )
        return collection

    def _using(self) -> Any:
        if self._pid != os.getpid():
            raise KnowledgeSourceError(
                f"The vector index {self._place} was opened before this process was forked, which Chroma "
                "does not survive. Open it in each process, or start processes by spawn."
            )
        return store_errors(self._place)


def _place(
    source: KnowledgeSource, folder: str | Path | None, url: str | None, client: ClientAPI | None
) -> Place:
    if client is not None:
        return Place(client=client)
    if url is not None:
        return Place(url=url)
    return Place(folder_beside(source) if folder is None else Path(folder))


def _find(client: ClientAPI, source: KnowledgeSource) -> Collection | None:
    from chromadb.errors import NotFoundError

    try:
        return client.get_collection(collection_name(source), embedding_function=None)
    except NotFoundError:
        return None


def _passages(
    ids: Sequence[str], texts: Sequence[str], metadata: Sequence[Any], distances: Sequence[float]
) -> list[Passage]:
    return [
        Passage(key, text, about["title"], rank, clamped(1.0 - distance), ("vector",))
        for rank, (key, text, about, distance) in enumerate(
            zip(ids, texts, metadata, distances, strict=True), start=1
        )
    ]


def _present(column: Any) -> Any:
    # Chroma types every column as optional; those that were asked for are there.
    return [] if column is None else column
