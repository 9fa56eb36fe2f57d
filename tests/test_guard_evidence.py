"""The evidence of one call."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.guard.evidence import CallEvidence, as_evidence, with_evidence
from factscore_chain.guard.passages import as_passages
from factscore_chain.retrievers.context import ContextOnly
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Passage, Verdict
from tests.pages import make_source
from tests.rag import Shelf
from tests.stages import SentenceDecomposer, WordVerifier

TRUE = "Ada Lovelace was born in London."


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


def scorer(knowledge: KnowledgeSource | BaseRetriever | None = None, k: int = 5) -> FactScoreChain:
    return FactScoreChain(
        knowledge or ContextOnly(), decomposer=SentenceDecomposer(), verifier=WordVerifier(), k=k
    )


def bound(chain: FactScoreChain, value: Any, *sources: BaseRetriever) -> FactScoreChain:
    return with_evidence(chain, as_evidence(value, sources))


NODE = SimpleNamespace(get_content=lambda: "Node text.", metadata={"title": "Node"}, node_id="n1")


@pytest.mark.parametrize(
    ("value", "text", "title", "origin"),
    [
        ("Plain text.", "Plain text.", None, "context"),
        (("Page", "Its text."), "Its text.", "Page", "context"),
        (Document("Doc.", metadata={"source": "faq.md"}), "Doc.", "faq.md", "context"),
        (Document("Doc.", metadata={"origins": ["bm25"]}), "Doc.", None, "bm25"),
        ({"text": "Row.", "title": "T"}, "Row.", "T", "context"),
        ({"page_content": "Row."}, "Row.", None, "context"),
        (ToolMessage("Found.", tool_call_id="1", name="search"), "Found.", None, "tool:search"),
        (AIMessage([{"type": "text", "text": "Blocks."}]), "Blocks.", None, "context"),
        (NODE, "Node text.", "Node", "context"),
        (SimpleNamespace(node=NODE, score=0.5), "Node text.", "Node", "context"),
        (Passage("p", "Passage.", "P", origins=("vector",)), "Passage.", "P", "vector"),
    ],
)
def test_evidence_is_made_of_whatever_an_app_holds_it_in(
    value: Any, text: str, title: str | None, origin: str
) -> None:
    (one,) = as_passages([value])
    assert (one.text, one.title, one.origins, one.rank) == (text, title, (origin,), 1)


def test_ids_of_documents_and_nodes_are_kept_and_told_apart_where_they_come_twice() -> None:
    passages = as_passages(
        [Document("A.", id="x"), Document("B.", id="x"), SimpleNamespace(node=NODE, score=1)]
    )
    assert [one.id for one in passages][::2] == ["x", "n1"]
    assert len({one.id for one in passages}) == 3


def test_a_list_of_two_texts_is_two_texts_and_blank_ones_are_none() -> None:
    assert [one.text for one in as_passages(["One.", "Two.", " ", "One."])] == ["One.", "Two."]


def test_a_long_document_is_cut_and_its_parts_remember_it() -> None:
    parts = as_passages([Document(" ".join(f"Line {i} is long." for i in range(99)), id="doc")])
    assert [one.id for one in parts[:2]] == ["doc#1", "doc#2"]
    assert {one.origins for one in parts} == {("context",)}


@pytest.mark.parametrize("value", [7, object(), {"title": "no text"}, [[b"bytes"]]])
def test_what_is_no_evidence_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="is no evidence"):
        as_passages(value)


def test_a_fact_is_judged_by_the_context_of_its_call() -> None:
    chain = scorer()
    assert bound(chain, "Ada Lovelace was born in London in 1815.").score(TRUE).init_score == 1.0
    assert bound(chain, "Ada Lovelace was born in 1815.").score(TRUE).init_score == 0.0


def test_without_evidence_the_scorer_is_the_same() -> None:
    chain = scorer()
    assert with_evidence(chain, CallEvidence()) is chain


def test_context_knowledge_and_further_sources_are_all_asked_and_their_passages_say_so(
    source: KnowledgeSource,
) -> None:
    further = Shelf(documents=[Document("Ada Lovelace knew Babbage.")])
    (fact,) = bound(scorer(source), ["From the app."], further).score(TRUE, topic="Ada Lovelace").facts
    assert fact.verdict is Verdict.SUPPORTED
    origins = {one.text: one.origins for one in fact.passages}
    assert origins["From the app."] == ("context",)
    assert origins["Ada Lovelace knew Babbage."] == ("Shelf",)
    assert {"bm25", source.name} <= {origin for kinds in origins.values() for origin in kinds}


def test_of_much_context_each_fact_gets_what_shares_most_with_it() -> None:
    context = [f"Page {i} tells of something else." for i in range(20)]
    (fact,) = bound(scorer(k=2), [*context, "Ada Lovelace was born in London."]).score(TRUE).facts
    assert len(fact.passages) == 2
    assert fact.passages[0].text == "Ada Lovelace was born in London."


def test_a_topic_that_the_knowledge_has_no_page_for_is_no_trouble_beside_other_evidence(
    source: KnowledgeSource,
) -> None:
    assert scorer(source).score(TRUE, topic="Nobody").generations[0].status == "failed"
    report = bound(scorer(source), TRUE).score(TRUE, topic="Nobody").generations[0]
    assert (report.status, report.init_score) == ("scored", 1.0)


def test_a_source_may_be_named_by_its_path(source: KnowledgeSource, repository: Path) -> None:
    evidence = as_evidence(None, [repository / "examples/knowledge.jsonl"])
    report = with_evidence(scorer(k=1), evidence).score(
        "Marie Curie was born in Warsaw.", topic="Marie Curie"
    )
    assert report.facts[0].passages[0].title == "Marie Curie"
