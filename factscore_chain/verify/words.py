"""Words of a text with their contextual vectors, pooled from the encoder's tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from factscore_chain.verify.lexicon import stem

Floats: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]

VOCABULARY = 30522
"""Size of the encoder's vocabulary, which is ordered by how common its pieces are."""
_COMMON = 0.6


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


def pool_words(
    text: str, vectors: Floats, ids: list[int], offsets: list[tuple[int, int]], word_ids: list[int | None]
) -> Words:
    """Pools a text's tokens into words.

    Args:
        text: The text that was encoded.
        vectors: Final vectors, one row a token, special tokens among them.
        ids: Vocabulary ids of the tokens.
        offsets: Character spans of the tokens.
        word_ids: The number of each token's word; None for special tokens.
    """
    kept = [i for i, word in enumerate(word_ids) if word is not None]
    if not kept:
        empty = np.zeros(0, np.float32)
        return Words((), (), np.zeros(0, np.int64), np.zeros((0, vectors.shape[1]), np.float32), empty)
    numbers = np.array([word_ids[i] for i in kept])
    first = np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]])
    last = np.r_[first[1:], len(kept)] - 1
    pooled = np.add.reduceat(vectors[kept].astype(np.float32), first, axis=0)
    spans = [(offsets[kept[a]][0], offsets[kept[b]][1]) for a, b in zip(first, last, strict=True)]
    texts = tuple(text[a:b] for a, b in spans)
    rarest = np.maximum.reduceat(np.array([ids[i] for i in kept], np.float64), first)
    rarity = np.maximum(np.log(np.maximum(rarest, 1)) / np.log(VOCABULARY) - _COMMON, 0.05)
    return Words(
        texts,
        tuple(map(stem, texts)),
        np.array([a for a, _ in spans], np.int64),
        normalised(pooled),
        rarity.astype(np.float32),
    )


def normalised(rows: Floats) -> Floats:
    """Rows scaled to length 1; a row of zeros stays."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9), np.float32)
