"""Exact search over the vectors of a small index, held in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from factscore_chain.retrievers.embedding import Vectors
from factscore_chain.retrievers.topic_index import by_vector
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

EXACT_UP_TO = 20_000
"""Passages: about 30 MB of vectors, read in a second or two."""
_PAGE = 2_000


class ExactVectors:
    """All passages of a collection with their vectors.

    The store's own graph answers from a sample of neighbours that differs from build to build, and among
    texts that hardly differ it loses some. Up to a size there is no reason to accept that.
    """

    def __init__(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        self._passages = passages
        self._vectors = vectors

    @classmethod
    def read(cls, collection: Collection) -> ExactVectors:
        """Reads a collection; the order of ids decides ties, whatever order they were stored in."""
        rows: list[tuple[str, str, Any, Any]] = []
        for offset in range(0, collection.count(), _PAGE):
            found: Any = collection.get(
                limit=_PAGE, offset=offset, include=["embeddings", "documents", "metadatas"]
            )
            rows.extend(
                zip(found["ids"], found["documents"], found["metadatas"], found["embeddings"], strict=True)
            )
        rows.sort(key=lambda row: row[0])
        passages = [Passage(key, text, about["title"]) for key, text, about, _ in rows]
        return cls(passages, np.stack([vector for *_, vector in rows]).astype(np.float32))

    def search(self, queries: Vectors, k: int) -> list[list[Passage]]:
        """The k nearest passages for each of the queries' unit vectors, shape (queries, dimension)."""
        return [by_vector(self._passages, self._vectors, query, k) for query in queries]
