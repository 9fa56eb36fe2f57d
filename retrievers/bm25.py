"""BM25 over the passages of one document or another small corpus, in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Okapi

from factscore_chain.errors import UsageError
from factscore_chain.retrievers.tokenize import tokens


class _PositiveBM25(BM25Okapi):  # type: ignore[misc]  # rank_bm25 has no types
    """BM25 whose inverse document frequency is never zero or negative.

    The library's own turns negative for a word that stands in most passages, and zero for one in exactly
    half: on the few passages of a page a match would then count against a passage.
    """

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        for word, frequency in nd.items():
            self.idf[word] = math.log1p((self.corpus_size - frequency + 0.5) / (frequency + 0.5))


class BM25Index:
    """Scores a fixed list of texts against queries.

    Args:
        texts: The corpus; may be empty.
        tokenizer: Splits texts and queries alike.
    """

    def __init__(self, texts: Sequence[str], tokenizer: Callable[[str], list[str]] = tokens) -> None:
        self._size = len(texts)
        self._tokenizer = tokenizer
        corpus = [tokenizer(text) for text in texts]
        self._bm25 = _PositiveBM25(corpus) if any(corpus) else None

    def __len__(self) -> int:
        return self._size

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """Scores every text: above zero exactly where it shares a token with the query.

        Returns:
            Array of shape (texts,), in the order of the corpus.
        """
        words = list(dict.fromkeys(self._tokenizer(query)))
        if self._bm25 is None or not words:
            return np.zeros(self._size)
        return np.asarray(self._bm25.get_scores(words), dtype=np.float64)

    def rank(self, query: str, k: int) -> list[tuple[int, float]]:
        """The best texts, best first; texts with equal scores keep the order of the corpus.

        Returns:
            At most k pairs of position and score. Texts that do not match come last, with score 0.

        Raises:
            UsageError: k is negative.
        """
        return top(self.scores(query), k)


def top(scores: npt.NDArray[np.floating], k: int) -> list[tuple[int, float]]:
    """Positions and scores of the k highest scores; ties keep their order.

    Raises:
        UsageError: k is negative.
    """
    order = np.argsort(-scores, kind="stable")[: checked_k(k)]
    return [(int(i), float(scores[i])) for i in order]


def checked_k(k: int) -> int:
    """Returns k if it can be a number of results.

    Raises:
        UsageError: k is negative.
    """
    if k < 0:
        raise UsageError(f"k must be 0 or more (the number of passages wanted), not {k}.")
    return k
