"""What the calls of one run know of each other: which models are of no use, and how many calls failed."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from factscore_chain.errors import FailureBudgetError, FatalModelError


@dataclass
class _Run:
    most_failures: int | None
    stopped: dict[Hashable, FatalModelError] = field(default_factory=dict)
    failures: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


_run: ContextVar[_Run | None] = ContextVar("run", default=None)


@contextmanager
def one_run(most_failures: int | None = None) -> Iterator[None]:
    """All that is called inside, in whatever task or thread, is one run; runs know nothing of each other.

    Args:
        most_failures: Failures after which the run is given up; None for any number.
    """
    token = _run.set(_Run(most_failures))
    try:
        yield
    finally:
        _run.reset(token)


def stop(model: Hashable, error: FatalModelError) -> None:
    """Lets no further call of this run be made to a model."""
    if (run := _run.get()) is not None:
        run.stopped.setdefault(model, error)


def stopped_by(model: Hashable) -> FatalModelError | None:
    """What stopped the calls to a model in this run; None outside of runs."""
    run = _run.get()
    return None if run is None else run.stopped.get(model)


def count_failures(number: int = 1) -> None:
    """Counts what failed in this run and cost a fact, a sentence or a generation."""
    if (run := _run.get()) is not None:
        with run.lock:
            run.failures += number


def given_up() -> FailureBudgetError | None:
    """Why no more is to be tried in this run; None while there is hope, and outside of runs."""
    run = _run.get()
    if run is None or run.most_failures is None or run.failures < run.most_failures:
        return None
    return FailureBudgetError(
        f"{run.failures} calls or generations failed, and max_failures is {run.most_failures}, so the run "
        "was stopped. What was done is kept."
    )
