"""Computations that gain from many inputs, made for all who ask at the same time together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


class Together(Generic[In, Out]):
    """One computation at a time; what is asked for meanwhile, from whatever threads, goes into the next.

    A model then reads batches of like length across facts and generations, and computations do not compete
    for the same cores. Where a computation for several fails, it is made for each of them alone, so that it
    fails only whom it has to.

    Args:
        compute: Does the work for several inputs, results in the same order.
    """

    def __init__(self, compute: Callable[[list[In]], Sequence[Out]]) -> None:
        self._compute = compute
        self._computing, self._lock = Lock(), Lock()
        self._waiting: list[tuple[list[In], Future[list[Out]]]] = []

    def __call__(self, values: Sequence[In]) -> list[Out]:
        """The results of some inputs, in their order."""
        mine: Future[list[Out]] = Future()
        with self._lock:
            self._waiting.append((list(values), mine))
        with self._computing:
            if not mine.done():
                with self._lock:
                    taken, self._waiting = self._waiting, []
                self._serve(taken)
        return mine.result()

    def _serve(self, asked: Sequence[tuple[list[In], Future[list[Out]]]]) -> None:
        try:
            found = iter(self._compute([value for values, _ in asked for value in values]))
        except BaseException as error:  # noqa: BLE001  handed to who asked, who raises it
            if len(asked) == 1:
                asked[0][1].set_exception(error)
            else:
                for one in asked:
                    self._serve([one])
            return
        for values, theirs in asked:
            theirs.set_result([next(found) for _ in values])
