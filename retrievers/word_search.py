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
from factscore_chain.retrievers.lru import LRU
from factscore_chain.retrievers.postings import is_dense, unpack

K1 = 1.2
B = 0.75
_SPAN = 16
"""Blocks that are scored together: a million passages, four bytes each."""
_ROUNDING = 1e-4
"""Share of a score by which sums in single precision may be off; nothing is left out within it."""
_KEPT_BYTES = 48 * 1024 * 1024
_WORTH_KEEPING = 4_096
_KNOWN_WORDS = 20_000
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
class _Part:
    """A word's passages in one block, as stored."""

    start: int
    """The block's first place, counted from the first block that is scored with it."""
    size: int
    data: bytes

    def at(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Counts at some places of the block, 0 where the word does not stand."""
        if is_dense(self.size):
            return np.frombuffer(self.data, dtype=np.uint8)[places - self.start]
        ids, counts = unpack(self.size, self.data)
        wanted = places - self.start
        found = np.minimum(np.searchsorted(ids, wanted), self.size - 1)
        return np.where(ids[found] == wanted, counts[found], np.uint8(0))


@dataclass(frozen=True)
class _Stretch:
    """Where a word stands in the blocks that are scored together."""

    parts: tuple[_Part, ...]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return sum(len(part.data) for part in self.parts)

    def every(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """All its places, ascending, and the counts there."""
        if not self.parts:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8)
        found = [(part.start, *unpack(part.size, part.data)) for part in self.parts]
        places = [ids.astype(np.int64) + start for start, ids, _ in found]
        return np.concatenate(places), np.concatenate([counts for *_, counts in found])

    def at(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Counts at ascending places, 0 where the word does not stand."""
        counts = np.zeros(len(places), dtype=np.uint8)
        starts = [part.start for part in self.parts]
        firsts = np.searchsorted(places, starts)
        lasts = np.searchsorted(places, [start + schema.BLOCK for start in starts])
        for part, first, last in zip(self.parts, firsts.tolist(), lasts.tolist(), strict=True):
            if last > first:
                counts[first:last] = part.at(places[first:last])
        return counts


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
        self._about: LRU[str, tuple[int, int, float]] = LRU(_KNOWN_WORDS)
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
            if (about := self._about.get(term)) is None:
                about = self._about.put(term, connection.execute(sql, (term,)).fetchone())
            size, top, thin = about
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
            places, counts = stretch.every()
            added = sums[places] + _gain(word, counts, norms[places])
            sums[places] = added
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
        rows = connection.execute(sql, (word,))
        parts = tuple(_Part((block - span[0]) * schema.BLOCK, size, data) for block, size, data in rows)
        stretch = _Stretch(parts)
        if sum(part.size for part in parts) >= _WORTH_KEEPING:
            self._keep((word, span[0]), stretch)
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
        self._keep(("", span[0]), norms)
        return norms

    def _recall(self, key: tuple[str, int]) -> _Stretch | Floats | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: tuple[str, int], value: _Stretch | Floats) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = value
            self._kept_bytes += value.nbytes
            while self._kept_bytes > _KEPT_BYTES:
                self._kept_bytes -= self._kept.popitem(last=False)[1].nbytes


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
