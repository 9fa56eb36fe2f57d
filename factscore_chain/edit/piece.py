"""A piece of a sentence that can go without breaking it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Piece:
    """What to take out, and what to put in its place."""

    dropped: frozenset[int]
    """Tokens to take out."""
    put: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Words to put in before a token."""
    name: str = "a piece"
    """What it is, with its article."""
    single: bool = False
    """Whether a series has one item left, so that its verb may have to change."""
