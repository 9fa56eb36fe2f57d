"""Nodes and retrievers of LlamaIndex as documents and retrievers of LangChain, and the other way round."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from llama_index.core import Document as Page
from llama_index.core import VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from factscore_chain import FactScoreChain, Verdict
from factscore_chain.errors import TitleNotFoundError, UsageError
from factscore_chain.llama_index import (
    LangChainEmbedding,
    LangChainRetriever,
    LlamaIndexRetriever,
    to_documents,
    to_nodes,
)

pytestmark = pytest.mark.usefixtures("own_loop")

KNOWLEDGE = "examples/knowledge.jsonl"


def index(*texts: str) -> VectorStoreIndex:
    pages = [Page(text=text, metadata={"file_name": f"{number}.txt"}) for number, text in enumerate(texts)]
    return VectorStoreIndex.from_documents(pages, embed_model=LangChainEmbedding())


def test_a_node_becomes_a_document_that_keeps_where_it_came_from() -> None:
    node = TextNode(id_="n1", text="Bach wrote cantatas.", metadata={"file_name": "bach.txt", "page": 3})
    (document,) = to_documents([NodeWithScore(node=node, score=0.5)])
    assert (document.id, document.page_content) == ("n1", "Bach wrote cantatas.")
    assert document.metadata == {
        "file_name": "bach.txt",
        "page": 3,
        "title": "bach.txt",
        "score": 0.5,
        "origins": ["source_node"],
    }


def test_a_node_without_text_is_no_evidence() -> None:
    assert to_documents([TextNode(text=" "), TextNode(id_="a", text="A")])[0].id == "a"


def test_documents_come_back_from_nodes_as_they_were() -> None:
    metadata = {"title": "Bach", "score": 2.5, "origins": ["bm25", "vector"], "rank": 1}
    document = Document(id="d1", page_content="Bach wrote cantatas.", metadata=metadata)
    assert to_documents(to_nodes([document])) == [document]


def test_how_a_node_was_found_is_not_shown_to_a_model() -> None:
    metadata = {"title": "Bach", "score": 2.5, "origins": ["bm25"], "rank": 1}
    (node,) = to_nodes([Document(page_content="Bach wrote cantatas.", metadata=metadata)])
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        assert node.get_content(mode) == "title: Bach\n\nBach wrote cantatas."


def test_a_llama_index_retriever_is_the_knowledge_of_a_chain() -> None:
    pages = index("Bach was born in Eisenach in 1685.", "Kyoto is a city in Japan.")
    chain = FactScoreChain(LlamaIndexRetriever(pages.as_retriever(similarity_top_k=1)))
    report = chain.score("Bach was born in Eisenach. Bach was born in 1750.")
    assert [fact.verdict for fact in report.facts] == [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED]
    assert {passage.title for fact in report.facts for passage in fact.passages} == {"0.txt"}


async def test_a_retriever_without_an_asynchronous_door_does_not_block_the_loop() -> None:
    loop, seen = asyncio.get_running_loop(), []

    class Slow(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            asyncio.run_coroutine_threadsafe(noted(), loop).result(5)
            return [NodeWithScore(node=TextNode(text=query_bundle.query_str))]

    async def noted() -> None:
        seen.append("the loop ran")

    found = await LlamaIndexRetriever(Slow()).ainvoke("Kyoto")
    assert ([one.page_content for one in found], seen) == (["Kyoto"], ["the loop ran"])


async def test_the_ensemble_over_a_knowledge_source_is_a_llama_index_retriever() -> None:
    retriever = LangChainRetriever(KNOWLEDGE, k=2)
    found = retriever.retrieve("Who first walked on the Moon?")
    assert [one.node_id for one in await retriever.aretrieve("Who first walked on the Moon?")] == [
        one.node_id for one in found
    ]
    assert (len(found), found[0].metadata["title"]) == (2, "Apollo 11")
    assert found[0].metadata["origins"] == ["bm25", "vector"]


def test_a_topic_narrows_the_search_to_its_page() -> None:
    found = LangChainRetriever(KNOWLEDGE, k=3, topic="kyoto").retrieve("Who first walked on the Moon?")
    assert {one.metadata["title"] for one in found} == {"Kyoto"}


def test_a_topic_that_the_source_has_no_page_for_is_told_at_once() -> None:
    with pytest.raises(TitleNotFoundError, match="Atlantis"):
        LangChainRetriever(KNOWLEDGE, topic="Atlantis")


def test_a_topic_is_refused_by_a_retriever_that_knows_none() -> None:
    inside = LlamaIndexRetriever(index("Kyoto is a city.").as_retriever())
    with pytest.raises(UsageError, match="knows no topics"):
        LangChainRetriever(inside, topic="Kyoto")


def test_a_foreign_retriever_is_cut_to_k() -> None:
    inside = LlamaIndexRetriever(index("Kyoto is a city.", "Nara is a city.").as_retriever())
    assert len(LangChainRetriever(inside, k=1).retrieve("city")) == 1


def test_the_ensemble_works_in_what_llama_index_builds_of_retrievers() -> None:
    fused = QueryFusionRetriever(
        [LangChainRetriever(KNOWLEDGE), index("Neil Armstrong walked on the Moon.").as_retriever()],
        llm=MockLLM(),
        num_queries=1,
        use_async=False,
        mode="reciprocal_rerank",  # type: ignore[arg-type]
    )
    response = RetrieverQueryEngine.from_args(fused, llm=MockLLM()).query("Who walked on the Moon?")
    assert {one.metadata.get("title") for one in response.source_nodes} >= {"Apollo 11"}


WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "llama_index":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
try:
    import {module}
except ImportError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("module", ["factscore_chain.llama_index", "factscore_chain.llama_index.retrievers"])
def test_without_the_framework_the_extra_is_named(module: str, repository: Path) -> None:
    run = _python(WITHOUT.format(module=module), repository)
    assert run.startswith("MissingExtraError")
    assert "pip install 'factscore-chain[llama-index]'" in run


def test_the_package_brings_the_framework_only_when_it_is_used(repository: Path) -> None:
    code = (
        "import sys, factscore_chain.llama_index as f; print('llama_index.core' in sys.modules, len(dir(f)))"
    )
    assert _python(code, repository).startswith("False")


def _python(code: str, folder: Path) -> Any:
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
