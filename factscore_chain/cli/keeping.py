"""What a run keeps of its work while it goes on, and how much it may lose."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from factscore_chain.errors import UsageError

if TYPE_CHECKING:
    from factscore_chain.gate import RunStore


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Declares where finished generations are kept."""
    parser.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="keeps each generation as soon as it is scored; what stands there already is not scored again",
    )


def add_failures_argument(parser: argparse.ArgumentParser) -> None:
    """Declares how much a run may lose before it stops."""
    parser.add_argument(
        "--max-failures",
        type=int,
        metavar="N",
        help="stop once so many model calls or generations failed, and keep what was done (default: go on)",
    )


def open_store(options: argparse.Namespace) -> RunStore | None:
    """Opens the store that the arguments name.

    Raises:
        UsageError: It cannot be opened, or nothing would be put into it.
    """
    from factscore_chain.gate import RunStore

    if options.store is not None and options.estimate_cost:
        raise UsageError(
            "--estimate-cost scores nothing, so --store would do nothing. Leave one of them out."
        )
    return None if options.store is None else RunStore(options.store)
