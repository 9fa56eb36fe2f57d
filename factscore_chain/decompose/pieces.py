"""Sentences as the tagger's networks read them: word pieces, the first of each word known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SURROGATE = re.compile("[\ud800-\udfff]")

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
    # The tokenizer reads UTF-8, which has no lone surrogates.
    readable = [_SURROGATE.sub("\ufffd", word) for word in words]
    encoding = tokenizer.encode(readable, is_pretokenized=True)
    ids = encoding.ids[:MAX_PIECES]
    word_of = [-1 if word is None else word for word in encoding.word_ids][: len(ids)]
    at: dict[int, int] = {}
    for position, word in enumerate(word_of):
        at.setdefault(word, position)
    read = max(word_of, default=-1) + 1
    return Pieces(ids, word_of, [at.get(word, len(ids) - 1) for word in range(read)])
