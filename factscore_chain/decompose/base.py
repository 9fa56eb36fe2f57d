"""What a decomposer is: generation in, atomic facts with their places out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig

from factscore_chain.decompose.along import Tell
from factscore_chain.stage import Stage
from factscore_chain.values import AtomicFact, Decomposition, Generation, Sentence, Span


class Decomposer(Stage[Generation, Decomposition]):
    """Breaks a generation into atomic facts (paper, section 3.1)."""

    @property
    def identity(self) -> dict[str, str]:
        """What made the facts (kind, model, prompt and its version), for the report's manifest."""
        raise NotImplementedError

    async def decompose_along(
        self, generation: Generation, config: RunnableConfig, tell: Tell
    ) -> Decomposition:
        """Breaks a generation into facts, and tells those that are known before the others.

        Here nothing is told: the whole is known at once.

        Args:
            generation: The whole text.
            config: Passed on.
            tell: Is told facts as they will stand in the decomposition, but for what later ones may add.
        """
        return await self.ainvoke(generation, config)

    async def decompose_part(
        self, generation: Generation, spans: Sequence[Span], config: RunnableConfig
    ) -> Decomposition:
        """Breaks only some sentences of a generation into facts, understood in the whole of it.

        Here the whole is broken up and the rest left out; a decomposer whose work costs something for each
        sentence does better.

        Args:
            generation: The whole text.
            spans: Where the wanted sentences stand, or parts of them.
            config: Passed on.
        """
        return restricted(await self.ainvoke(generation, config), spans)


def restricted(found: Decomposition, spans: Sequence[Span]) -> Decomposition:
    """What was found in the sentences that stand at `spans`; `sentences` stays whole."""
    wanted = touched(found.sentences, spans)
    return Decomposition(
        found.sentences,
        tuple(
            fact for fact in found.facts if wanted & {one.sentence for one in apart(fact, found.sentences)}
        ),
        tuple(failure for failure in found.failures if failure.sentence in wanted),
        tuple(drop for drop in found.dropped if drop.sentence in wanted),
    )


def apart(fact: AtomicFact, sentences: Sequence[Sentence]) -> list[AtomicFact]:
    """The fact once for each place where the text states it, with its sentence."""
    if fact.span is None:
        return [fact]
    return [
        replace(fact, span=span, sentence=sentence_at(span, sentences), also=())
        for span in (fact.span, *fact.also)
    ]


def sentence_at(span: Span, sentences: Sequence[Sentence]) -> int | None:
    """The index of the sentence in which a stretch begins; None if it begins in none.

    Sentences come in their order, and none overlaps another.
    """
    place = bisect_right(sentences, span.start, key=_start) - 1
    return sentences[place].index if place >= 0 and span.start < sentences[place].span.end else None


def touched(sentences: Sequence[Sentence], spans: Iterable[Span]) -> set[int]:
    """Indexes of the sentences, which come in order, that have a character in common with a stretch."""
    found: set[int] = set()
    for span in spans:
        place = max(0, bisect_right(sentences, span.start, key=_start) - 1)
        while place < len(sentences) and sentences[place].span.start < span.end:
            if overlap(sentences[place].span, span):
                found.add(sentences[place].index)
            place += 1
    return found


def _start(sentence: Sentence) -> int:
    return sentence.span.start


def overlap(one: Span, other: Span) -> bool:
    """Whether two stretches have a character in common."""
    return one.start < other.end and other.start < one.end
