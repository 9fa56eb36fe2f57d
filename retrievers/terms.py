"""Keeping full-text queries fast: the rarest terms of a query, within a budget of index entries."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

COMMON = 1_000
"""Terms in at least this many rows have their count stored; the others are cheap whatever they are."""

_MOST_TERMS = 64


def store_common(connection: sqlite3.Connection, index: str, table: str) -> None:
    """Counts once, when a source is complete, in how many rows of an index each frequent term stands."""
    vocabulary = f"temp.{index}_vocabulary"
    connection.execute(f"CREATE VIRTUAL TABLE {vocabulary} USING fts5vocab(main, {index}, row)")
    connection.execute(f"DELETE FROM {table}")  # noqa: S608  names are our own
    connection.execute(
        f"INSERT INTO {table} SELECT term, doc FROM {vocabulary} WHERE doc >= ?",  # noqa: S608
        (COMMON,),
    )
    connection.execute(f"DROP TABLE {vocabulary}")


def match_any(connection: sqlite3.Connection, table: str, terms: Iterable[str], budget: int) -> str | None:
    """A full-text query for rows with any of the terms.

    The rarest terms are taken first, while the rows they stand in stay within the budget; at least one is.
    What is left out says little: it is what the others outweigh in BM25.

    Args:
        connection: Of the knowledge source.
        table: Where the counts of common terms are stored.
        terms: Tokens, in any order, repetitions allowed.
        budget: Index entries that the query may read.

    Returns:
        The query in SQLite's syntax, every term quoted; None if there is no term.
    """
    unique = list(dict.fromkeys(terms))
    counts: dict[str, int] = {}
    for start in range(0, len(unique), 500):
        part = unique[start : start + 500]
        marks = ",".join("?" * len(part))
        rows = connection.execute(f"SELECT term, count FROM {table} WHERE term IN ({marks})", part)  # noqa: S608
        counts.update(rows)
    chosen: list[str] = []
    for term in sorted(unique, key=lambda term: counts.get(term, 0)):
        budget -= counts.get(term, 1)
        if chosen and (budget < 0 or len(chosen) == _MOST_TERMS):
            break
        chosen.append(term)
    return " OR ".join(f'"{term}"' for term in chosen) or None
