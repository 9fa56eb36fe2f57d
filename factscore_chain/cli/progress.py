"""Bars for somebody who watches."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm


def progress_bar(unit: str, total: int | None = None) -> tqdm[Any]:
    """A bar on standard error, if that is a terminal and not the log of a CI job."""
    from tqdm import tqdm

    watched = sys.stderr.isatty() and "CI" not in os.environ
    bar: tqdm[Any] = tqdm(total=total, unit=unit, disable=not watched, leave=False)
    return bar


@contextmanager
def fact_progress() -> Iterator[Callable[[int], None]]:
    """Shows how many facts are done; gives the function that counts them."""
    with progress_bar("fact") as bar:

        def advance(facts: int) -> None:
            bar.update(facts)

        yield advance
