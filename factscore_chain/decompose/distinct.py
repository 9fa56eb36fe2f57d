"""Facts that say the same count once, however often and in whatever like words the text states them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from factscore_chain.decompose.sameness import wording
from factscore_chain.values import AtomicFact, Span


def distinct(facts: Iterable[AtomicFact]) -> tuple[AtomicFact, ...]:
    """Keeps the first of facts that say the same, with the places of all of them."""
    groups: dict[tuple[str, ...], list[AtomicFact]] = {}
    for fact in facts:
        groups.setdefault(same_key(fact.text), []).append(fact)
    return tuple(_joined(group) for group in groups.values())


def same_key(text: str) -> tuple[str, ...]:
    """What facts that say the same have in common."""
    # A text of fillers and marks alone is compared as it stands.
    return wording(text) or (" ".join(text.casefold().split()),)


def _joined(group: list[AtomicFact]) -> AtomicFact:
    first = next((fact for fact in group if fact.checkable), group[0])
    spans: dict[Span, None] = {}
    for fact in group:
        spans.update(dict.fromkeys(span for span in (fact.span, *fact.also) if span is not None))
    return replace(first, also=tuple(span for span in spans if span != first.span))
