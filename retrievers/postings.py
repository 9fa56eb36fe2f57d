"""Which words stand in which passages: made for a batch, merged into blocks, packed for the database.

A block covers 65,536 neighbouring ids of passages. For each word it holds the ids of the passages with it, as
their distance from the block's start, and how often the word stands there, words of the title counted
`TITLE_WEIGHT` times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factscore_chain.retrievers import schema
from factscore_chain.retrievers.word_table import Longs, Words, look_up

TITLE_WEIGHT = 4
_MOST = 255
"""The highest count that is kept; more of a word in one passage says nothing more."""

Ints = npt.NDArray[np.int32]
Counts = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Postings:
    """Words with the passages that they stand in."""

    words: tuple[str, ...]
    sizes: Ints
    """In how many passages each word stands; shape (words,)."""
    passages: Ints
    """Ids of passages, ascending, word after word; shape (sum of sizes,)."""
    counts: Counts
    """Weighted counts beside them."""
    lengths: Ints
    """Words of each passage, with those of its title; shape (passages of the batch,)."""

    def moved(self, offset: int) -> Postings:
        """The same with other ids."""
        return Postings(self.words, self.sizes, self.passages + np.int32(offset), self.counts, self.lengths)

    def only(self, kept: npt.NDArray[np.bool_]) -> Postings:
        """Those of some passages, numbered anew from 0; words may be left without any."""
        new = np.cumsum(kept, dtype=np.int32) - 1
        mask = kept[self.passages]
        sizes = _per_word(self.sizes, mask)
        return Postings(self.words, sizes, new[self.passages[mask]], self.counts[mask], self.lengths[kept])

    def between(self, start: int, stop: int) -> Postings:
        """Those of the passages with ids from start to before stop."""
        mask = (self.passages >= start) & (self.passages < stop)
        if mask.all():
            return self
        sizes = _per_word(self.sizes, mask)
        return Postings(self.words, sizes, self.passages[mask], self.counts[mask], self.lengths)


@dataclass(frozen=True)
class Packed:
    """A word's passages in one block, as stored."""

    word: str
    size: int
    top: int
    """The highest count."""
    thin: float
    """The lowest ratio of a passage's length to the count: with `top` it bounds what the word can score."""
    data: bytes


