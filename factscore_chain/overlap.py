"""Facts verified while others of the same generation are still being found."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from factscore_chain.decompose.along import Tell
from factscore_chain.decompose.distinct import same_key
from factscore_chain.values import AtomicFact, Decision, Decomposition

Decide = Callable[[tuple[AtomicFact, ...]], Awaitable[Sequence[Decision]]]
"""Decides facts together, in their order."""


async def decided_along(
    decompose: Callable[[Tell], Awaitable[Decomposition]], decide: Decide
) -> tuple[Decomposition, tuple[Decision, ...]]:
    """Breaks a generation into facts and decides each as soon as it is known.

    What is counted is what decomposition gives in the end, with facts that say the same joined; a fact that
    was decided before in the same words is not decided again.

    Args:
        decompose: Makes the facts, and tells those that are known before the others.
        decide: Decides some of them.

    Returns:
        The decomposition, and the decisions on its facts, in their order.
    """
    early = _Early(decide)
    try:
        found = await decompose(early.begin)
        return found, await early.decisions(found.facts)
    finally:
        await early.end()


class _Early:
    """What was begun before all facts were known."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._tasks: list[asyncio.Future[Sequence[Decision]]] = []
        self._begun: dict[tuple[str, ...], tuple[str, int, int]] = {}
        """By what facts that say the same have in common: the text, and where its decision will stand."""

    def begin(self, facts: Sequence[AtomicFact]) -> None:
        """Has facts decided of which none says the same as an earlier one."""
        fresh: list[AtomicFact] = []
        for fact in facts:
            key = same_key(fact.text)
            # Of facts that say the same the first checkable one counts.
            if fact.checkable and key not in self._begun:
                self._begun[key] = (fact.text, len(self._tasks), len(fresh))
                fresh.append(fact)
        if fresh:
            self._tasks.append(asyncio.ensure_future(self._decide(tuple(fresh))))

    async def decisions(self, facts: tuple[AtomicFact, ...]) -> tuple[Decision, ...]:
        """The decisions on all facts; those that were not begun are decided together."""
        places = [self._place(fact) for fact in facts]
        rest = tuple(fact for fact, place in zip(facts, places, strict=True) if place is None)
        self._tasks.append(asyncio.ensure_future(self._decide(rest)))
        done = await asyncio.gather(*self._tasks)
        others = iter(done[-1])
        return tuple(
            next(others) if place is None else about(fact, done[place[0]][place[1]])
            for fact, place in zip(facts, places, strict=True)
        )

    def _place(self, fact: AtomicFact) -> tuple[int, int] | None:
        text, task, number = self._begun.get(same_key(fact.text), (None, 0, 0))
        return (task, number) if text == fact.text and fact.checkable else None

    async def end(self) -> None:
        """Leaves nothing running."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def about(fact: AtomicFact, decision: Decision) -> Decision:
    """The decision on a fact whose places in the text are all known now."""
    return replace(decision, fact=fact, parts=tuple(about(fact, part) for part in decision.parts))
