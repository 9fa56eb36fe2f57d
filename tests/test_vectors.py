"""The vector index: built in batches, resumable, and never searched with another embedder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.api import ClientAPI
from chromadb.config import Settings

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vectors import VectorIndex, folder_beside, open_beside
from tests.embedders import WordEmbeddings
from tests.pages import towns, write_rows
from tests.vector_indexes import index, source

__all__ = ["index", "source"]


class SmallStore:
    """A client of a real store that takes few records a call, counts them, and can fail."""

    def __init__(self, client: ClientAPI, most: int, fail_at: int | None = None) -> None:
        self._client = client
        self._most = most
        self.sizes: list[int] = []
        self.fail_at = fail_at

    def get_max_batch_size(self) -> int:
        return self._most

    def get_or_create_collection(self, *args: Any, **kwargs: Any) -> Any:
        collection: Any = self._client.get_or_create_collection(*args, **kwargs)
        upsert = collection.upsert

        def counted(**records: Any) -> None:
            if len(self.sizes) + 1 == self.fail_at:
                raise OSError("disk full")
            self.sizes.append(len(records["ids"]))
            upsert(**records)

        collection.upsert = counted
        return collection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def _store(folder: Path) -> ClientAPI:
    return chromadb.PersistentClient(str(folder / "store"), Settings(anonymized_telemetry=False))


def test_the_nearest_passage_comes_first(index: VectorIndex) -> None:
    best, *others = index.search("a metal that is liquid at room temperature", 3)
    assert (best.title, best.rank, best.origins) == ("Mercury (element)", 1, ("vector",))
    assert [p.rank for p in others] == [2, 3]


def test_scores_are_cosines_in_0_to_1_higher_is_better(source: KnowledgeSource, index: VectorIndex) -> None:
    query = "She wrote notes on the Analytical Engine."
    found = index.search(query, 10)
    scores = [p.score for p in found if p.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    embedder = WordEmbeddings()
    one = np.array(embedder.embed_query(query))
    other = np.array(embedder.embed_query(f"{found[0].title}\n{found[0].text}"))
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert scores[0] == pytest.approx(cosine, abs=1e-5)


class _Opposites(WordEmbeddings):
    def embed_query(self, text: str) -> list[float]:
        return [-value for value in super().embed_query(text)]


def test_a_negative_cosine_is_clamped(source: KnowledgeSource) -> None:
    index = VectorIndex.build(source, _Opposites())
    assert {p.score for p in index.search("Mercury", 4)} == {0.0}
    index.close()


def test_passages_that_hardly_differ_are_each_found_by_their_own_text(tmp_path: Path) -> None:
    rows = [{"title": f"Person {i}", "text": f"Person {i} lives in house {i * 37}."} for i in range(600)]
    source = KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", rows), tmp_path / "r.db")
    index = VectorIndex.build(source, WordEmbeddings())
    found = index.search_many([f"{p.title}\n{p.text}" for p in source.all_passages()], 1)
    assert all((best[0].score or 0) > 0.999 for best in found)
    index.close()


def test_the_stores_graph_answers_for_a_large_index(
    source: KnowledgeSource, index: VectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [passage.text for passage in source.all_passages()]
    exact = index.search_many(queries, 3)
    monkeypatch.setattr("factscore_chain.retrievers.vectors.EXACT_UP_TO", 0)
    graph = index.search_many(queries, 3)
    assert [[p.id for p in found] for found in graph] == [[p.id for p in found] for found in exact]
    scores = [p.score for found in graph for p in found]
    assert scores == pytest.approx([p.score for found in exact for p in found], abs=1e-5)


def test_k_is_the_most_that_comes(index: VectorIndex) -> None:
    assert index.search("Mercury", 0) == ()
    assert len(index.search("Mercury", 1)) == 1
    assert len(index.search("Mercury", 1_000)) == 4
    with pytest.raises(ValueError, match="-1"):
        index.search("Mercury", -1)


@pytest.mark.parametrize("query", ["", "!!!", "\x00", "\ud800", '"', "x" * 10_000])
def test_odd_queries_are_no_trouble(index: VectorIndex, query: str) -> None:
    assert len(index.search(query, 2)) == 2


def test_several_queries_are_answered_in_order(index: VectorIndex) -> None:
    queries = ["the planet nearest to the Sun", "English mathematician"]
    assert [found[0].title for found in index.search_many(queries, 1)] == [
        "Mercury (planet)",
        "Charles Babbage",
    ]


def test_batches_keep_to_the_stores_limit(tmp_path: Path) -> None:
    store = SmallStore(_store(tmp_path), most=100)
    index = VectorIndex.build(towns(tmp_path, 250), WordEmbeddings(), client=store)  # type: ignore[arg-type]
    assert store.sizes == [100, 100, 50]
    assert len(index) == 250


def test_a_failed_build_keeps_what_was_embedded_and_stores_the_rest_later(tmp_path: Path) -> None:
    store, source, embedder = (
        SmallStore(_store(tmp_path), 100, fail_at=3),
        towns(tmp_path, 250),
        WordEmbeddings(),
    )
    with pytest.raises(KnowledgeSourceError, match="disk full"):
        VectorIndex.build(source, embedder, client=store)  # type: ignore[arg-type]
    with pytest.raises(KnowledgeSourceError, match="Run the build again"):
        VectorIndex(source, embedder, client=store)  # type: ignore[arg-type]
    store.fail_at, embedder.embedded = None, []
    index = VectorIndex.build(source, embedder, client=store)  # type: ignore[arg-type]
    assert len(index) == 250
    assert embedder.embedded == []


def test_building_twice_embeds_nothing_more(source: KnowledgeSource, index: VectorIndex) -> None:
    embedder = WordEmbeddings()
    again = VectorIndex.build(source, embedder)
    assert embedder.embedded == []
    assert len(again) == len(index) == 4
    again.close()


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (WordEmbeddings(size=96), r"WordEmbeddings:words \(96\)"),
        (WordEmbeddings(model="others"), r"WordEmbeddings:others \(512\)"),
        (_Opposites(), r"_Opposites:words \(512\)"),
    ],
)
def test_another_embedder_is_refused_naming_both(
    source: KnowledgeSource, index: VectorIndex, other: WordEmbeddings, named: str
) -> None:
    for attempt in (VectorIndex, VectorIndex.build, open_beside):
        with pytest.raises(KnowledgeSourceError, match=rf"WordEmbeddings:words \(512\).*{named}"):
            attempt(source, other)
    assert other.embedded == []
    assert len(index) == 4


class _Retrained(WordEmbeddings):
    def _vector(self, text: str) -> list[float]:
        return super()._vector(text)[::-1]


def test_other_weights_under_the_same_name_are_noticed(source: KnowledgeSource, index: VectorIndex) -> None:
    namesake = type("WordEmbeddings", (_Retrained,), {})
    with pytest.raises(KnowledgeSourceError, match="other weights"):
        VectorIndex(source, namesake())


def test_sources_do_not_mix_even_in_one_store(tmp_path: Path, source: KnowledgeSource) -> None:
    store, many = _store(tmp_path), towns(tmp_path, 20)
    one = VectorIndex.build(source, WordEmbeddings(), client=store)
    other = VectorIndex.build(many, WordEmbeddings(), client=store)
    assert {p.title for p in one.search("Town 3 has wells", 10)} <= set(source.titles)
    assert {p.title for p in other.search("Mercury is a planet", 10)} <= set(many.titles)
    assert (len(one), len(other)) == (4, 20)


def test_equal_texts_under_one_title_are_stored_once(tmp_path: Path) -> None:
    long = " ".join(["The same sentence stands here again and again."] * 60)
    rows = [{"title": "A", "text": [long, long]}, {"title": "B", "text": "Another."}]
    source = KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", rows), tmp_path / "r.db")
    distinct = {(p.title, p.text) for p in source.all_passages()}
    assert source.passage_count is not None
    assert len(distinct) < source.passage_count
    index = VectorIndex.build(source, WordEmbeddings())
    assert len(index) == len(distinct)
    index.close()


def test_a_changed_source_needs_a_new_index(
    tmp_path: Path, source: KnowledgeSource, index: VectorIndex
) -> None:
    changed = towns(tmp_path, 5, "changed")
    with pytest.raises(KnowledgeSourceError, match="Build it first"):
        VectorIndex(changed, WordEmbeddings(), folder=folder_beside(source))


def test_an_index_that_was_never_built_is_an_error_and_makes_no_folder(source: KnowledgeSource) -> None:
    with pytest.raises(KnowledgeSourceError, match="Build it first"):
        VectorIndex(source, WordEmbeddings())
    assert not folder_beside(source).exists()


def test_stored_vectors_are_read_by_id(source: KnowledgeSource, index: VectorIndex) -> None:
    passages = list(source.all_passages())
    found = index.vectors([*(p.id for p in passages), "unknown"])
    assert set(found) == {p.id for p in passages}
    assert all(np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5) for vector in found.values())


def test_it_is_a_langchain_vector_store_too(index: VectorIndex) -> None:
    (found,) = index.as_vectorstore().similarity_search("planet nearest to the Sun", k=1)
    assert found.metadata == {"title": "Mercury (planet)"}


def test_rows_with_fields_of_their_own_are_indexed(tmp_path: Path) -> None:
    row = {"title": "Ada", "text": "She wrote.", "author": None, "tags": ["a", "b"], "year": 1892}
    source = KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", [row]), tmp_path / "r.db")
    index = VectorIndex.build(source, WordEmbeddings())
    assert [(p.title, p.text) for p in index.search("wrote", 1)] == [("Ada", "She wrote.")]
    index.close()


def test_no_store_reads_the_working_directorys_env_file(
    source: KnowledgeSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("CHROMA_SERVER_HTTP_PORT=nonsense\n")
    monkeypatch.chdir(tmp_path)
    index = VectorIndex.build(source, WordEmbeddings())
    assert len(index) == 4
    index.close()


def test_vectors_that_are_no_numbers_are_refused(source: KnowledgeSource) -> None:
    class Broken(WordEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[float("nan")] * self.size for _ in texts]

    with pytest.raises(KnowledgeSourceError, match="finite"):
        VectorIndex.build(source, Broken())
