"""The blocks of postings in the database."""

from __future__ import annotations

import sqlite3

import numpy as np

from factscore_chain.retrievers import schema
from factscore_chain.retrievers.pending import Pending
from factscore_chain.retrievers.postings import Ints, Postings, merged, pack

_LONGEST = 65_535


def store_block(connection: sqlite3.Connection, pending: Pending, block: int, stop: int) -> None:
    """Merges what waits for a block and stores it.

    Args:
        connection: Of the growing source, in a transaction.
        pending: Holds the postings of all passages of the block.
        block: Its number.
        stop: The id behind the last passage of the source.
    """
    start, end = block * schema.BLOCK, min(stop, (block + 1) * schema.BLOCK)
    waiting = pending.batches()
    offset = start - (pending.first_id() or 0)
    together = merged([part.between(start, end) for part in waiting])
    pack_rows(connection, block, together, together.lengths[offset : offset + end - start])


def pack_rows(connection: sqlite3.Connection, block: int, postings: Postings, lengths: Ints) -> None:
    """Stores words of a block, whose rows must not be there, and the lengths of all its passages."""
    data = np.minimum(lengths, _LONGEST).astype("<u2").tobytes()
    connection.execute("INSERT OR REPLACE INTO lengths VALUES (?, ?)", (block, data))
    connection.executemany(
        "INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?)",
        (
            (block, one.word, one.size, one.top, one.thin, one.data)
            for one in pack(postings, block * schema.BLOCK, lengths)
        ),
    )


def stored_lengths(connection: sqlite3.Connection, block: int) -> Ints:
    """The lengths of a block's passages; 0 for those that were removed."""
    row = connection.execute("SELECT data FROM lengths WHERE block = ?", (block,)).fetchone()
    return np.frombuffer(b"" if row is None else row[0], dtype="<u2").astype(np.int32)
