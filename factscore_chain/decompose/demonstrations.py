"""Which worked examples a prompt shows: always the fixed ones, and the few nearest to the question."""

from __future__ import annotations

from functools import cached_property

from factscore_chain.prompts.prompt import Demonstration, Prompt
from factscore_chain.retrievers.bm25 import BM25Index


class Demonstrations:
    """Picks from a prompt's pool by BM25 over one of its fields.

    The fixed ones come first, so that servers which keep a prompt's beginning can reuse it.
    """

    def __init__(self, prompt: Prompt, field: str) -> None:
        self._prompt = prompt
        self._field = field

    @cached_property
    def _index(self) -> BM25Index:
        return BM25Index([demonstration.fields[self._field] for demonstration in self._prompt.pool])

    def nearest(self, text: str, count: int) -> tuple[Demonstration, ...]:
        """The fixed demonstrations, and then up to `count` of the pool that share words with `text`."""
        if count == 0:
            return self._prompt.demonstrations
        ranked = self._index.rank(text, count)
        picked = [self._prompt.pool[position] for position, score in ranked if score > 0]
        # The nearest stands last, next to the question.
        return (*self._prompt.demonstrations, *reversed(picked))
