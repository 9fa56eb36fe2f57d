"""Sentences as the tagger's networks read them: padded word pieces, the first of each word known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ints = npt.NDArray[np.int64]

MAX_PIECES = 256
"""Word pieces of a sentence that are read; the rules for what no fact takes up see to the rest."""


@dataclass(frozen=True)
class Pieces:
    """One sentence in word pieces."""

    ids: list[int]
    word_of: list[int]
    """Index of the word that each piece belongs to, -1 for the marks at both ends."""
    first: list[int]
    """Position of the first piece of each word; words past `MAX_PIECES` are left out."""

    def marks(self, word: int, kind: int) -> list[int]:
        """`kind` on the pieces of one word, 0 elsewhere."""
        return [kind if of == word else 0 for of in self.word_of]


def split_pieces(tokenizer: Tokenizer, words: Sequence[str]) -> Pieces:
    """Splits words into pieces; a word without any (a stray sign) gets the end mark for its piece."""
    encoding = tokenizer.encode(list(words), is_pretokenized=True)
    ids = encoding.ids[:MAX_PIECES]
    word_of = [-1 if word is None else word for word in encoding.word_ids][: len(ids)]
    at: dict[int, int] = {}
    for position, word in enumerate(word_of):
        at.setdefault(word, position)
    read = max(word_of, default=-1) + 1
    return Pieces(ids, word_of, [at.get(word, len(ids) - 1) for word in range(read)])


def pad(rows: Sequence[Sequence[int]], length: int) -> Ints:
    """Rows of numbers as one array of shape (rows, length), zero where a row is shorter."""
    padded = np.zeros((len(rows), length), dtype=np.int64)
    for row, numbers in enumerate(rows):
        padded[row, : len(numbers)] = numbers
    return padded


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Groups indices so that sentences of like length go together, `budget` pieces at most in each group."""
    group: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (len(group) + 1) * lengths[index] > budget:
            yield group
            group = []
        group.append(index)
    if group:
        yield group
