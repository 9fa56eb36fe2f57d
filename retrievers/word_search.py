"""Exact BM25 over a whole source that reads no more of its index than can change the answer.

Words are taken by what they can add to a score, the most first. Once the best passages found so far lead by
more than all words to come can add together, no other passage can catch up: of these words only the counts
in the passages still in the race are looked at (MaxScore; Turtle and Flood, 1995). The ranking is that of
scoring every passage.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from factscore_chain.retrievers import schema
from factscore_chain.retrievers.postings import unpack

K1 = 1.2
B = 0.75
_SPAN = 16
"""Blocks that are scored together: a million passages, four bytes each."""
_ROUNDING = 1e-4
"""Share of a score by which sums in single precision may be off; nothing is left out within it."""
_KEPT_BYTES = 48 * 1024 * 1024
_WORTH_KEEPING = 4_096
_SAMPLE = 65_536

_Float = TypeVar("_Float", np.float32, np.float64)
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Word:
    """A word of a query, by what it can add to a passage's score."""

    text: str
    weight: float
    """Its inverse document frequency times K1 + 1."""
    most: float
    """No passage gets more by it."""


@dataclass(frozen=True)
class _Stretch:
    """Where a word stands in the blocks that are scored together."""

    places: npt.NDArray[np.int32]
    """Passages, ascending, counted from the first block."""
    counts: npt.NDArray[np.uint8]

    @property
    def size(self) -> int:
        return int(self.places.nbytes + self.counts.nbytes)

    def at(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Counts at some places, 0 where the word does not stand."""
        if not len(self.places):
            return np.zeros(len(places), dtype=np.uint8)
        found = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[found] == places, self.counts[found], np.uint8(0))


class WordIndex:
    """Searches the postings of a source; threads may share it.

    What is read again and again, lengths and frequent words, is kept in memory, at most 48 MB of it.

    Args:
        passages: How many the source has.
        words: How many words they have together.
        blocks: Numbers of the blocks, ascending.
    """

    def __init__(self, passages: int, words: int, blocks: Sequence[int]) -> None:
        self._passages = passages
        self._average = max(1.0, words / max(1, passages))
        self._blocks = tuple(blocks)
        self._kept: OrderedDict[tuple[str, int], _Stretch | Floats] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()

    def search(self, connection: sqlite3.Connection, terms: Iterable[str], k: int) -> list[tuple[int, float]]:
        """Ids and scores of the k best passages that have any of the terms, best first.

        Equal scores are in the order of ids; where the last of them are equal to ones left out, these follow,
        so that whoever orders by something else can.
        """
        words = self._words(connection, list(dict.fromkeys(terms)))
        if not words or k < 1:
            return []
        ids: list[npt.NDArray[np.int64]] = []
        scores: list[npt.NDArray[np.float64]] = []
        least = 0.0
        for first in range(0, len(self._blocks), _SPAN):
            span = self._blocks[first : first + _SPAN]
            places, found = self._best(connection, span, words, k, least)
            ids.append(places + span[0] * schema.BLOCK)
            scores.append(found)
            every = np.concatenate(scores)
            if len(every) >= k:
                least = float(np.partition(every, -k)[-k])
        return _ordered(np.concatenate(ids), np.concatenate(scores), k)

    def _words(self, connection: sqlite3.Connection, terms: list[str]) -> list[_Word]:
        blocks = ",".join(map(str, self._blocks))
        sql = f"SELECT sum(size), max(top), min(thin) FROM postings WHERE block IN ({blocks}) AND word = ?"  # noqa: S608
        found: list[_Word] = []
        for term in terms:
            size, top, thin = connection.execute(sql, (term,)).fetchone()
            if size:
                weight = math.log1p((self._passages - size + 0.5) / (size + 0.5)) * (K1 + 1)
                most = weight / (1 + K1 * (1 - B) / top + K1 * B / self._average * thin)
                found.append(_Word(term, weight, most * (1 + _ROUNDING)))
        return sorted(found, key=lambda word: -word.most)

    def _best(
        self,
        connection: sqlite3.Connection,
        span: Sequence[int],
        words: Sequence[_Word],
        k: int,
        least: float,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Places and exact scores of what may be among the k best, in these blocks.

        Args:
            connection: Of the source.
            span: The blocks.
            words: Those that can add most first.
            k: How many passages are wanted.
            least: What a passage must reach to be among the best of other blocks.
        """
        norms = self._norms(connection, span)
        sums = np.zeros(len(norms), dtype=np.float32)
        to_come = sum(word.most for word in words)
        stretches: list[_Stretch] = []
        while len(stretches) < len(words) and least <= to_come:
            word = words[len(stretches)]
            stretch = self._stretch(connection, word.text, span)
            stretches.append(stretch)
            to_come -= word.most
            added = sums[stretch.places] + _gain(word, stretch.counts, norms[stretch.places])
            sums[stretch.places] = added
            least = max(least, _kth(added, k))
        racing = np.flatnonzero(sums > _needed(least, to_come))
        for word in words[len(stretches) :]:
            stretch = self._stretch(connection, word.text, span)
            stretches.append(stretch)
            to_come -= word.most
            sums[racing] += _gain(word, stretch.at(racing), norms[racing])
            least = max(least, _kth(sums[racing], k))
            racing = racing[sums[racing] > _needed(least, to_come)]
        exact = np.zeros(len(racing), dtype=np.float64)
        for word, stretch in zip(words, stretches, strict=True):
            exact += _gain(word, stretch.at(racing), norms[racing].astype(np.float64))
        return racing, exact

    def _stretch(self, connection: sqlite3.Connection, word: str, span: Sequence[int]) -> _Stretch:
        if (kept := self._recall((word, span[0]))) is not None:
            assert isinstance(kept, _Stretch)  # noqa: S101  keys of norms are other ones
            return kept
        blocks = ",".join(map(str, span))
        sql = f"SELECT block, size, data FROM postings WHERE block IN ({blocks}) AND word = ? ORDER BY block"  # noqa: S608
        places, counts = [], []
        for block, size, data in connection.execute(sql, (word,)):
            local, count = unpack(size, data)
            places.append(local.astype(np.int32) + np.int32((block - span[0]) * schema.BLOCK))
            counts.append(count)
        if not places:
            return _Stretch(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8))
        stretch = _Stretch(np.concatenate(places), np.concatenate(counts))
        if len(stretch.places) >= _WORTH_KEEPING:
            self._keep((word, span[0]), stretch, stretch.size)
        return stretch

    def _norms(self, connection: sqlite3.Connection, span: Sequence[int]) -> Floats:
        """What BM25 adds to a count below the line, for every place of these blocks."""
        if (kept := self._recall(("", span[0]))) is not None:
            assert isinstance(kept, np.ndarray)  # noqa: S101  no word is empty
            return kept
        norms = np.full((span[-1] - span[0] + 1) * schema.BLOCK, K1, dtype=np.float32)
        blocks = ",".join(map(str, span))
        for block, data in connection.execute(
            f"SELECT block, data FROM lengths WHERE block IN ({blocks})"  # noqa: S608
        ):
            lengths = np.frombuffer(data, dtype="<u2")
            start = (block - span[0]) * schema.BLOCK
            norms[start : start + len(lengths)] = K1 * (1 - B + B * lengths / self._average)
        self._keep(("", span[0]), norms, int(norms.nbytes))
        return norms

    def _recall(self, key: tuple[str, int]) -> _Stretch | Floats | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: tuple[str, int], value: _Stretch | Floats, size: int) -> None:
        with self._lock:
            if key in self._kept or size > _KEPT_BYTES // 4:
                return
            self._kept[key] = value
            self._kept_bytes += size
            while self._kept_bytes > _KEPT_BYTES:
                _, old = self._kept.popitem(last=False)
                self._kept_bytes -= old.size if isinstance(old, _Stretch) else old.nbytes


def _gain(word: _Word, counts: npt.NDArray[np.uint8], norms: npt.NDArray[_Float]) -> npt.NDArray[_Float]:
    """What a word adds to scores, in the precision of the norms."""
    numbers = counts.astype(norms.dtype)
    return word.weight * numbers / (numbers + norms)


def _needed(least: float, to_come: float) -> float:
    """What a passage must have by now to be among the best in the end; above 0, which all others have."""
    return max(0.0, least * (1 - _ROUNDING) - max(0.0, to_come))


def _kth(scores: Floats, k: int) -> float:
    """A score that at least k passages reach; of very many, as a sample tells."""
    some = scores[:_SAMPLE]
    return float(np.partition(some, -k)[-k]) if len(some) >= k else 0.0


def _ordered(ids: npt.NDArray[np.int64], scores: npt.NDArray[np.float64], k: int) -> list[tuple[int, float]]:
    order = np.lexsort((ids, -scores))
    if len(order) > k:
        order = order[scores[order] >= scores[order[k - 1]]]
    return [(int(ids[i]), float(scores[i])) for i in order]
