"""The original's module of this name: documents by title, and the ranking of their passages."""

from __future__ import annotations

from factscore_chain.original.documents import DocDB
from factscore_chain.original.passages import Retrieval

__all__ = ["DocDB", "Retrieval"]
