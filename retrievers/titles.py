"""From what somebody calls a topic to the title of a document, without guessing."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

from factscore_chain.errors import AmbiguousTitleError, TitleNotFoundError
from factscore_chain.retrievers.terms import match_any
from factscore_chain.retrievers.tokenize import clean, fold

_LISTED = 10
"""Candidates that an error lists."""
_NEAR = 5
_LIKENESS = 0.6
_ALIKE = 80
"""Characters of a title that are compared for likeness."""
_BUDGET = 100_000
_COMPARED = 200
_LOOKED_UP = 500
"""Characters of a title that are indexed; longer ones are texts rather than titles."""
_VARIANTS = str.maketrans(
    {"_": " ", "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "‑": "-"}
)


def normalise(title: str) -> str:
    """The form in which titles are compared: one Unicode form, case, white space, quote and dash."""
    text = unicodedata.normalize("NFKC", title).translate(_VARIANTS)
    return " ".join(text.casefold().split())


def folded(title: str) -> str:
    """The normalised title without accents, under which it is stored; at most 500 characters."""
    return fold(normalise(title))[:_LOOKED_UP]


def grams(title: str) -> list[str]:
    """Three-letter pieces of a title's words, by which misspelt titles are found."""
    found: list[str] = []
    for word in re.findall(r"\w+", folded(title)):
        padded = f"_{word.strip('_')}_"
        found.extend(padded[i : i + 3] for i in range(max(1, len(padded) - 2)))
    return found


class TitleIndex:
    """Resolves titles against the tables `names`, `name_grams` and `common_grams` of a database."""

    def __init__(self, connection: sqlite3.Connection, order: str = "place") -> None:
        self._connection = connection
        self._order = order

    def resolve(self, title: str) -> str:
        """Finds the title of the one document that is meant.

        In this order: the exact title; the only title that is equal once normalised; the document that a
        declared redirect leads to; the only title that differs by accents alone.

        Raises:
            AmbiguousTitleError: Several documents are equal at that step, or none is and several titles begin
                with the words asked for ("Bosch (company)" and "Bosch Brewing Company" for "Bosch").
            TitleNotFoundError: Nothing fits; near titles are listed.
        """
        title = clean(title)
        found = self._equal(title)
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousTitleError(title, tuple(found[:_LISTED]))
        longer = self._beginning_with(folded(title))
        if len(longer) > 1:
            raise AmbiguousTitleError(title, tuple(longer[:_LISTED]))
        raise TitleNotFoundError(title, tuple(dict.fromkeys([*longer, *self.near(title)]))[:_NEAR])

    def find(self, title: str) -> str | None:
        """What `resolve` gives; None, and no search for near titles, where it would raise."""
        found = self._equal(clean(title))
        return found[0] if len(found) == 1 else None

    def namesakes(self, name: str) -> list[str]:
        """Titles of all documents that bear a name, by itself or with a qualifier in brackets."""
        key = folded(clean(name))
        qualified = [title for title in self._beginning_with(key) if folded(title).startswith(f"{key} (")]
        return list(dict.fromkeys([*self._equal(clean(name)), *qualified]))

    def _equal(self, title: str) -> list[str]:
        """The titles that the first step of `resolve` finds that finds any."""
        rows = self._named(folded(title))
        wanted = normalise(title)
        titles = [name for name, _, redirect in rows if not redirect]
        if title in titles:
            return [title]
        steps = (
            [name for name in titles if normalise(name) == wanted],
            self._redirected(d for name, d, redirect in rows if redirect and name == title),
            self._redirected(d for name, d, redirect in rows if redirect and normalise(name) == wanted),
            titles,
            self._redirected(d for _, d, redirect in rows if redirect),
        )
        return next((found for found in steps if found), [])

    def near(self, title: str) -> list[str]:
        """Titles that look like this one, the most similar first."""
        key = folded(clean(title))
        query = match_any(self._connection, "common_grams", grams(key), _BUDGET)
        if query is None:
            return []
        rows = self._connection.execute(
            "SELECT d.title, n.folded FROM name_grams g JOIN names n ON n.id = g.rowid "  # noqa: S608  our own name
            "JOIN documents d ON d.id = n.document WHERE name_grams MATCH ? "
            f"ORDER BY g.rank, d.{self._order}, n.id LIMIT ?",
            (query, _COMPARED),
        )
        scored = [(-_likeness(key, other), order, name) for order, (name, other) in enumerate(rows)]
        good = [name for likeness, _, name in sorted(scored) if -likeness >= _LIKENESS]
        return list(dict.fromkeys(good))[:_NEAR]

    def _named(self, key: str) -> list[tuple[str, int, int]]:
        if not key:
            return []
        sql = (
            "SELECT n.name, n.document, n.redirect FROM names n "  # noqa: S608  our own name
            "JOIN documents d ON d.id = n.document "
            f"WHERE n.folded = ? ORDER BY d.{self._order}, n.id LIMIT 1000"
        )
        return self._connection.execute(sql, (key,)).fetchall()

    def _redirected(self, documents: Iterable[int]) -> list[str]:
        sql = f"SELECT {self._order}, title FROM documents WHERE id = ?"  # noqa: S608  our own name
        found = [self._connection.execute(sql, (document,)).fetchone() for document in set(documents)]
        return [title for _, title in sorted(found)]

    def _beginning_with(self, key: str) -> list[str]:
        if not key:
            return []
        # A blank or a comma must follow: "Bos" is not the beginning of "Bosch".
        sql = (
            "SELECT n.name FROM names n JOIN documents d ON d.id = n.document "  # noqa: S608  our own name
            "WHERE n.redirect = 0 AND "
            "((n.folded >= ?1 || ' ' AND n.folded < ?1 || '!') "
            "OR (n.folded >= ?1 || ',' AND n.folded < ?1 || '-')) "
            f"ORDER BY substr(n.folded, length(?1) + 1, 2) <> ' (', n.folded, d.{self._order}, n.id LIMIT ?2"
        )
        return [name for (name,) in self._connection.execute(sql, (key, _LISTED + 1))]


