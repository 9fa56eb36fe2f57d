"""Cuts a generation into pieces, so that overlapping facts can each be shown in its text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from factscore_chain.values import Span


class Segments(NamedTuple):
    """A text in pieces, cut wherever a fact begins or ends."""

    texts: tuple[str, ...]
    """The pieces, in order; together they are the text."""
    places: tuple[tuple[int, int] | None, ...]
    """For each fact, the pieces `texts[first:end]` that state it; None where it has no place."""


def cut(text: str, spans: Sequence[Span | None]) -> Segments:
    """Cuts a text at the ends of spans; any number of spans may hold one piece.

    A span is clipped to the text, and one that is empty after that is no place. The result grows with the
    text and the number of spans, however they overlap.
    """
    clipped = [_clip(span, len(text)) for span in spans]
    edges = sorted({0, len(text), *(edge for span in clipped if span for edge in span)})
    number = {edge: index for index, edge in enumerate(edges)}
    return Segments(
        tuple(text[start:end] for start, end in pairwise(edges)),
        tuple(span and (number[span.start], number[span.end]) for span in clipped),
    )


def _clip(span: Span | None, length: int) -> Span | None:
    if span is None:
        return None
    start, end = max(0, span.start), min(length, span.end)
    return Span(start, end) if start < end else None
