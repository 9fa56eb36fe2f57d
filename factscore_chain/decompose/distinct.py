"""Facts that say the same in the same words count once."""

from __future__ import annotations

from collections.abc import Iterable

from factscore_chain.values import AtomicFact


def distinct(facts: Iterable[AtomicFact]) -> tuple[AtomicFact, ...]:
    """Keeps the first of facts that differ only in case, spacing and final marks."""
    first: dict[str, AtomicFact] = {}
    for fact in facts:
        first.setdefault(_key(fact.text), fact)
    return tuple(first.values())


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。 ")
