"""What is known of the words between blanks, since those of a language come again and again.

A text has the tokens of its words, one after the other: those for searching (`tokenize.tokens`), and those of
the shipped encoder's tokenizer, by which passages are measured.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.tokenize import LONGEST, bare, tokens

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_REMEMBERED = 300_000
"""Words that are remembered, some 60 MB; then they are forgotten and learnt anew."""

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Words:
    """The words of some texts, by their numbers, and what is known of each number."""

    numbers: Longs
    """Text after text; shape (words,)."""
    sizes: Longs
    """Words of each text; shape (texts,)."""
    costs: Longs
    """Tokens of the encoder's tokenizer that each word takes."""
    token_counts: Longs
    """Tokens for searching that each word has."""
    token_firsts: Longs
    """Where in `tokens` those of each word begin."""
    tokens: Longs
    """Their numbers in `vocabulary`, word after word."""
    vocabulary: Sequence[str]


def _counter() -> defaultdict[str, int]:
    made: defaultdict[str, int] = defaultdict()
    made.default_factory = made.__len__
    return made


class _Table:
    def __init__(self) -> None:
        self.numbers = _counter()
        self.vocabulary = _counter()
        self.names: list[str] = []
        self.costs = self.token_counts = self.token_firsts = self.tokens = np.empty(0, dtype=np.int64)

    def look_up(self, texts: Sequence[str]) -> Words:
        split = [text.split() for text in texts]
        flat = np.fromiter(map(self.numbers.__getitem__, chain.from_iterable(split)), dtype=np.int64)
        if len(self.numbers) > len(self.costs):
            self._learn(list(self.numbers)[len(self.costs) :])
        sizes = np.fromiter((len(words) for words in split), dtype=np.int64, count=len(split))
        return Words(flat, sizes, self.costs, self.token_counts, self.token_firsts, self.tokens, self.names)

    def _learn(self, new: Sequence[str]) -> None:
        plain = [bare(word) for word in new]
        costs = _costs(new, plain)
        found = [tuple(_tokens(word, base)) for word, base in zip(new, plain, strict=True)]
        counts = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
        firsts = np.cumsum(counts) - counts + len(self.tokens)
        numbers = np.fromiter(map(self.vocabulary.__getitem__, chain.from_iterable(found)), dtype=np.int64)
        self.costs = np.concatenate([self.costs, costs])
        self.token_counts = np.concatenate([self.token_counts, counts])
        self.token_firsts = np.concatenate([self.token_firsts, firsts])
        self.tokens = np.concatenate([self.tokens, numbers])
        # Added to in place: those who hold it read only what was there when they got it.
        self.names.extend(list(self.vocabulary)[len(self.names) :])


_lock = threading.Lock()
_table = _Table()


def look_up(texts: Sequence[str]) -> Words:
    """Splits texts at blanks and tells what is known of their words; new ones are learnt."""
    global _table
    with _lock:
        if len(_table.numbers) > _REMEMBERED:
            _table = _Table()
        return _table.look_up(texts)


def token_counts(texts: Sequence[str]) -> list[int]:
    """Tokens of each text by the shipped encoder's tokenizer, without its markers.

    More than there are only where control characters part words, which that tokenizer drops.
    """
    words = look_up(texts)
    ends = np.cumsum(words.sizes)
    totals = np.concatenate([[0], np.cumsum(words.costs[words.numbers])])
    found: list[int] = (totals[ends] - totals[ends - words.sizes]).tolist()
    return found


def encode(text: str) -> Encoding:
    """The tokens of one text with their places, by the shipped encoder's tokenizer."""
    return tokenizer().encode(text, add_special_tokens=False)


@cache
def tokenizer() -> Tokenizer:
    """The shipped encoder's tokenizer, which cuts nothing off.

    Raises:
        KnowledgeSourceError: Its file is missing.
    """
    from tokenizers import Tokenizer

    file = files("factscore_chain.models") / "encoder" / "tokenizer.json"
    if not file.is_file():
        raise KnowledgeSourceError(
            f"The encoder's tokenizer is missing at {file}. Install the package again."
        )
    made = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    made.no_truncation()
    made.no_padding()
    return made


def _costs(words: Sequence[str], plain: Sequence[str | None]) -> Longs:
    """Tokens of words, of which plain ones are asked about without the punctuation around them."""
    bases = [word if base is None else base for word, base in zip(words, plain, strict=True)]
    asked = list(dict.fromkeys(bases))
    found = tokenizer().encode_batch_fast(asked, add_special_tokens=False)
    known = dict(zip(asked, map(len, found), strict=True))
    # Every mark of punctuation is a token.
    costs = (known[base] + len(word) - len(base) for word, base in zip(words, bases, strict=True))
    return np.fromiter(costs, dtype=np.int64, count=len(words))


def _tokens(word: str, base: str | None) -> Iterable[str]:
    if base is None:
        return tokens(word)
    return (base[:LONGEST],) if base else ()
