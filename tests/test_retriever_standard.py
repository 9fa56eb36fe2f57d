"""LangChain's own standard tests of a retriever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from tests.embedders import WordEmbeddings
from tests.pages import make_source


class TestKnowledgeRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _source(self, tmp_path: Path) -> Any:
        with make_source(tmp_path) as self.source:
            yield

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return KnowledgeRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"source": self.source, "embeddings": WordEmbeddings()}

    @property
    def retriever_query_example(self) -> str:
        return "Was Mercury the planet known to the English mathematician?"
