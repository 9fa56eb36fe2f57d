"""What every retriever can do whose documents have titles: be kept to one of them, and say what it is."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class TopicRetriever(BaseRetriever, ABC):
    """A LangChain retriever that restricts a search to a topic's document, for several queries at once.

    `invoke` and `ainvoke` take `topic` and `k`.
    """

    @abstractmethod
    def rank_many(
        self, queries: Sequence[str], topic: str | None = None, k: int | None = None
    ) -> list[list[Document]]:
        """For each query its documents, best first.

        Raises:
            TitleNotFoundError: No document has that title.
            AmbiguousTitleError: The topic may mean several documents.
            KnowledgeSourceError: What holds the documents cannot be asked.
            UsageError: k is negative.
        """

    @abstractmethod
    def resolve(self, topic: str) -> str | None:
        """The title of the document that a topic means; None where documents have no titles here.

        Raises:
            TitleNotFoundError: No document has that title.
            AmbiguousTitleError: The topic may mean several documents.
        """

    @abstractmethod
    def page(self, title: str) -> str:
        """The whole text of a topic's document.

        Raises:
            TitleNotFoundError: No document has that title.
            AmbiguousTitleError: The topic may mean several documents.
            UsageError: Whole documents cannot be had here.
        """

    @property
    @abstractmethod
    def identity(self) -> dict[str, str]:
        """What retrieves, for a report's manifest."""

    @property
    @abstractmethod
    def knowledge_identity(self) -> dict[str, str | None]:
        """Name, content hash and date of what is searched, for a report's manifest."""

    @property
    def knows_titles(self) -> bool:
        """Whether a topic restricts the search."""
        return True

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        topic: str | None = None,
        k: int | None = None,
    ) -> list[Document]:
        return self.rank_many([query], topic, k)[0]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        topic: str | None = None,
        k: int | None = None,
    ) -> list[Document]:
        return (await asyncio.to_thread(self.rank_many, [query], topic, k))[0]


def with_topic(query: str, topic: str | None) -> str:
    """The query for a search that cannot be restricted: the topic joins it unless it names it already."""
    return query if topic is None or topic.casefold() in query.casefold() else f"{topic} {query}"


def spellings(topic: str) -> tuple[str, ...]:
    """A topic as it is written, and as titles are where underscores stand for spaces."""
    return tuple(dict.fromkeys((topic, " ".join(topic.replace("_", " ").split()))))
