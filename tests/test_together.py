"""Computations made for all who ask at the same time together."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from factscore_chain.together import Together

LONGEST_WAIT = 60


class Doubling:
    """Doubles numbers once it is let, and remembers what it got together; 13 breaks it."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.batches: list[list[int]] = []

    def __call__(self, values: Sequence[int]) -> list[int]:
        self.batches.append(list(values))
        self.begun.set()
        assert self.go_on.wait(LONGEST_WAIT)
        if 13 in values:
            raise LookupError("thirteen")
        return [2 * value for value in values]


def asked_meanwhile(work: Doubling, *asked: list[int]) -> list[list[int] | BaseException]:
    """What those get who ask while the first computation, on [0], is going on."""
    together: Together[int, int] = Together(work)
    queued = threading.Semaphore(0)

    class Queue(list[object]):
        def append(self, one: object) -> None:
            super().append(one)
            queued.release()

    with ThreadPoolExecutor(len(asked) + 1) as threads:
        first = threads.submit(together, [0])
        assert work.begun.wait(LONGEST_WAIT)
        # Who has queued up cannot be seen from outside.
        together._waiting = Queue()  # type: ignore[assignment]
        others = [threads.submit(together, one) for one in asked]
        for _ in asked:
            assert queued.acquire(timeout=LONGEST_WAIT)
        work.go_on.set()
        assert first.result(LONGEST_WAIT) == [0]
        return [other.exception(LONGEST_WAIT) or other.result() for other in others]


def test_what_is_asked_meanwhile_is_computed_together_and_comes_back_to_who_asked() -> None:
    work = Doubling()
    assert asked_meanwhile(work, [1, 2], [3], []) == [[2, 4], [6], []]
    assert [sorted(batch) for batch in work.batches] == [[0], [1, 2, 3]]


def test_what_fails_costs_only_who_asked_for_it() -> None:
    found = asked_meanwhile(Doubling(), [1], [13], [3])
    assert (found[0], found[2]) == ([2], [6])
    assert isinstance(found[1], LookupError)


def test_who_asks_alone_is_served_at_once() -> None:
    work = Doubling()
    work.go_on.set()
    together: Together[int, int] = Together(work)
    assert [together([1]), together([2, 3])] == [[2], [4, 6]]
    with pytest.raises(LookupError):
        together([13])
    assert together([4]) == [8]
