"""Changes to the blocks of postings in the database, block by block."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from factscore_chain.retrievers import schema
from factscore_chain.retrievers.blocks import pack_rows, stored_lengths
from factscore_chain.retrievers.postings import Ints, Postings, make_postings, merged, unpack

_AT_ONCE = 50_000
"""Passages whose changes are kept in memory before they are applied."""


class BlockChanges:
    """Collects passages that come and go, and applies them.

    Args:
        connection: Of the source, in a transaction.
        next_id: The id of the first passage to come.
        words: Words of all passages.
    """

    def __init__(self, connection: sqlite3.Connection, next_id: int, words: int) -> None:
        self._connection = connection
        self.next_id = next_id
        self.words = words
        self._added: list[Postings] = []
        self._removed: list[tuple[int, Postings]] = []
        self._waiting = 0

    def add(self, postings: Postings) -> None:
        """Adds passages, numbered from 0, which get the next ids."""
        if not len(postings.lengths):
            return
        self.words += int(postings.lengths.sum())
        self._added.append(postings.moved(self.next_id))
        self.next_id += len(postings.lengths)
        self._wait_for(len(postings.lengths))

    def remove(self, title: str, passages: Sequence[str], first: int) -> None:
        """Removes the passages of a document, whose ids begin at `first`."""
        postings = make_postings([title], [passages])
        self.words -= int(postings.lengths.sum())
        self._removed.append((first, postings))
        self._wait_for(len(passages))

    def _wait_for(self, passages: int) -> None:
        self._waiting += passages
        if self._waiting >= _AT_ONCE:
            self.apply()

    def apply(self) -> None:
        """Applies what was collected."""
        added = merged(self._added)
        stop = self.next_id
        start = stop - len(added.lengths)
        touched = {block for block in range(start // schema.BLOCK, -(-stop // schema.BLOCK)) if stop > start}
        for first, postings in self._removed:
            last = first + len(postings.lengths) - 1
            touched.update(range(first // schema.BLOCK, last // schema.BLOCK + 1))
        for block in sorted(touched):
            self._change(block, added, start)
        self._added, self._removed, self._waiting = [], [], 0

    def _change(self, block: int, added: Postings, first_added: int) -> None:
        begin, end = block * schema.BLOCK, (block + 1) * schema.BLOCK
        coming = added.between(begin, end)
        lengths = stored_lengths(self._connection, block)
        low, high = max(begin, first_added), min(end, first_added + len(added.lengths))
        if high > low:
            lengths = np.concatenate([lengths, np.zeros(max(0, high - begin - len(lengths)), dtype=np.int32)])
            lengths[low - begin : high - begin] = added.lengths[low - first_added : high - first_added]
        gone = np.zeros(schema.BLOCK, dtype=bool)
        words = {word for word, size in zip(coming.words, coming.sizes, strict=True) if size}
        for first, postings in self._removed:
            ids = np.arange(first, first + len(postings.lengths))
            ids = ids[(ids >= begin) & (ids < end)] - begin
            if len(ids):
                gone[ids] = True
                words.update(postings.words)
        lengths[gone[: len(lengths)]] = 0
        self._write(block, sorted(words), coming, gone, lengths)

    def _write(
        self, block: int, words: Sequence[str], coming: Postings, gone: npt.NDArray[np.bool_], lengths: Ints
    ) -> None:
        there = self._stored(block, words, gone)
        sql = "DELETE FROM postings WHERE block = ? AND word = ?"
        self._connection.executemany(sql, [(block, word) for word in words])
        pack_rows(self._connection, block, merged([there, coming]), lengths)

    def _stored(self, block: int, words: Sequence[str], gone: npt.NDArray[np.bool_]) -> Postings:
        """What is stored of some words, without the passages that go."""
        passages, counts, sizes = [], [], []
        for word in words:
            sql = "SELECT size, data FROM postings WHERE block = ? AND word = ?"
            row = self._connection.execute(sql, (block, word)).fetchone()
            local, count = (np.empty(0, np.int64), np.empty(0, np.uint8)) if row is None else unpack(*row)
            stay = ~gone[local]
            passages.append(local[stay].astype(np.int32) + np.int32(block * schema.BLOCK))
            counts.append(count[stay])
            sizes.append(int(stay.sum()))
        empty = np.empty(0, dtype=np.int32)
        return Postings(
            tuple(words),
            np.array(sizes, dtype=np.int32),
            np.concatenate(passages) if passages else empty,
            np.concatenate(counts) if counts else empty.astype(np.uint8),
            empty,
        )
