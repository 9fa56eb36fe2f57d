"""One way for every command to print what it found: for people, or as one JSON object."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from pydantic import BaseModel

Found = TypeVar("Found", bound=BaseModel)


def print_found(found: Found, table: Callable[[Found], object], *, as_json: bool) -> None:
    """Prints it as one JSON object, or has `table` print it."""
    if as_json:
        print(found.model_dump_json())
    else:
        table(found)


class InOrder:
    """Prints each as one JSON line once it and all before it are there, from whatever threads they come."""

    def __init__(self) -> None:
        self._next = 0
        self._waiting: dict[int, BaseModel] = {}
        self._lock = Lock()

    def __call__(self, place: int, found: BaseModel) -> None:
        """Takes one with its place, the first of which is 0."""
        with self._lock:
            self._waiting[place] = found
            while (one := self._waiting.pop(self._next, None)) is not None:
                print(one.model_dump_json(), flush=True)
                self._next += 1
