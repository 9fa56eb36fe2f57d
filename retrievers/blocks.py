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
    write_block(connection, block, together, together.lengths[offset : offset + end - start])


def write_block(connection: sqlite3.Connection, block: int, postings: Postings, lengths: Ints) -> None:
    """Stores the lengths of a block's passages, and its words in their order."""
    data = np.minimum(lengths, _LONGEST).astype("<u2").tobytes()
    connection.execute("INSERT INTO lengths VALUES (?, ?)", (block, data))
    connection.executemany(
        "INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?)",
        (
            (block, one.word, one.size, one.top, one.thin, one.data)
            for one in pack(postings, block * schema.BLOCK, lengths)
        ),
    )
