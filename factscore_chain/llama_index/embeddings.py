"""Embeddings of LangChain and of LlamaIndex, each as the other's."""

from __future__ import annotations

from typing import Any

from langchain_core.embeddings import Embeddings
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from factscore_chain.errors import UsageError
from factscore_chain.retrievers.embedding import default_embeddings, embedder_name


class LangChainEmbedding(BaseEmbedding):
    """LangChain embeddings for a LlamaIndex index; by default the shipped encoder, which asks no server.

    Args:
        embeddings: Any LangChain embeddings; None for the shipped encoder.
        fields: Of LlamaIndex's `BaseEmbedding`, such as `embed_batch_size`.

    Raises:
        UsageError: `embeddings` are no LangChain embeddings.
    """

    _embeddings: Embeddings = PrivateAttr()

    def __init__(self, embeddings: Embeddings | None = None, **fields: Any) -> None:
        inside = default_embeddings() if embeddings is None else embeddings
        if not isinstance(inside, Embeddings):
            raise UsageError(
                f"LangChainEmbedding takes LangChain embeddings, not {type(embeddings).__name__}."
            )
        super().__init__(**{"model_name": embedder_name(inside), **fields})
        self._embeddings = inside

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex's traces show it."""
        return "LangChainEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embeddings.embed_query(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await self._embeddings.aembed_query(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embeddings.embed_documents([text])[0]

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return (await self._embeddings.aembed_documents([text]))[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embeddings.embed_documents(texts)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await self._embeddings.aembed_documents(texts)


class LlamaIndexEmbeddings(Embeddings):
    """A LlamaIndex embedding model as LangChain embeddings, such as for `KnowledgeRetriever(embeddings=...)`.

    Args:
        embed_model: The embedding model.

    Raises:
        UsageError: It is none of LlamaIndex's.
    """

    def __init__(self, embed_model: BaseEmbedding) -> None:
        if not isinstance(embed_model, BaseEmbedding):
            raise UsageError(
                f"LlamaIndexEmbeddings takes a LlamaIndex embedding model, not {type(embed_model).__name__}."
            )
        self.embed_model = embed_model

    @property
    def model_name(self) -> str:
        """What an index records of who made its vectors: the model's name behind its class."""
        return f"{type(self.embed_model).__name__}:{self.embed_model.model_name}"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts, in their order."""
        return self.embed_model.get_text_embedding_batch(texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query."""
        return self.embed_model.get_query_embedding(text)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts without blocking."""
        return await self.embed_model.aget_text_embedding_batch(texts)

    async def aembed_query(self, text: str) -> list[float]:
        """The vector of a query without blocking."""
        return await self.embed_model.aget_query_embedding(text)
