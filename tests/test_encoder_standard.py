"""LangChain's own standard tests of embeddings."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings
from langchain_tests.integration_tests import EmbeddingsIntegrationTests
from langchain_tests.unit_tests import EmbeddingsUnitTests

from factscore_chain.encoder import EncoderEmbeddings


class TestEncoderEmbeddingsUnit(EmbeddingsUnitTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return EncoderEmbeddings


class TestEncoderEmbeddings(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return EncoderEmbeddings
