"""Fixtures of tests of the vector index: a small source, and its index by `WordEmbeddings`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vectors import VectorIndex
from tests.embedders import WordEmbeddings
from tests.pages import make_source


@pytest.fixture
def source(tmp_path: Path) -> Iterator[KnowledgeSource]:
    with make_source(tmp_path) as made:
        yield made


@pytest.fixture
def index(source: KnowledgeSource) -> Iterator[VectorIndex]:
    built = VectorIndex.build(source, WordEmbeddings())
    yield built
    built.close()