def make_postings(titles: Sequence[str], passages: Sequence[Sequence[str]]) -> Postings:
    """Indexes the passages of documents, numbered from 0 in the order given.

    Args:
        titles: One a document.
        passages: The passages of each document.
    """
    texts = [text for group in passages for text in group]
    words, count = look_up([*texts, *titles]), len(texts)
    found, owners = _spread(words)
    of_text, in_text = found[owners < count], owners[owners < count]
    groups = np.fromiter(map(len, passages), dtype=np.int64, count=len(passages))
    of_title, in_title = _repeated(found[owners >= count], owners[owners >= count] - count, groups)
    lengths = np.bincount(in_text, minlength=count) + np.bincount(in_title, minlength=count)
    weighted = np.concatenate(
        [of_text * count + in_text, np.repeat(of_title * count + in_title, TITLE_WEIGHT)]
    )
    keys, counts = np.unique(weighted, return_counts=True)
    used, sizes = np.unique(keys // max(1, count), return_counts=True)
    return Postings(
        tuple([words.vocabulary[number] for number in used.tolist()]),
        sizes.astype(np.int32),
        (keys % max(1, count)).astype(np.int32),
        np.minimum(counts, _MOST).astype(np.uint8),
        lengths.astype(np.int32),
    )


def merged(parts: Sequence[Postings]) -> Postings:
    """One out of several whose ids ascend from part to part; words sorted, those without passages dropped."""
    found: set[str] = set()
    for part in parts:
        found.update(part.words)
    words = sorted(found)
    place = {word: i for i, word in enumerate(words)}
    placed = [np.fromiter(map(place.__getitem__, part.words), dtype=np.int64) for part in parts]
    sizes = np.zeros(len(words), dtype=np.int64)
    for where, part in zip(placed, parts, strict=True):
        np.add.at(sizes, where, part.sizes)
    free = np.cumsum(sizes) - sizes
    passages = np.empty(int(sizes.sum()), dtype=np.int32)
    counts = np.empty(len(passages), dtype=np.uint8)
    for where, part in zip(placed, parts, strict=True):
        begins = np.cumsum(part.sizes, dtype=np.int64) - part.sizes
        target = np.repeat(free[where] - begins, part.sizes) + np.arange(len(part.passages))
        passages[target], counts[target] = part.passages, part.counts
        free[where] += part.sizes
    lengths = np.concatenate([part.lengths for part in parts]) if parts else np.empty(0, dtype=np.int32)
    used = sizes > 0
    kept = words if used.all() else [word for word, any_left in zip(words, used, strict=True) if any_left]
    return Postings(tuple(kept), sizes[used].astype(np.int32), passages, counts, lengths)


def pack(postings: Postings, start: int, lengths: Ints) -> Iterator[Packed]:
    """Packs the postings of a block, word after word.

    Args:
        postings: Of passages of this block; every word has some.
        start: The block's first id.
        lengths: Of the block's passages, shape (up to a block's,).
    """
    if not len(postings.passages):
        return
    local = (postings.passages - np.int32(start)).astype("<u2")
    ends = np.cumsum(postings.sizes, dtype=np.int64)
    begins = ends - postings.sizes
    tops = np.maximum.reduceat(postings.counts, begins).tolist()
    thins = np.minimum.reduceat(lengths.astype(np.float32)[local] / postings.counts, begins).tolist()
    ids, counts = local.tobytes(), postings.counts.tobytes()
    for word, size, top, thin, begin, end in zip(
        postings.words, postings.sizes.tolist(), tops, thins, begins.tolist(), ends.tolist(), strict=True
    ):
        if is_dense(size):
            every = np.zeros(schema.BLOCK, dtype=np.uint8)
            every[local[begin:end]] = postings.counts[begin:end]
            data = every.tobytes()
        else:
            data = ids[2 * begin : 2 * end] + counts[begin:end]
        yield Packed(word, size, top, thin, data)


def unpack(size: int, data: bytes) -> tuple[npt.NDArray[np.integer], Counts]:
    """Ids within the block, ascending, and counts, of what `pack` packed."""
    if is_dense(size):
        every = np.frombuffer(data, dtype=np.uint8)
        local = np.flatnonzero(every)
        return local, every[local]
    return np.frombuffer(data, dtype="<u2", count=size), np.frombuffer(data, dtype=np.uint8, offset=2 * size)


def is_dense(size: int) -> bool:
    """Whether a word with so many passages is packed as one count for every passage of the block."""
    return 3 * size >= schema.BLOCK


def _per_word(sizes: Ints, mask: npt.NDArray[np.bool_]) -> Ints:
    totals = np.concatenate([[0], np.cumsum(mask)])
    ends = np.cumsum(sizes, dtype=np.int64)
    return np.asarray(totals[ends] - totals[ends - sizes], dtype=np.int32)


def _spread(words: Words) -> tuple[Longs, Longs]:
    """The tokens of all texts in their order, and which text each stands in."""
    owners = np.repeat(np.arange(len(words.sizes)), words.sizes)
    sizes = words.token_counts[words.numbers]
    before = np.cumsum(sizes) - sizes
    places = np.repeat(words.token_firsts[words.numbers] - before, sizes) + np.arange(int(sizes.sum()))
    return words.tokens[places], np.repeat(owners, sizes)


def _repeated(found: Longs, documents: Longs, groups: Longs) -> tuple[Longs, Longs]:
    """Tokens of titles once for every passage under them.

    Args:
        found: The tokens.
        documents: Whose title each stands in.
        groups: Passages of each document.

    Returns:
        Tokens, and the passage that each is taken for.
    """
    times = groups[documents]
    firsts = (np.cumsum(groups) - groups)[documents]
    before = np.cumsum(times) - times
    return np.repeat(found, times), np.repeat(firsts - before, times) + np.arange(int(times.sum()))
