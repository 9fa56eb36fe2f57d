"""Ranking the passages of a source by words, by vectors, and by both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from factscore_chain.retrievers.embedding import Vectors, default_embeddings, embed_queries
from factscore_chain.retrievers.fusion import reciprocal_rank_fusion
from factscore_chain.retrievers.kept_vectors import KeptVectors
from factscore_chain.retrievers.lru import LRU
from factscore_chain.retrievers.tokenize import tokens
from factscore_chain.retrievers.topic_index import TopicIndex, by_vector
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

Mode = Literal["ensemble", "bm25", "vector"]

DEPTH = 50
"""Passages that each side brings into the fusion when the whole source is searched, k if that is more."""
RERANKED = 20
"""Passages of the full-text index that are ranked by vectors where there is no vector index; k if more."""

_TOPICS = 64
_VECTORS = 8_192

_NO_VECTORS: Vectors = np.empty((0, 0), dtype=np.float32)


class Pages(Protocol):
    """Where passages come from: a knowledge source, or what stands for one."""

    def passages(self, title: str) -> tuple[Passage, ...]:
        """The passages of the document with this exact title."""

    def search(self, query: str, k: int = 5) -> tuple[Passage, ...]:
        """What a full-text search of the whole finds, best first."""


class Index(Protocol):
    """The vectors of a whole source."""

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """For each query the k nearest passages, best first."""

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Stored unit vectors of passages, by id."""


class Ranker:
    """Ranks by one mode, remembering topics and vectors, since facts about a topic come in tens.

    Args:
        source: Where passages come from.
        embeddings: Makes the vectors; None for the shipped encoder.
        mode: By words, by vectors, or both fused.
        open_index: Opens the vectors of the whole source, if they were built; called when first needed.
        vectors: The file that keeps vectors of passages; None keeps them in memory only.
    """

    def __init__(
        self,
        source: Pages,
        embeddings: Embeddings | None,
        mode: Mode,
        open_index: Callable[[], Index | None],
        vectors: Path | None = None,
    ) -> None:
        self._source = source
        self._embeddings = embeddings
        self._mode = mode
        self._open_index = open_index
        self._index: Index | None = None
        self._opened = False
        self._file = vectors
        self._kept: KeptVectors | None = None
        self._topics: LRU[str, TopicIndex] = LRU(_TOPICS)
        self._vectors: LRU[str, Vectors] = LRU(_VECTORS)
        self._lock = threading.Lock()

    @property
    def embeddings(self) -> Embeddings:
        """What makes the vectors; the shipped encoder is loaded when first asked for."""
        with self._lock:
            if self._embeddings is None:
                self._embeddings = default_embeddings()
            return self._embeddings

    def within(self, title: str, queries: Sequence[str]) -> list[list[Passage]]:
        """Ranks all passages of the document with this exact title, for each query."""
        index = self._topics.get_or_make(title, lambda: TopicIndex(self._source.passages(title)))
        by_words = [index.by_words(query) for query in queries]
        if self._mode == "bm25":
            return by_words
        matrix = _matrix(index.passages, self._vectors_of(index.passages))
        by_vectors = [by_vector(index.passages, matrix, vector) for vector in self._embed(queries)]
        # A query without a single word asks for nothing: the passages stay in the order of the text.
        return [
            self._combine(words, vectors) if tokens(query) else words
            for query, words, vectors in zip(queries, by_words, by_vectors, strict=True)
        ]

    def everywhere(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """Ranks the whole source for each query: at least k passages, if as many match."""
        if self._mode == "bm25":
            return [list(self._source.search(query, k)) for query in queries]
        asked = [query if tokens(query) else "" for query in queries]
        index = self._vector_index()
        depth = max(k, RERANKED if index is None else DEPTH)
        by_words = [self._source.search(query, depth) if query else () for query in asked]
        if index is None:
            vectors = self._vectors_of([passage for passages in by_words for passage in passages])
            by_vectors = [
                by_vector(passages, _matrix(passages, vectors), vector)
                for passages, vector in zip(by_words, self._embed(queries), strict=True)
            ]
        else:
            by_vectors = index.search_many(queries, depth)
        return [
            self._combine(words, vectors) if query else []
            for query, words, vectors in zip(asked, by_words, by_vectors, strict=True)
        ]

    def _vector_index(self) -> Index | None:
        with self._lock:
            if not self._opened:
                self._index = self._open_index()
                self._opened = True
            return self._index

    def _keeper(self) -> KeptVectors:
        embeddings = self.embeddings
        with self._lock:
            if self._kept is None:
                self._kept = KeptVectors(self._file, embeddings)
            return self._kept

    def _combine(self, by_words: Sequence[Passage], by_vectors: Sequence[Passage]) -> list[Passage]:
        if self._mode == "vector":
            return list(by_vectors)
        return reciprocal_rank_fusion([[p for p in by_words if p.origins], by_vectors])

    def _embed(self, queries: Sequence[str]) -> Vectors:
        return embed_queries(self.embeddings, queries)

    def _vectors_of(self, passages: Sequence[Passage]) -> dict[str, Vectors]:
        wanted = {passage.id: passage for passage in passages}
        found = {key: kept for key in wanted if (kept := self._vectors.get(key)) is not None}
        missing = [passage for key, passage in wanted.items() if key not in found]
        if missing and self._index is not None:
            found.update(self._index.vectors([passage.id for passage in missing]))
            missing = [passage for passage in missing if passage.id not in found]
        if missing:
            made = self._keeper().of(missing)
            found.update(zip((passage.id for passage in missing), made, strict=True))
        for key, vector in found.items():
            self._vectors.put(key, vector)
        return found


def _matrix(passages: Sequence[Passage], vectors: dict[str, Vectors]) -> Vectors:
    return np.stack([vectors[passage.id] for passage in passages]) if passages else _NO_VECTORS
