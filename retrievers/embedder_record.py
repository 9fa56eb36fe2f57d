"""What an index remembers of its embedder, so that another one is noticed before it answers nonsense."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.embedding import Vectors, embed_queries, embedder_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from langchain_core.embeddings import Embeddings

_PROBE = "The Danube flows through ten countries; Ada wrote 1 program in 1843."
_SAME = 0.99
"""Least cosine of two vectors of one text by one model: processors differ in the last digits only."""


@dataclass(frozen=True)
class EmbedderRecord:
    """Name, dimension, and the vector of a fixed text."""

    name: str
    probe: Vectors

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return int(self.probe.shape[0])

    @classmethod
    def of(cls, embeddings: Embeddings) -> EmbedderRecord:
        """Asks an embedder for the vector of the fixed text."""
        return cls(embedder_name(embeddings), embed_queries(embeddings, [_PROBE])[0])

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> EmbedderRecord:
        """Reads what `to_metadata` wrote."""
        probe = np.frombuffer(base64.b64decode(metadata["probe"]), dtype=np.float16).astype(np.float32)
        return cls(str(metadata["embedder"]), probe)

    def to_metadata(self) -> dict[str, Any]:
        """As stored with the index."""
        probe = base64.b64encode(self.probe.astype(np.float16).tobytes()).decode()
        return {"embedder": self.name, "dimension": self.dimension, "probe": probe}

    def is_of(self, given: EmbedderRecord) -> bool:
        """Whether both are of one embedder: the same name, dimension and vector."""
        if (self.name, self.dimension) != (given.name, given.dimension):
            return False
        return float(self.probe @ given.probe) >= _SAME * float(np.linalg.norm(self.probe))

    def check(self, given: EmbedderRecord, place: str) -> None:
        """Makes sure that the given embedder is the one of this record.

        Raises:
            KnowledgeSourceError: Name, dimension or vectors differ; both are named.
        """
        made, asked = f"{self.name} ({self.dimension})", f"{given.name} ({given.dimension})"
        if self.is_of(given):
            return
        if made == asked:
            asked += " with other weights"
        raise KnowledgeSourceError(
            f"The vector index {place} was made by {made}, and cannot be searched with {asked}. "
            "Use that embedder, or build an index with the new one in another folder."
        )
