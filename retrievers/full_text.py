"""Searching a source of the layout before, whose passages stand in an FTS5 index."""

from __future__ import annotations

import sqlite3

from factscore_chain.retrievers.terms import match_any
from factscore_chain.retrievers.tokenize import tokens

_BUDGET = 50_000
"""Index entries that a search may read: keeps it fast where a word stands in most passages."""
_TITLE_WEIGHT = 4.0


def search_full_text(connection: sqlite3.Connection, query: str, limit: int) -> list[tuple[str, str, float]]:
    """Title, text and BM25 score of the best passages; those without a word of the query are left out."""
    match = match_any(connection, "common_terms", tokens(query), _BUDGET)
    if match is None:
        return []
    sql = (
        "SELECT d.title, p.text, found.score FROM (SELECT rowid, bm25(passage_terms, ?, 1.0) AS score "
        "FROM passage_terms WHERE passage_terms MATCH ? ORDER BY score, rowid LIMIT ?) AS found "
        "JOIN passages p ON p.id = found.rowid JOIN documents d ON d.id = p.document "
        "ORDER BY found.score, found.rowid"
    )
    rows = connection.execute(sql, (_TITLE_WEIGHT, match, limit))
    return [(title, text, -score) for title, text, score in rows]
