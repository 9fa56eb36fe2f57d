"""Text and vectors: what is embedded of a passage, and who embeds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.tokenize import clean
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

Vectors = npt.NDArray[np.float32]
"""Unit vectors, shape (texts, dimension)."""


def default_embeddings() -> Embeddings:
    """The shipped encoder."""
    from factscore_chain.encoder import EncoderEmbeddings

    return EncoderEmbeddings()


def embedder_name(embeddings: Embeddings) -> str:
    """What an index records about who made its vectors: the class, and the model where it tells."""
    kind = type(embeddings).__name__
    for attribute in ("model_name", "model", "model_id", "deployment", "repo_id"):
        value = getattr(embeddings, attribute, None)
        if isinstance(value, str) and value:
            return f"{kind}:{value}"
    return kind


def embedded_text(passage: Passage) -> str:
    """What is embedded of a passage: its title too, since a passage seldom names what its page is about."""
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text


def embed_passages(embeddings: Embeddings, passages: Sequence[Passage]) -> Vectors:
    """Unit vectors of passages, shape (passages, dimension)."""
    return _unit(embeddings.embed_documents([clean(embedded_text(passage)) for passage in passages]))


def embed_queries(embeddings: Embeddings, queries: Sequence[str]) -> Vectors:
    """Unit vectors of queries, shape (queries, dimension)."""
    texts = [clean(query) for query in queries]
    if _is_symmetric(embeddings):
        return _unit(embeddings.embed_documents(texts))
    # Other models may put an instruction before a query, which only `embed_query` knows of.
    return _unit([embeddings.embed_query(text) for text in texts])


def _is_symmetric(embeddings: Embeddings) -> bool:
    from factscore_chain.encoder import EncoderEmbeddings

    return isinstance(embeddings, EncoderEmbeddings)


def _unit(vectors: Sequence[Sequence[float]]) -> Vectors:
    matrix = np.asarray(vectors, dtype=np.float32)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise KnowledgeSourceError("The embeddings gave something else than finite vectors of one length.")
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.maximum(length, 1e-12), dtype=np.float32)
