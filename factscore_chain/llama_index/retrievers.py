"""Retrievers of LangChain and of LlamaIndex, each as the other's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from llama_index.core.base.base_retriever import BaseRetriever as NodeRetriever
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import ConfigDict, Field

from factscore_chain.errors import UsageError
from factscore_chain.llama_index.inherited import is_inherited
from factscore_chain.llama_index.nodes import to_documents, to_nodes
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.retrievers.topical import TopicRetriever


class LlamaIndexRetriever(BaseRetriever):
    """A LlamaIndex retriever as a LangChain one: `FactScoreChain(LlamaIndexRetriever(index.as_retriever()))`.

    Args:
        retriever: The LlamaIndex retriever; how many nodes it finds is its own setting.

    Raises:
        UsageError: It is none.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    retriever: Any = Field(repr=False)

    def __init__(self, retriever: NodeRetriever, **fields: Any) -> None:
        if not isinstance(retriever, NodeRetriever):
            raise UsageError(
                f"LlamaIndexRetriever takes a LlamaIndex retriever, not {type(retriever).__name__}. "
                "An index has one: `index.as_retriever()`."
            )
        super().__init__(retriever=retriever, **fields)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return to_documents(self.retriever.retrieve(query))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if is_inherited(self.retriever, "_aretrieve", NodeRetriever):
            # That one would block the loop on the synchronous door.
            return to_documents(await asyncio.to_thread(self.retriever.retrieve, query))
        return to_documents(await self.retriever.aretrieve(query))


class LangChainRetriever(NodeRetriever):
    """A knowledge source, searched by its ensemble, or any LangChain retriever, as a LlamaIndex one.

    Args:
        knowledge: A knowledge source, a path to one, or a LangChain retriever.
        k: Most passages a query; a foreign retriever is not asked for more than it finds by itself.
        topic: Title of the one document of the knowledge source to search; None for all of it.
        callback_manager: LlamaIndex's.

    Raises:
        UsageError: There is a topic for a retriever that knows none.
        KnowledgeSourceError: The knowledge source cannot be opened.
        TitleNotFoundError: It has no document of that title.
    """

    def __init__(
        self,
        knowledge: KnowledgeSource | BaseRetriever | str | Path,
        *,
        k: int = 5,
        topic: str | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager)
        self._retriever = as_retriever(knowledge)
        self._k = k
        self._options: dict[str, Any] = {}
        if isinstance(self._retriever, TopicRetriever) and self._retriever.knows_titles:
            title = None if topic is None else self._retriever.resolve(topic)
            self._options = {"k": k, "topic": title}
        elif topic is not None:
            raise UsageError(
                f"{type(self._retriever).__name__} knows no topics, and topic is {topic!r}. Leave it out."
            )

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._retriever.invoke(_sought(query_bundle), **self._options)
        return to_nodes(found[: self._k])

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._retriever.ainvoke(_sought(query_bundle), **self._options)
        return to_nodes(found[: self._k])


def _sought(query: QueryBundle) -> str:
    """What is to be searched for, which need not be all that is said to the model that answers."""
    return "\n".join(query.embedding_strs)
