"""One way for every command to print what it found: for people, or as one JSON object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

Found = TypeVar("Found", bound=BaseModel)


def print_found(found: Found, table: Callable[[Found], object], *, as_json: bool) -> None:
    """Prints it as one JSON object, or has `table` print it."""
    if as_json:
        print(found.model_dump_json())
    else:
        table(found)
