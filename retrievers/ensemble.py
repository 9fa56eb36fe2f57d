"""The ensemble retriever: BM25 and vectors over a knowledge source, fused by reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from pydantic import ConfigDict, Field, PrivateAttr

from factscore_chain.retrievers.bm25 import checked_k
from factscore_chain.retrievers.documents import to_document, to_passages
from factscore_chain.retrievers.embedding import embedder_name
from factscore_chain.retrievers.kept_vectors import vectors_beside
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.ranking import Mode, Ranker
from factscore_chain.retrievers.topical import TopicRetriever
from factscore_chain.retrievers.vectors import VectorIndex, open_beside

__all__ = ["KnowledgeRetriever", "Mode", "to_passages"]


class KnowledgeRetriever(TopicRetriever):
    """Finds the passages that bear on a fact, as LangChain documents.

    With a topic, only the passages of the document of that title are ranked, in memory: always k of them if
    it has as many, since that page is what a fact about the topic is to be checked against. Without one, the
    whole source is searched: by its full-text index, and by its vector index if one was built; if not, the
    vectors rank what the full-text index found. There, a query that matches nothing finds nothing.

    `invoke` and `ainvoke` take `topic` and `k`. A document's id follows from its content; its metadata holds
    `title`, `score` (higher is better), `rank` and `origins` ("bm25", "vector"). Scores are sums of
    reciprocal ranks, BM25 scores, or cosines in 0..1, by mode.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    source: KnowledgeSource = Field(repr=False)
    k: int = Field(default=5, ge=0)
    """Passages a query."""
    embeddings: Embeddings | None = Field(default=None, repr=False)
    """None uses the shipped encoder."""
    mode: Mode = "ensemble"
    vector_index: VectorIndex | None = Field(default=None, repr=False)
    """None uses the one beside the source, if it was built."""

    _ranker: tuple[tuple[Any, ...], Ranker] | None = PrivateAttr(default=None)

    @property
    def identity(self) -> dict[str, str]:
        """What retrieves, for a report's manifest."""
        found = {"kind": type(self).__name__, "mode": self.mode}
        if self.mode != "bm25":
            found["embeddings"] = embedder_name(self._current().embeddings)
        return found

    @property
    def knowledge_identity(self) -> dict[str, str | None]:
        """Which source is searched."""
        source = self.source
        return {"name": source.name, "content_hash": source.content_hash, "built": source.built}

    def resolve(self, topic: str) -> str:
        """The source's own title for a topic."""
        return self.source.resolve(topic)

    def page(self, title: str) -> str:
        """The whole text of a topic's document."""
        return "\n".join(passage.text for passage in self.source.passages(title))

    def rank_many(
        self, queries: Sequence[str], topic: str | None = None, k: int | None = None
    ) -> list[list[Document]]:
        """Retrieves for several queries about one topic, embedding all of them together.

        Returns:
            For each query its documents, best first.

        Raises:
            TitleNotFoundError: The source has no document of that title.
            AmbiguousTitleError: The topic may mean several documents.
            UsageError: k is negative.
        """
        wanted = checked_k(self.k if k is None else k)
        title = None if topic is None else self.source.resolve(topic)
        if wanted == 0 or not queries:
            return [[] for _ in queries]
        ranker = self._current()
        found = ranker.everywhere(queries, wanted) if title is None else ranker.within(title, queries)
        return [
            [to_document(replace(passage, rank=rank)) for rank, passage in enumerate(passages[:wanted], 1)]
            for passages in found
        ]

    def _current(self) -> Ranker:
        # Fields may be assigned, and copies made with other ones, so the ranker is checked against them.
        settings = (self.source, self.embeddings, self.mode, self.vector_index)
        kept = self._ranker
        if kept is None or any(mine is not its for mine, its in zip(settings, kept[0], strict=True)):
            vectors = vectors_beside(self.source.path)
            ranker = Ranker(self.source, self.embeddings, self.mode, self._open_index, vectors)
            kept = (settings, ranker)
            self._ranker = kept
        return kept[1]

    def _open_index(self) -> VectorIndex | None:
        if self.vector_index is not None:
            return self.vector_index
        return open_beside(self.source, self.embeddings)

    def __getstate__(self) -> dict[Any, Any]:
        # What was remembered holds locks; a copy in another process remembers anew.
        state = super().__getstate__()
        return {**state, "__pydantic_private__": {"_ranker": None}}
