"""A bar for work that is counted in facts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def fact_progress() -> Iterator[Callable[[int], None]]:
    """Shows how many facts are done, on a terminal; gives the function that counts them."""
    from tqdm import tqdm

    terminal = sys.stderr.isatty() and "CI" not in os.environ
    with tqdm(unit="fact", disable=not terminal, leave=False) as bar:

        def advance(facts: int) -> None:
            bar.update(facts)

        yield advance
