"""Tells a plain function of each item that a chain has finished."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig

Result = TypeVar("Result")
OnDone = Callable[[int, Result], None]
"""Takes the index of an item in the input, and its result."""


class _Progress(BaseCallbackHandler):
    """Hands what custom events of one name hold to a function."""

    def __init__(self, event: str, key: str, on_done: OnDone[Any]) -> None:
        self._event, self._key, self._on_done = event, key, on_done

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        if name == self._event:
            self._on_done(data["index"], data[self._key])


def progress_config(event: str, key: str, on_done: OnDone[Any] | None) -> RunnableConfig | None:
    """A config that has a function called with `index` and `key` of each custom event; None without one."""
    return None if on_done is None else {"callbacks": [_Progress(event, key, on_done)]}
