"""A knowledge source that holds nothing: for those whose evidence comes with each call."""

from __future__ import annotations

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class ContextOnly(BaseRetriever):
    """Finds nothing: the only evidence is what the caller hands over with the text.

    `FactScoreChain(ContextOnly())` judges the answers of a RAG app by what the app itself retrieved.
    """

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return []

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return []
