"""What the calls of one run know of each other: which models turned out to be of no use."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from factscore_chain.errors import FatalModelError

_stopped: ContextVar[dict[Hashable, FatalModelError] | None] = ContextVar("stopped", default=None)


@contextmanager
def one_run() -> Iterator[None]:
    """All that is called inside, in whatever task or thread, is one run; runs know nothing of each other."""
    token = _stopped.set({})
    try:
        yield
    finally:
        _stopped.reset(token)


def stop(model: Hashable, error: FatalModelError) -> None:
    """Lets no further call of this run be made to a model."""
    if (stopped := _stopped.get()) is not None:
        stopped.setdefault(model, error)


def stopped_by(model: Hashable) -> FatalModelError | None:
    """What stopped the calls to a model in this run; None outside of runs."""
    return (_stopped.get() or {}).get(model)