def _likeness(wanted: str, other: str) -> float:
    wanted, other = wanted[:_ALIKE], other[:_ALIKE]
    words, other_words = wanted.split(), other.split()
    found = [max(_ratio(word, o) for o in other_words) for word in words] if other_words else [0.0]
    # Each word asked for, among others, is as good a hint as a slip of the pen in the whole.
    return max(_ratio(wanted, other), 0.9 * sum(found) / len(found))


def _ratio(one: str, other: str) -> float:
    return 1.0 if one == other else SequenceMatcher(None, one, other, autojunk=False).ratio()


def insert_names(connection: sqlite3.Connection, names: Iterable[tuple[int, str, int, bool]]) -> None:
    """Stores names of documents: row id, name, row id of the document, whether it is a redirect."""
    rows = [(row, folded(name), name, document, int(redirect)) for row, name, document, redirect in names]
    connection.executemany("INSERT INTO names VALUES (?, ?, ?, ?, ?)", rows)
    connection.executemany(
        "INSERT INTO name_grams(rowid, grams) VALUES (?, ?)",
        ((row, " ".join(dict.fromkeys(grams(key)))) for row, key, *_ in rows),
    )


def remove_names(connection: sqlite3.Connection, condition: str) -> None:
    """Removes the names that fulfil a condition of our own wording."""
    rows = connection.execute(f"SELECT id, folded FROM names WHERE {condition}").fetchall()  # noqa: S608
    connection.executemany(
        "INSERT INTO name_grams(name_grams, rowid, grams) VALUES ('delete', ?, ?)",
        [(row, " ".join(dict.fromkeys(grams(key)))) for row, key in rows],
    )
    connection.executemany("DELETE FROM names WHERE id = ?", [(row,) for row, _ in rows])
