"""Tells a plain function of each item that a chain has finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig

Result = TypeVar("Result")
OnDone = Callable[[int, Result], object]
"""Takes the index of an item in the input, and its result."""


class _Progress(BaseCallbackHandler):
    """Hands what custom events of one name hold to a function."""

    run_inline = True
    """Else each event goes through a thread, and those of a run that is interrupted find none any more."""

    def __init__(self, event: str, key: str, on_done: OnDone[Any]) -> None:
        self._event, self._key, self._on_done = event, key, on_done

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        if name == self._event:
            self._on_done(data["index"], data[self._key])


def progress_config(event: str, key: str, on_done: OnDone[Any] | None) -> RunnableConfig | None:
    """A config that has a function called with `index` and `key` of each custom event; None without one."""
    return None if on_done is None else {"callbacks": [_Progress(event, key, on_done)]}


@contextmanager
def watched(
    on_done: OnDone[Result] | None, shown: bool, total: int, unit: str
) -> Iterator[OnDone[Result] | None]:
    """Shows a bar, on a terminal or as a notebook's widget, that moves before `on_done` is called.

    Args:
        on_done: A function of the user's, or None.
        shown: Whether there is a bar at all; without, `on_done` is given as it is.
        total: Items.
        unit: What they are called.
    """
    if not shown:
        yield on_done
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, unit=unit) as bar:

        def advance(index: int, result: Result) -> None:
            bar.update()
            if on_done is not None:
                on_done(index, result)

        yield advance
