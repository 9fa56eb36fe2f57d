"""The retrieval stage of the published protocol: exact title, k passages of that one article."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from langchain_core.runnables import RunnableConfig

from factscore_chain.original.passages import Passages, Retrieval, without_markers
from factscore_chain.retrieve import Question
from factscore_chain.retrieve import Retrieval as RetrievalStage
from factscore_chain.retrievers.documents import passage_id
from factscore_chain.values import Claim, Passage


class OriginalRetrieval(RetrievalStage):
    """Finds passages as published; a topic that is not exactly a title costs its generation only."""

    published: Retrieval

    def resolve(self, topic: str | None) -> str | None:
        """The topic, if it is exactly a title.

        Raises:
            TitleNotFoundError: It is not.
        """
        if topic is not None:
            self.published.db.check_title(topic)
        return topic

    @property
    def identity(self) -> dict[str, str]:
        """What retrieves, for the report's manifest."""
        return {"kind": "original", "ranker": self.published.ranker, "k": str(self.k)}

    async def _process(self, value: Question, config: RunnableConfig) -> tuple[Claim, ...]:
        return await asyncio.to_thread(self._claims, value)

    def _claims(self, value: Question) -> tuple[Claim, ...]:
        topic = value.topic or ""
        return tuple(
            Claim(fact, as_passages(self.published.get_passages(topic, fact.text, self.k)), value.topic)
            for fact in value.facts
        )


def as_passages(found: Passages) -> tuple[Passage, ...]:
    """Passages of the original as ours, in order, without its markers."""
    return tuple(_as_passages(found))


def _as_passages(found: Passages) -> Iterable[Passage]:
    for rank, one in enumerate(found, 1):
        text = without_markers(one["text"])
        yield Passage(passage_id(one["title"], text), text, one["title"], rank)
