"""The check of single sentences, understood in the text before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.abstain import is_abstention
from factscore_chain.chain import FactScoreChain
from factscore_chain.decompose.base import apart, overlap
from factscore_chain.decompose.blocks import after_fence
from factscore_chain.decompose.markup import without_tags
from factscore_chain.generation_scorer import GenerationScorer, unscored
from factscore_chain.guard.pieces import Piece
from factscore_chain.report import GenerationReport
from factscore_chain.stage import Stage
from factscore_chain.values import AtomicFact, Decision, Decomposition, Generation, SentenceFailure, Span

WINDOW = 2000
"""Characters of the text before a sentence in which its pronouns are understood."""


@dataclass(frozen=True)
class SentencesRequest:
    """Sentences of a text that is still being written."""

    text: str
    """The text up to the end of the last of them, and the rule right under it that makes it a title."""
    pieces: tuple[Piece, ...]
    topic: str | None = None


class SentenceScorer(Stage[SentencesRequest, tuple[GenerationReport, ...]]):
    """Scores sentences one by one, together: a report of each, whose text is the sentence alone.

    What goes wrong is raised.
    """

    scorer: FactScoreChain

    async def _process(self, value: SentencesRequest, config: RunnableConfig) -> tuple[GenerationReport, ...]:
        inner = self.scorer.scorer
        title = None if inner.retrieval is None else inner.retrieval.resolve(value.topic)
        topic = title or value.topic
        stated = [_states(piece, inner.abstain) for piece in value.pieces]
        asked = [piece for piece, states in zip(value.pieces, stated, strict=True) if states]
        found = [
            one
            for together in _in_one_window(value.text, asked)
            for one in await _decomposed(inner, value, together, topic, config)
        ]
        facts = [fact for one in found for fact in one.facts]
        decisions = iter(await inner.decide(tuple(facts), topic, config) if facts else ())
        reports = iter(
            [
                _report(inner, piece, topic, one, tuple(next(decisions) for _ in one.facts))
                for piece, one in zip(asked, found, strict=True)
            ]
        )
        return tuple(
            next(reports) if states else unscored(Generation(piece.text, topic), "no_facts")
            for piece, states in zip(value.pieces, stated, strict=True)
        )


def _states(piece: Piece, abstain: str) -> bool:
    return piece.kind != "code" and not is_abstention(piece.text, abstain)


def _in_one_window(text: str, pieces: Sequence[Piece]) -> list[Sequence[Piece]]:
    """The pieces, those apart that stand behind a fenced block which the window of the first begins in."""
    if not pieces:
        return []
    behind = after_fence(without_tags(text), window_start(text, pieces[0].span.start))
    first = sum(piece.span.start < behind for piece in pieces)
    return [some for some in (pieces[:first], pieces[first:]) if some]


async def _decomposed(
    scorer: GenerationScorer,
    value: SentencesRequest,
    pieces: Sequence[Piece],
    topic: str | None,
    config: RunnableConfig,
) -> list[Decomposition]:
    """The facts of each piece; places are in the whole text."""
    start = window_start(value.text, pieces[0].span.start)
    spans = [Span(piece.span.start - start, piece.span.end - start) for piece in pieces]
    found = await scorer.decomposer.decompose_part(
        Generation(value.text[start:], topic), spans, patch_config(config, run_name="decompose")
    )
    stated = [one for fact in found.facts for one in apart(fact, found.sentences)]
    homes = {
        one.index: next((i for i, span in enumerate(spans) if overlap(one.span, span)), None)
        for one in found.sentences
    }
    return [
        Decomposition(
            (),
            tuple(_moved(fact, start) for fact in stated if _home(fact, homes) == number),
            tuple(
                SentenceFailure(0, f.cause, f.raw) for f in found.failures if homes.get(f.sentence) == number
            ),
            tuple(replace(drop, sentence=0) for drop in found.dropped if homes.get(drop.sentence) == number),
        )
        for number in range(len(pieces))
    ]


def _home(fact: AtomicFact, homes: dict[int, int | None]) -> int | None:
    return None if fact.sentence is None else homes.get(fact.sentence)


def window_start(text: str, before: int) -> int:
    """Where the stretch begins in which a sentence is understood: at a break `WINDOW` characters before.

    It never begins in a fenced block that ends before the sentence: the end of one, by itself, opens another.
    """
    least = max(0, before - WINDOW)
    if least == 0:
        return 0
    line = text.find("\n", least, before)
    blank = text.find(" ", least, before)
    start = next((place + 1 for place in (line, blank) if place >= 0), before)
    behind = after_fence(without_tags(text), start)
    return behind if behind <= before else start


def _moved(fact: AtomicFact, by: int) -> AtomicFact:
    return fact if fact.span is None else replace(fact, span=Span(fact.span.start + by, fact.span.end + by))


def _report(
    scorer: GenerationScorer,
    piece: Piece,
    topic: str | None,
    found: Decomposition,
    decisions: tuple[Decision, ...],
) -> GenerationReport:
    start = piece.span.start
    placed = tuple(
        replace(one, fact=replace(_inside(one.fact, piece, start), sentence=0)) for one in decisions
    )
    return scorer.report(Generation(piece.text, topic), None, found, placed)


def _inside(fact: AtomicFact, piece: Piece, start: int) -> AtomicFact:
    """The fact with its place in the sentence."""
    if fact.span is None:
        return fact
    first = min(max(fact.span.start - start, 0), len(piece.text))
    return replace(fact, span=Span(first, min(max(fact.span.end - start, first), len(piece.text))))
