"""Cuts a generation into pieces, so that overlapping facts can each be shown in its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from factscore_chain.records import FactRecord
from factscore_chain.values import Span

Places: TypeAlias = tuple[tuple[int, int], ...]
"""Runs of pieces `texts[first:end]`, in the order of the text."""


class Segments(NamedTuple):
    """A text in pieces, cut wherever a fact begins or ends."""

    texts: tuple[str, ...]
    """The pieces, in order; together they are the text."""
    places: tuple[Places, ...]
    """For each fact, the pieces that state it; empty where it has no place."""


def spans_of(fact: FactRecord) -> tuple[Span, ...]:
    """Everywhere that the generation states a fact."""
    return fact.also if fact.span is None else (fact.span, *fact.also)


def cut(text: str, spans: Sequence[Sequence[Span]]) -> Segments:
    """Cuts a text at the ends of the spans of its facts; any number of facts may hold one piece.

    A span is clipped to the text, and one that is empty after that is no place; places of one fact that touch
    become one. The result grows with the text and the number of spans, however they overlap.
    """
    clipped = [_joined(_clip(span, len(text)) for span in several) for several in spans]
    edges = sorted({0, len(text), *(edge for several in clipped for span in several for edge in span)})
    number = {edge: index for index, edge in enumerate(edges)}
    return Segments(
        tuple(text[start:end] for start, end in pairwise(edges)),
        tuple(tuple((number[start], number[end]) for start, end in several) for several in clipped),
    )


def _clip(span: Span, length: int) -> Span:
    return Span(max(0, span.start), min(length, span.end))


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in sorted(one for one in spans if one.start < one.end):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
