"""Retrieval: atomic facts and their topic in, claims with passages out (paper, section 4.1)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.errors import UsageError
from factscore_chain.retrievers.documents import to_passages
from factscore_chain.retrievers.topical import TopicRetriever, with_topic
from factscore_chain.stage import Stage
from factscore_chain.values import AtomicFact, Claim


@dataclass(frozen=True)
class Question:
    """The facts of one generation that need evidence."""

    facts: tuple[AtomicFact, ...]
    topic: str | None = None


class Retrieval(Stage[Question, tuple[Claim, ...]]):
    """Finds passages for every fact, in a knowledge source or through any LangChain retriever.

    A knowledge source narrows the search to the topic's document. A foreign retriever knows no topics, so
    there the topic joins the query unless the fact names it already.
    """

    retriever: BaseRetriever
    k: int = Field(default=5, ge=1)
    """Passages a fact."""

    def resolve(self, topic: str | None) -> str | None:
        """The knowledge source's own title for a topic; None where there are no titles.

        Raises:
            TitleNotFoundError: No document has that title.
            AmbiguousTitleError: Several may be meant.
        """
        if topic is None or not isinstance(self.retriever, TopicRetriever):
            return None
        return self.retriever.resolve(topic)

    @property
    def knows_titles(self) -> bool:
        """Whether a topic restricts the search to the page of that title."""
        return isinstance(self.retriever, TopicRetriever) and self.retriever.knows_titles

    def page(self, topic: str) -> str:
        """The whole text of a topic's page.

        Raises:
            TitleNotFoundError: No document has that title.
            AmbiguousTitleError: Several may be meant.
            UsageError: The retriever knows no pages.
        """
        if not isinstance(self.retriever, TopicRetriever):
            raise UsageError(
                f"{type(self.retriever).__name__} has no pages by title. Give the generation a 'reference'."
            )
        return self.retriever.page(topic)

    @property
    def identity(self) -> dict[str, str]:
        """What retrieves, for the report's manifest."""
        if isinstance(self.retriever, TopicRetriever):
            return {**self.retriever.identity, "k": str(self.k)}
        return {"kind": type(self.retriever).__name__, "k": str(self.k)}

    @property
    def knowledge_identity(self) -> dict[str, str | None]:
        """Which knowledge source answers, for the report's manifest."""
        if not isinstance(self.retriever, TopicRetriever):
            return {"name": type(self.retriever).__name__, "content_hash": None, "built": None}
        return self.retriever.knowledge_identity

    async def _process(self, value: Question, config: RunnableConfig) -> tuple[Claim, ...]:
        queries = [fact.text for fact in value.facts]
        if isinstance(self.retriever, TopicRetriever):
            found = await asyncio.to_thread(self.retriever.rank_many, queries, value.topic, self.k)
        else:
            found = await self.retriever.abatch([with_topic(q, value.topic) for q in queries], config)
        return tuple(
            Claim(fact, to_passages(documents[: self.k]), value.topic)
            for fact, documents in zip(value.facts, found, strict=True)
        )
