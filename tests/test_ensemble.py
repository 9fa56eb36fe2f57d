"""The ensemble retriever: within a topic, over the whole source, and as others hand it around."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from factscore_chain.errors import AmbiguousTitleError, KnowledgeSourceError, TitleNotFoundError, UsageError
from factscore_chain.retrievers.ensemble import KnowledgeRetriever, to_passages
from factscore_chain.retrievers.kept_vectors import vectors_beside
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vectors import VectorIndex
from tests.embedders import WordEmbeddings
from tests.pages import PAGES, write_rows

Mode = Literal["ensemble", "bm25", "vector"]
MODES: tuple[Mode, ...] = ("ensemble", "bm25", "vector")

CHAPTERS = (
    "He was born in Bath in 1815 and went to school there.",
    "He studied law in Oxford.",
    "In 1850 he sailed to Lima, where he sold guano.",
    "He married Rosa Quispe in 1855.",
    "He died in Arequipa in 1890.",
)
PADDING = " ".join(["Tra la la la."] * 40)  # makes every chapter long enough for a passage of its own
ODD = ["", "   ", "!!!", "zzzqqq", "\x00", "\ud800", '"', "OR", "NEAR(", "*", "x" * 10_000]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeSource]:
    folder = tmp_path_factory.mktemp("ensemble")
    life = {"title": "John Trader", "text": [f"{chapter} {PADDING}" for chapter in CHAPTERS]}
    path = write_rows(folder / "rows.jsonl", [*PAGES, life])
    with KnowledgeSource.build(path, folder / "rows.db") as built:
        yield built


def _retriever(source: KnowledgeSource, **options: Any) -> KnowledgeRetriever:
    return KnowledgeRetriever(source=source, **{"embeddings": WordEmbeddings(), **options})


def _starts(documents: list[Document]) -> list[str]:
    return [document.page_content.split(".")[0] + "." for document in documents]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("query", "chapter"),
    [
        ("Was it law he studied at Oxford?", 1),
        ("He sold guano in Lima.", 2),
        ("his marriage to Rosa Quispe", 3),
    ],
)
def test_a_topics_best_passage_comes_first(
    source: KnowledgeSource, mode: Mode, query: str, chapter: int
) -> None:
    found = _retriever(source, mode=mode).invoke(query, topic="John Trader", k=2)
    assert _starts(found)[0] == CHAPTERS[chapter]


@pytest.mark.parametrize("mode", MODES)
def test_documents_tell_where_they_come_from(source: KnowledgeSource, mode: Mode) -> None:
    found = _retriever(source, mode=mode).invoke("He died in Arequipa.", topic="john_trader")
    expected = {"ensemble": ["bm25", "vector"], "bm25": ["bm25"], "vector": ["vector"]}[mode]
    assert found[0].metadata["origins"] == expected
    assert [d.metadata["rank"] for d in found] == [1, 2, 3, 4, 5]
    assert {d.metadata["title"] for d in found} == {"John Trader"}
    assert len({d.id for d in found}) == 5
    scores = [d.metadata["score"] for d in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("mode", MODES)
def test_a_topic_gives_k_passages_or_all_it_has(source: KnowledgeSource, mode: Mode) -> None:
    retriever = _retriever(source, mode=mode)
    for k, count in ((0, 0), (1, 1), (3, 3), (20, 5)):
        assert len(retriever.invoke("Rosa", topic="John Trader", k=k)) == count
    assert len(retriever.invoke("anything at all", topic="Ada Lovelace")) == 1


@pytest.mark.parametrize("mode", MODES)
def test_without_a_topic_each_query_finds_its_own_document(source: KnowledgeSource, mode: Mode) -> None:
    queries = ["Ada Lovelace wrote notes.", "The metal mercury is liquid.", "He studied law in Oxford."]
    found = _retriever(source, mode=mode).rank_many(queries, None, 1)
    assert [documents[0].metadata["title"] for documents in found] == [
        "Ada Lovelace",
        "Mercury (element)",
        "John Trader",
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ODD)
@pytest.mark.parametrize("topic", [None, "John Trader"])
def test_odd_queries_give_a_topics_passages_or_nothing(
    source: KnowledgeSource, mode: Mode, query: str, topic: str | None
) -> None:
    found = _retriever(source, mode=mode).invoke(query, topic=topic)
    assert len(found) == (5 if topic else 0)


@pytest.mark.parametrize("mode", MODES)
def test_a_query_without_words_keeps_the_order_of_the_text(source: KnowledgeSource, mode: Mode) -> None:
    found = _retriever(source, mode=mode).invoke("!!!", topic="John Trader")
    assert _starts(found) == list(CHAPTERS)
    assert found[0].metadata["origins"] == []


def test_many_queries_give_what_each_alone_gives(source: KnowledgeSource) -> None:
    queries = ["law", "guano", "", "Rosa Quispe"]
    retriever = _retriever(source)
    together = retriever.rank_many(queries, "John Trader", 3)
    assert together == [retriever.invoke(query, topic="John Trader", k=3) for query in queries]


async def test_async_gives_the_same(source: KnowledgeSource) -> None:
    retriever = _retriever(source, k=3)
    for options in ({}, {"k": 2}, {"topic": "John Trader"}, {"topic": "John Trader", "k": 1}):
        assert await retriever.ainvoke("He sold guano", **options) == retriever.invoke(
            "He sold guano", **options
        )


def test_a_topics_passages_are_embedded_once(source: KnowledgeSource) -> None:
    vectors_beside(source.path).unlink(missing_ok=True)
    embedder = WordEmbeddings()
    retriever = _retriever(source, embeddings=embedder)
    for query in ("law", "guano", "Rosa"):
        retriever.invoke(query, topic="John Trader")
    assert len(embedder.embedded) == 5


def test_by_words_alone_nothing_is_embedded(source: KnowledgeSource) -> None:
    embedder = WordEmbeddings()
    retriever = _retriever(source, embeddings=embedder, mode="bm25")
    retriever.rank_many(["law", "guano"], "John Trader")
    retriever.rank_many(["law", "guano"])
    assert embedder.embedded == []


@pytest.mark.parametrize(
    ("topic", "error"),
    [("Nobody", TitleNotFoundError), ("Mercury", AmbiguousTitleError), ("", TitleNotFoundError)],
)
@pytest.mark.parametrize("k", [0, 5])
def test_a_topic_that_is_no_title_is_an_error(
    source: KnowledgeSource, topic: str, error: type[Exception], k: int
) -> None:
    with pytest.raises(error):
        _retriever(source).invoke("x", topic=topic, k=k)


def test_a_negative_k_is_refused(source: KnowledgeSource) -> None:
    with pytest.raises(UsageError, match="-1"):
        _retriever(source).invoke("x", k=-1)
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        _retriever(source, k=-1)


def test_an_unknown_setting_is_refused(source: KnowledgeSource) -> None:
    with pytest.raises(ValueError, match="top_k"):
        _retriever(source, top_k=3)
    with pytest.raises(ValueError, match="mode"):
        _retriever(source, mode="both")


def test_a_pickled_retriever_keeps_its_settings_and_rankings(source: KnowledgeSource) -> None:
    retriever = _retriever(source, k=2, mode="vector")
    queries = [*CHAPTERS, *(str(page["text"]) for page in PAGES), *"abcdefghijk"]
    expected = retriever.rank_many(queries), retriever.rank_many(queries, "John Trader")
    copy: KnowledgeRetriever = pickle.loads(pickle.dumps(retriever))
    assert (copy.k, copy.mode, copy.identity) == (2, "vector", retriever.identity)
    assert (copy.rank_many(queries), copy.rank_many(queries, "John Trader")) == expected


def test_changed_settings_take_effect(source: KnowledgeSource) -> None:
    retriever = _retriever(source)
    retriever.invoke("guano", topic="John Trader")
    other = retriever.model_copy(update={"mode": "bm25"})
    assert other.invoke("guano", topic="John Trader")[0].metadata["origins"] == ["bm25"]
    retriever.mode = "vector"
    assert retriever.invoke("guano", topic="John Trader")[0].metadata["origins"] == ["vector"]


def test_threads_share_a_retriever(source: KnowledgeSource) -> None:
    retriever = _retriever(source)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: retriever.invoke("He sold guano", topic="John Trader"), range(40)))
    assert all(documents == found[0] for documents in found)


async def test_it_composes_with_other_runnables(source: KnowledgeSource) -> None:
    chain = _retriever(source, k=1) | RunnableLambda(to_passages)
    found = await asyncio.gather(
        *(chain.ainvoke(query) for query in ("studied law in Oxford", "liquid metal"))
    )
    assert [passages[0].title for passages in found] == ["John Trader", "Mercury (element)"]


def test_identity_names_the_embedder_only_where_it_matters(source: KnowledgeSource) -> None:
    assert _retriever(source).identity == {
        "kind": "KnowledgeRetriever",
        "mode": "ensemble",
        "embeddings": "WordEmbeddings:words",
    }
    assert "embeddings" not in _retriever(source, mode="bm25").identity


def test_the_shipped_encoder_is_the_default_and_finds_by_meaning(source: KnowledgeSource) -> None:
    retriever = KnowledgeRetriever(source=source, mode="vector", k=1)
    assert retriever.identity["embeddings"].startswith("EncoderEmbeddings:")
    found = retriever.rank_many(["wedding", "university education in jurisprudence"], "John Trader")
    assert [_starts(documents)[0] for documents in found] == [CHAPTERS[3], CHAPTERS[1]]


@pytest.fixture
def indexed(tmp_path: Path) -> Iterator[KnowledgeSource]:
    rows = [{"title": f"Person {i}", "text": f"Person {i} lives in house {i * 37}."} for i in range(60)]
    rows.append({"title": "Cellist", "text": "A renowned performer of baroque music."})
    with KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", rows), tmp_path / "r.db") as source:
        yield source


class _Synonyms(WordEmbeddings):
    """Knows that two words mean the same, which no word search can."""

    def _vector(self, text: str) -> list[float]:
        return super()._vector(text.replace("musician", "performer").replace("famous", "renowned"))


def test_a_vector_index_beside_the_source_finds_what_shares_no_word(indexed: KnowledgeSource) -> None:
    query = "famous musician"
    assert _retriever(indexed, embeddings=_Synonyms()).invoke(query) == []
    VectorIndex.build(indexed, _Synonyms()).close()
    found = _retriever(indexed, embeddings=_Synonyms()).invoke(query)
    assert found[0].metadata["title"] == "Cellist"
    assert found[0].metadata["origins"] == ["vector"]


def test_an_index_elsewhere_is_used_when_given(indexed: KnowledgeSource, tmp_path: Path) -> None:
    index = VectorIndex.build(indexed, _Synonyms(), folder=tmp_path / "elsewhere")
    retriever = _retriever(indexed, embeddings=_Synonyms(), vector_index=index)
    assert retriever.invoke("famous musician")[0].metadata["title"] == "Cellist"
    index.close()


def test_both_sides_of_the_whole_source_are_fused(indexed: KnowledgeSource) -> None:
    VectorIndex.build(indexed, WordEmbeddings()).close()
    best = _retriever(indexed).invoke("Person 7 lives in house 259")[0]
    assert best.metadata["title"] == "Person 7"
    assert best.metadata["origins"] == ["bm25", "vector"]


def test_an_index_of_another_embedder_is_refused_at_the_first_search(indexed: KnowledgeSource) -> None:
    VectorIndex.build(indexed, WordEmbeddings()).close()
    retriever = _retriever(indexed, embeddings=WordEmbeddings(model="others"))
    with pytest.raises(KnowledgeSourceError, match=r"words.*others"):
        retriever.invoke("house")


def test_every_fact_of_real_pages_finds_its_page_among_its_best(data_dir: Path, tmp_path: Path) -> None:
    with KnowledgeSource.build(data_dir / "factscore" / "pages.jsonl", tmp_path / "pages.db") as source:
        titles = list(source.titles)
        found = _retriever(source).rank_many([f"Who was {title}?" for title in titles], None, 5)
        hits = sum(any(d.metadata["title"] == t for d in ds) for t, ds in zip(titles, found, strict=True))
        assert hits >= 0.95 * len(titles)
