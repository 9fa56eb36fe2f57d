"""The tables of a knowledge source: one SQLite file."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x4653_4B53
"""Marks the file as ours in SQLite's header."""
SCHEMA_VERSION = 2
"""The layout that is written."""
FULL_TEXT_VERSION = 1
"""The layout before it, with an FTS5 index over the passages; it is still read."""
BLOCK = 1 << 16
"""Ids of passages that one block of postings covers; they are stored as two bytes."""

# The index is fed with ready tokens, so SQLite must take letters, digits and marks as they come.
_TOKENS = "tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc' tokenchars '._'\""

_TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents(id INTEGER PRIMARY KEY, title TEXT NOT NULL, first INTEGER NOT NULL,
                       count INTEGER NOT NULL, place INTEGER NOT NULL, digest BLOB NOT NULL);
CREATE TABLE passages(id INTEGER PRIMARY KEY, document INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE names(id INTEGER PRIMARY KEY, folded TEXT NOT NULL, name TEXT NOT NULL,
                   document INTEGER NOT NULL, redirect INTEGER NOT NULL);
CREATE INDEX names_folded ON names(folded);
CREATE TABLE common_grams(term TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE lengths(block INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE postings(block INTEGER NOT NULL, word TEXT NOT NULL, size INTEGER NOT NULL, top INTEGER NOT NULL,
                      thin REAL NOT NULL, data BLOB NOT NULL, PRIMARY KEY(block, word)) WITHOUT ROWID;
CREATE VIRTUAL TABLE name_grams USING fts5(grams, content='', detail=none, {_TOKENS});
"""


def create(connection: sqlite3.Connection) -> None:
    """Creates the tables in an empty database."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.executescript(_TABLES)


def read_meta(connection: sqlite3.Connection) -> dict[str, str | int]:
    """Everything that is recorded about the database as a whole."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def write_meta(connection: sqlite3.Connection, **values: str | int) -> None:
    """Records values, replacing those of the same name."""
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
