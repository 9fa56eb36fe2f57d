"""Which passages a model is shown when not all of them fit: the best whole, the rest not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from factscore_chain.prompts.prompt import fence
from factscore_chain.tokens import CountTokens, estimate_tokens
from factscore_chain.values import Passage
from factscore_chain.verify.orders import without_orders

_MARKS = 12
"""Tokens for the fence around one passage."""
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’')\]]*\s+|(?<=[。！？।])\s*|\n+")


@dataclass(frozen=True)
class FittedPassages:
    """The passages that fit, in their order, and what had to go."""

    passages: tuple[Passage, ...]
    dropped: int = 0
    """Passages left out."""
    cut: bool = False
    """The first passage alone was too long, and was cut at a sentence's end."""

    @property
    def note(self) -> str | None:
        """What happened, for the decision's record; None if all passages fit."""
        said = ["the best passage was cut at a sentence's end"] if self.cut else []
        said += [f"{self.dropped} passages were left out"] if self.dropped else []
        return f"To keep within the token budget, {' and '.join(said)}." if said else None


def fit_passages(
    passages: Sequence[Passage], budget: int, count: CountTokens = estimate_tokens
) -> FittedPassages:
    """Keeps the passages, best first, as long as they fit into the budget.

    No passage is kept that ranks below one left out. Only the best is ever cut, and only if it does not fit
    by itself.

    Args:
        passages: The best first; what they order their reader to do is left out.
        budget: Tokens for all passages together.
        count: Counts the tokens of a text.
    """
    passages = [replace(passage, text=without_orders(passage.text)) for passage in passages]
    left = budget
    for kept, passage in enumerate(passages):
        cost = passage_tokens(passage, count)
        if cost > left:
            if kept:
                return FittedPassages(tuple(passages[:kept]), len(passages) - kept)
            return FittedPassages((_cut(passage, budget, count),), len(passages) - 1, cut=True)
        left -= cost
    return FittedPassages(tuple(passages))


def numbered(passages: Sequence[Passage]) -> str:
    """The passages as a model is shown them: each with its title, between fences that bear its number."""
    texts = [f"{one.title}\n{one.text}" if one.title else one.text for one in passages]
    return "\n".join(fence(text, f"passage-{number}", texts) for number, text in enumerate(texts, 1))


def passage_tokens(passage: Passage, count: CountTokens = estimate_tokens) -> int:
    """Tokens of one passage with its title and fence."""
    return count(f"{passage.title or ''}\n{passage.text}") + _MARKS


def _cut(passage: Passage, budget: int, count: CountTokens) -> Passage:
    ends = [match.start() for match in _SENTENCE_END.finditer(passage.text)]
    # One sentence longer than the budget can only be cut between words.
    ends = ends if ends and _fits(passage, ends[0], budget, count) else _word_ends(passage.text)
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if _fits(passage, ends[middle], budget, count):
            low = middle + 1
        else:
            high = middle
    end = ends[low - 1] if low else 0
    return replace(passage, text=passage.text[:end].rstrip())


def _fits(passage: Passage, end: int, budget: int, count: CountTokens) -> bool:
    return passage_tokens(replace(passage, text=passage.text[:end]), count) <= budget


def _word_ends(text: str) -> list[int]:
    return [match.end() for match in re.finditer(r"\S+", text)]
