"""What a run keeps of its work while it goes on, and how much it may lose."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from factscore_chain.errors import UsageError

if TYPE_CHECKING:
    from factscore_chain.gate import RunStore


def kept_at(text: str) -> str | Path:
    """Reads where something is kept: a path, or the URL of a database.

    Raises:
        ArgumentTypeError: It is the URL of something else.
    """
    if "://" not in text:
        return Path(text)
    from factscore_chain.storage import is_database

    try:
        return text if is_database(text) else Path(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def shown(place: str | Path) -> str:
    """What is said of it: a URL may hold a password."""
    return repr(str(place)) if isinstance(place, Path) else "the database that --store names"


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Declares where finished generations are kept."""
    parser.add_argument(
        "--store",
        type=kept_at,
        metavar="FILE|URL",
        help="keeps each finished stage at once, and does not ask again for what stands there; "
        "a file, or postgresql://USER@HOST/DATABASE that machines share (extra postgres)",
    )


def add_failures_argument(parser: argparse.ArgumentParser) -> None:
    """Declares how much a run may lose before it stops."""
    parser.add_argument(
        "--max-failures",
        type=int,
        metavar="N",
        help="stop once so many model calls or generations failed, and keep what was done (default: go on)",
    )


def add_strict_argument(parser: argparse.ArgumentParser) -> None:
    """Declares that nothing may be missing."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="ask nothing where a row is bad or a topic names no page (exit code 2); print no score where "
        "something failed or got no verdict (exit code 3)",
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
