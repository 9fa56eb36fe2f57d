"""The passages of one document, indexed in memory for the facts of one generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from factscore_chain.retrievers.bm25 import BM25Index, top
from factscore_chain.retrievers.embedding import Vectors
from factscore_chain.values import Passage


class TopicIndex:
    """Ranks a fixed set of passages by words or by vectors; a passage that comes twice is kept once.

    Args:
        passages: In the order of the text, which decides ties.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple({passage.id: passage for passage in passages}.values())
        self._bm25 = BM25Index([passage.text for passage in self.passages])

    def by_words(self, query: str) -> list[Passage]:
        """All passages, best first; those that share no word with the query have score 0 and no origin."""
        return [
            replace(self.passages[i], score=score, origins=("bm25",) if score > 0 else ())
            for i, score in self._bm25.rank(query, len(self.passages))
        ]


def by_vector(
    passages: Sequence[Passage], vectors: Vectors, query: Vectors, k: int | None = None
) -> list[Passage]:
    """Ranks passages by cosine, best first, ties in their own order.

    Args:
        passages: What to rank.
        vectors: Their unit vectors, shape (passages, dimension).
        query: The query's unit vector, shape (dimension,).
        k: Most passages wanted; None for all.
    """
    if not passages:
        return []
    scores = (vectors @ query).astype(np.float64)
    return [
        replace(passages[i], rank=rank, score=clamped(score), origins=("vector",))
        for rank, (i, score) in enumerate(top(scores, len(passages) if k is None else k), start=1)
    ]


def clamped(cosine: float) -> float:
    """A cosine as a score in 0..1: an opposite direction is no better evidence than an unrelated one."""
    return min(1.0, max(0.0, cosine))
