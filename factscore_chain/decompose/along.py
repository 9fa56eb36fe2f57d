"""Facts told as soon as their sentence is broken up, while others still are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from factscore_chain.decompose.sameness import wording
from factscore_chain.values import AtomicFact, Sentence

Tell = Callable[[Sequence[AtomicFact]], None]
"""Is told some facts of a generation; what it does with them must not depend on facts to come."""


class Along:
    """Passes facts on in the order in which their sentences are answered.

    Of facts that say the same only the one of the first sentence counts, so a fact waits as long as there is
    no answer to an earlier sentence that may state it too.

    Args:
        sentences: Those that are asked about.
        topic: Its words say nothing of what a sentence states.
        tell: Is told the facts.
    """

    def __init__(self, sentences: Iterable[Sentence], topic: str | None, tell: Tell) -> None:
        self._topic = frozenset(wording(topic or ""))
        self._open = {one.index: frozenset(wording(one.text)) for one in sentences}
        self._waiting: list[tuple[int, AtomicFact]] = []
        self._tell = tell

    def answered(self, sentence: Sentence, facts: Sequence[AtomicFact]) -> None:
        """A sentence has been broken up into facts."""
        del self._open[sentence.index]
        known = sorted([*self._waiting, *((sentence.index, fact) for fact in facts)], key=lambda one: one[0])
        ready = [fact for index, fact in known if not self._may_come_again(index, fact)]
        self._waiting = [(index, fact) for index, fact in known if self._may_come_again(index, fact)]
        if ready:
            self._tell(ready)

    def _may_come_again(self, index: int, fact: AtomicFact) -> bool:
        own = frozenset(wording(fact.text)) - self._topic
        return any(earlier < index and own <= words for earlier, words in self._open.items())
