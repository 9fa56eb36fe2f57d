"""Whether the fact denies what the evidence says, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.verify.lexicon import denies
from factscore_chain.verify.words import Floats

_MARKS = frozenset(",;:–—-()")
_CONTRASTS = frozenset({"but", "while", "although", "though", "whereas", "however"})


def clauses(words: Sequence[str]) -> list[slice]:
    """The clauses of a sentence, cut at punctuation and contrasting conjunctions; none is empty."""
    found, start = [], 0
    for i, word in enumerate([*words, ","]):
        if word in _MARKS or word.lower() in _CONTRASTS:
            if i > start:
                found.append(slice(start, i))
            start = i + 1
    return found or [slice(0, len(words))]


def denial(fact: Sequence[str], sentence: Sequence[str], match: Floats) -> tuple[bool, bool]:
    """Whether only the fact denies, and whether only the clause does that matches it best.

    Args:
        fact: Its words.
        sentence: The words of the best sentence.
        match: Cosines of the fact's content words with the sentence's words.
    """
    best = max(clauses(sentence), key=lambda clause: float(match[:, clause].max(1).mean()))
    one, other = denies(fact), denies(sentence[best])
    return one and not other, other and not one
