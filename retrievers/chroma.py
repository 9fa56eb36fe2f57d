"""The retriever of a collection on a Chroma server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from langchain_core.documents import Document
from pydantic import ConfigDict, Field, PrivateAttr

from factscore_chain.retrievers.bm25 import checked_k
from factscore_chain.retrievers.chroma_collection import ChromaCollection
from factscore_chain.retrievers.documents import to_document
from factscore_chain.retrievers.embedding import default_embeddings, embedder_name
from factscore_chain.retrievers.ranking import Ranker
from factscore_chain.retrievers.topical import TopicRetriever

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


class ChromaRetriever(TopicRetriever):
    """Finds passages in a collection on a Chroma server.

    With a topic, the passages of that title are fetched once and ranked in memory by words and vectors, as
    those of a registered source are. Without one, the vectors of the whole collection are searched.

    Raises:
        UsageError, KnowledgeSourceError: See `ChromaCollection`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    url: str
    """`chroma://HOST:PORT/COLLECTION`"""
    k: int = Field(default=5, ge=0)
    _collection: ChromaCollection = PrivateAttr()
    _ranker: Ranker = PrivateAttr()
    _embedder: str = PrivateAttr()

    def __init__(self, url: str, embeddings: Embeddings | None = None, k: int = 5) -> None:
        super().__init__(url=url, k=k)
        made = embeddings or default_embeddings()
        self._collection = ChromaCollection(url, made)
        self._embedder = embedder_name(made)
        self._ranker = Ranker(self._collection, made, "ensemble", lambda: self._collection)

    @property
    def identity(self) -> dict[str, str]:
        """What retrieves."""
        return {"kind": type(self).__name__, "mode": "ensemble", "embeddings": self._embedder}

    @property
    def knowledge_identity(self) -> dict[str, str | None]:
        """Which collection is searched."""
        return {"name": self._collection.name, "content_hash": self._collection.content_hash, "built": None}

    def resolve(self, topic: str) -> str:
        """The title that a topic means, by its exact words."""
        return self._collection.title(topic)

    def page(self, title: str) -> str:
        """The whole text of a topic's document."""
        return "\n".join(passage.text for passage in self._collection.passages(self.resolve(title)))

    def rank_many(
        self, queries: Sequence[str], topic: str | None = None, k: int | None = None
    ) -> list[list[Document]]:
        """For each query its documents, best first; see `TopicRetriever`."""
        wanted = checked_k(self.k if k is None else k)
        title = None if topic is None else self.resolve(topic)
        if wanted == 0 or not queries:
            return [[] for _ in queries]
        ranked = (
            self._ranker.everywhere(queries, wanted) if title is None else self._ranker.within(title, queries)
        )
        return [
            [to_document(replace(passage, rank=rank)) for rank, passage in enumerate(passages[:wanted], 1)]
            for passages in ranked
        ]
