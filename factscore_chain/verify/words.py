"""Words of a text with their contextual vectors, pooled from the encoder's tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from factscore_chain.verify.rivals import NUMBER, folded

Floats: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]

VOCABULARY = 30522
"""Size of the encoder's vocabulary, which is ordered by how common its pieces are."""
_COMMON = 0.6
_ALONE = 2**18
"""Multiplications that are surely done in one thread."""


@dataclass(frozen=True)
class Words:
    """The words of a text, as the encoder's pre-tokenizer sees them (punctuation marks are words too)."""

    texts: tuple[str, ...]
    stems: tuple[str, ...]
    starts: Ints
    """Where each begins in the text, in characters."""
    vectors: Floats
    """One row a word, of length 1: the mean of its tokens' final vectors."""
    rarity: Floats
    """0.05 for the commonest words to 0.4 for the rarest, by where the vocabulary has their rarest piece."""

    def __len__(self) -> int:
        return len(self.texts)


def pool_words(text: str, vectors: Floats, ids: Ints, offsets: Ints, word_ids: Ints) -> Words:
    """Pools a text's tokens into words.

    Args:
        text: The text that was encoded.
        vectors: Contextual vectors, one row a token.
        ids: Vocabulary ids of the tokens.
        offsets: Character spans of the tokens, shape (tokens, 2).
        word_ids: The number of each token's word; never falls.
    """
    if not len(word_ids):
        none = np.zeros(0, np.int64)
        return Words((), (), none, vectors.astype(np.float32), none.astype(np.float32))
    word_ids = _numbers_whole(text, offsets, word_ids)
    first = np.flatnonzero(np.diff(word_ids, prepend=word_ids[0] - 1))
    last = np.append(first[1:], len(word_ids)) - 1
    texts = tuple(text[offsets[a, 0] : offsets[b, 1]] for a, b in zip(first, last, strict=True))
    rarest = np.maximum(np.maximum.reduceat(ids, first), 1)
    rarity = np.maximum(np.log(rarest) / np.log(VOCABULARY) - _COMMON, 0.05)
    return Words(
        texts,
        tuple(map(folded, texts)),
        offsets[first, 0],
        normalised(np.add.reduceat(vectors, first, axis=0)),
        rarity.astype(np.float32),
    )


def _numbers_whole(text: str, offsets: Ints, word_ids: Ints) -> Ints:
    """Word numbers in which "1,000" and "1.5" are one word."""
    found = list(NUMBER.finditer(text))
    if found:
        word_ids = word_ids.copy()
    for match in found:
        first, after = np.searchsorted(offsets[:, 0], match.span())
        word_ids[first:after] = word_ids[first]
    return word_ids


def cosines(rows: Floats, others: Floats) -> Floats:
    """Cosines of unit vectors, shape (rows, others).

    In pieces so small that the linear algebra library stays in this thread: waking others costs more than
    such a product, and waiting for them far more where the cores are busy.
    """
    step = max(1, _ALONE // max(1, rows.size))
    parts = [rows @ others[start : start + step].T for start in range(0, len(others), step)]
    return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]


def normalised(rows: Floats) -> Floats:
    """Rows scaled to length 1; a row of zeros stays."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9), np.float32)
