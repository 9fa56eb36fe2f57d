"""Made documents whose words are as frequent as those of real text, from a seed, as many as are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

_RANKS = 300_000
_SHIFT, _COMMON, _SKEW = 2.7, 5_000, 1.6
"""Zipf and Mandelbrot's law: the n-th word comes in proportion to 1 / (n + shift). Behind the 5,000 words
that everybody uses it falls faster, by the power of 1.6, as it does in real text."""
_SYLLABLES = tuple(a + b for a in "bdfgklmnprstvz" for b in "aeiou")
_OF_TOPIC = 0.12
"""Share of a document's words that are drawn from its own few, which come again and again in it."""
_TOPIC_WORDS = 40
_FIRST_OF_TOPIC = 200
"""The lowest rank of such a word; there are as many of them between 200 and 2,000 as up to 20,000."""
_WORDS = (55, 96)
"""Of a passage, so that two never fit into one."""
_PASSAGES = 8.0
_SENTENCE = 12


def word(rank: int) -> str:
    """The word of a rank: the more frequent, the shorter."""
    parts = []
    number = rank
    while True:
        number, rest = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[rest])
        if number == 0:
            return "".join(parts)
        number -= 1


class Corpus:
    """Documents of some eight passages each.

    Args:
        seed: Another seed gives other documents of the same kind.
    """

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)
        ranks = np.arange(_RANKS) + _SHIFT
        weights = np.where(ranks < _COMMON, 1 / ranks, (_COMMON / ranks) ** _SKEW / _COMMON)
        self._steps = np.cumsum(weights / weights.sum())
        self._words = np.array([word(rank) for rank in range(_RANKS)], dtype=object)

    def ranks(self, count: int) -> npt.NDArray[np.int64]:
        """Ranks of words, drawn by frequency."""
        return np.minimum(np.searchsorted(self._steps, self._rng.random(count)), _RANKS - 1)

    def documents(self, passages: int) -> Iterator[dict[str, Any]]:
        """Documents that hold so many passages in all."""
        left, number = passages, 0
        while left > 0:
            count = min(left, 1 + int(self._rng.poisson(_PASSAGES - 1)))
            yield self._document(number, count)
            left -= count
            number += 1

    def words(self, ranks: npt.NDArray[np.int64]) -> list[str]:
        """The words of ranks."""
        found: list[str] = self._words[ranks].tolist()
        return found

    def _document(self, number: int, passages: int) -> dict[str, Any]:
        own = (_FIRST_OF_TOPIC * (_RANKS / _FIRST_OF_TOPIC) ** self._rng.random(_TOPIC_WORDS)).astype(
            np.int64
        )
        sizes = self._rng.integers(*_WORDS, passages)
        ranks = self.ranks(int(sizes.sum()))
        topical = self._rng.random(len(ranks)) < _OF_TOPIC
        ranks[topical] = own[(_TOPIC_WORDS * self._rng.random(int(topical.sum())) ** 2).astype(int)]
        words, texts, start = self.words(ranks), [], 0
        for size in sizes.tolist():
            texts.append(_prose(words[start : start + size]))
            start += size
        title = " ".join(part.capitalize() for part in self.words(own[:2]))
        return {"title": f"{title} ({number})", "text": texts}


def _prose(words: list[str]) -> str:
    sentences = (words[i : i + _SENTENCE] for i in range(0, len(words), _SENTENCE))
    return " ".join(f"{' '.join(part).capitalize()}." for part in sentences)
