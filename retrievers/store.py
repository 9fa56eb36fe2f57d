"""The retriever of any LangChain vector store, kept to a topic's documents by the store's own filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field

from factscore_chain.errors import KnowledgeSourceError, TitleNotFoundError, UsageError
from factscore_chain.retrievers.bm25 import checked_k
from factscore_chain.retrievers.topical import TopicRetriever, spellings, with_topic

TOPIC = "{topic}"
"""Stands for the topic in a filter."""


class StoreRetriever(TopicRetriever):
    """Finds documents in a vector store by similarity.

    With a topic, the store's filter keeps the search to documents of that title; a store that cannot filter
    has the topic in the query instead.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    store: VectorStore = Field(repr=False, exclude=True)
    name: str
    """What reports call it."""
    title_key: str = "title"
    """Where metadata holds a document's title."""
    title_filter: dict[str, Any] | Literal["function", "none"] = Field(default={"title": TOPIC})
    """The store's filter, with `{topic}` for the topic; "function" for one that is a function of a document;
    "none" where the store has no filter."""
    embedder: str = ""
    k: int = Field(default=5, ge=0)

    @property
    def knows_titles(self) -> bool:
        """Whether the store can filter."""
        return self.title_filter != "none"

    @property
    def identity(self) -> dict[str, str]:
        """What retrieves."""
        return {"kind": type(self).__name__, "store": type(self.store).__name__, "embeddings": self.embedder}

    @property
    def knowledge_identity(self) -> dict[str, str | None]:
        """Which store is searched; what it holds has no hash."""
        return {"name": self.name, "content_hash": None, "built": None}

    def resolve(self, topic: str) -> str | None:
        """The title that a topic means, by its exact words; None where the store cannot filter."""
        if not self.knows_titles:
            return None
        for spelling in spellings(topic):
            if self._search(spelling, 1, spelling):
                return spelling
        raise TitleNotFoundError(topic)

    def page(self, title: str) -> str:
        """Nothing: a vector store gives what is similar, not what is whole."""
        raise UsageError(f"{self.name!r} gives no whole documents. Give the generation a 'reference'.")

    def rank_many(
        self, queries: Sequence[str], topic: str | None = None, k: int | None = None
    ) -> list[list[Document]]:
        """For each query its documents, best first; see `TopicRetriever`."""
        wanted = checked_k(self.k if k is None else k)
        title = None if topic is None else self.resolve(topic)
        if wanted == 0:
            return [[] for _ in queries]
        asked = queries if title is not None else [with_topic(query, topic) for query in queries]
        return [self._search(query, wanted, title) for query in asked]

    def _search(self, query: str, k: int, title: str | None) -> list[Document]:
        if not query.strip():
            return []
        restricted = {} if title is None else {"filter": self._filter(title)}
        try:
            found = self.store.similarity_search(query, k=k, **restricted)
        except Exception as error:
            raise KnowledgeSourceError(
                f"The vector store {self.name!r} failed ({type(error).__name__})."
            ) from error
        return [self._titled(document) for document in found]

    def _filter(self, title: str) -> Any:
        if self.title_filter == "function":
            return self._is_titled(title)
        return _filled(self.title_filter, title)

    def _is_titled(self, title: str) -> Callable[[Document], bool]:
        return lambda document: document.metadata.get(self.title_key) == title

    def _titled(self, document: Document) -> Document:
        title = document.metadata.get(self.title_key)
        if self.title_key == "title" or title is None:
            return document
        return document.model_copy(update={"metadata": {**document.metadata, "title": str(title)}})


def _filled(value: Any, title: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(one, title) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, title) for one in value]
    return title if value == TOPIC else value
