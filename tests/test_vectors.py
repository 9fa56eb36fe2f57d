"""The vector index: built in batches, resumable, and never searched with another embedder."""

from __future__ import annotations

import gc
import multiprocessing
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.api import ClientAPI
from chromadb.config import Settings
from filelock import FileLock

from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vectors import VectorIndex, folder_beside, open_beside
from tests.embedders import WordEmbeddings
from tests.pages import make_source, write_rows


@pytest.fixture
def source(tmp_path: Path) -> Iterator[KnowledgeSource]:
    with make_source(tmp_path) as made:
        yield made


@pytest.fixture
def index(source: KnowledgeSource) -> Iterator[VectorIndex]:
    built = VectorIndex.build(source, WordEmbeddings())
    yield built
    built.close()


def _towns(folder: Path, count: int, name: str = "towns") -> KnowledgeSource:
    rows = [{"title": f"Town {i}", "text": f"Town {i} has {i} wells."} for i in range(count)]
    return KnowledgeSource.build(write_rows(folder / f"{name}.jsonl", rows), folder / f"{name}.db")


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
    index = VectorIndex.build(_towns(tmp_path, 250), WordEmbeddings(), client=store)  # type: ignore[arg-type]
    assert store.sizes == [100, 100, 50]
    assert len(index) == 250


def test_a_failed_build_keeps_what_was_embedded_and_embeds_the_rest_later(tmp_path: Path) -> None:
    store, source, embedder = (
        SmallStore(_store(tmp_path), 100, fail_at=3),
        _towns(tmp_path, 250),
        WordEmbeddings(),
    )
    with pytest.raises(KnowledgeSourceError, match="disk full"):
        VectorIndex.build(source, embedder, client=store)  # type: ignore[arg-type]
    with pytest.raises(KnowledgeSourceError, match="Run the build again"):
        VectorIndex(source, embedder, client=store)  # type: ignore[arg-type]
    store.fail_at, embedder.embedded = None, []
    index = VectorIndex.build(source, embedder, client=store)  # type: ignore[arg-type]
    assert len(index) == 250
    assert len(embedder.embedded) == 50


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
    store, towns = _store(tmp_path), _towns(tmp_path, 20)
    one = VectorIndex.build(source, WordEmbeddings(), client=store)
    other = VectorIndex.build(towns, WordEmbeddings(), client=store)
    assert {p.title for p in one.search("Town 3 has wells", 10)} <= set(source.titles)
    assert {p.title for p in other.search("Mercury is a planet", 10)} <= set(towns.titles)
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
    changed = _towns(tmp_path, 5, "changed")
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


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host", "http://", ""])
def test_an_address_that_is_none_is_wrong_use(source: KnowledgeSource, url: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        VectorIndex(source, WordEmbeddings(), url=url)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    program = Path(sys.executable).with_name("chroma")
    if not program.exists():
        pytest.skip("Chroma's server program is not installed beside this Python")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(program),
        "run",
        "--path",
        str(tmp_path / "server"),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for_port(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            with warnings.catch_warnings():
                # Chroma's client leaves the connections of its HTTP session to the garbage collector.
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not start")


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_a_server_keeps_the_index_as_well(source: KnowledgeSource, server: str) -> None:
    VectorIndex.build(source, WordEmbeddings(), url=server).close()
    embedder = WordEmbeddings()
    index = VectorIndex.build(source, embedder, url=server)
    assert embedder.embedded == []
    assert index.search("the planet nearest to the Sun", 1)[0].title == "Mercury (planet)"
    assert not folder_beside(source).exists()
    index.close()


def test_rows_with_fields_of_their_own_are_indexed(tmp_path: Path) -> None:
    row = {"title": "Ada", "text": "She wrote.", "author": None, "tags": ["a", "b"], "year": 1892}
    source = KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", [row]), tmp_path / "r.db")
    index = VectorIndex.build(source, WordEmbeddings())
    assert [(p.title, p.text) for p in index.search("wrote", 1)] == [("Ada", "She wrote.")]
    index.close()


def test_a_server_that_does_not_answer_is_one_clear_error(source: KnowledgeSource) -> None:
    with pytest.raises(KnowledgeSourceError, match=r"http://127\.0\.0\.1:9 failed"):
        VectorIndex(source, WordEmbeddings(), url="http://127.0.0.1:9")


def test_no_store_reads_the_working_directorys_env_file(
    source: KnowledgeSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("CHROMA_SERVER_HTTP_PORT=nonsense\n")
    monkeypatch.chdir(tmp_path)
    index = VectorIndex.build(source, WordEmbeddings())
    assert len(index) == 4
    index.close()


def test_a_second_builder_is_told_that_the_index_is_locked(source: KnowledgeSource) -> None:
    folder = folder_beside(source)
    lock = FileLock(folder.with_name(f".{folder.name}.lock"))
    with lock, pytest.raises(KnowledgeSourceError, match="locked by another process"):
        VectorIndex.build(source, WordEmbeddings())


def test_vectors_that_are_no_numbers_are_refused(source: KnowledgeSource) -> None:
    class Broken(WordEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[float("nan")] * self.size for _ in texts]

    with pytest.raises(KnowledgeSourceError, match="finite"):
        VectorIndex.build(source, Broken())


def _build_and_search(path: Path, rounds: int, outcome: Any) -> None:
    counts: list[int] = []
    while len(counts) < rounds:
        with KnowledgeSource(path) as source:
            try:
                index = VectorIndex.build(source, WordEmbeddings())
            except KnowledgeSourceError as error:
                if "locked by another process" not in str(error):
                    raise
                continue
            counts.append(len(index.search("Town 7 has wells", 100)))
            index.close()
    outcome.put(counts)


def test_two_processes_build_and_search_at_once(tmp_path: Path) -> None:
    path = _towns(tmp_path, 60).path
    context: Any = multiprocessing.get_context("spawn")
    outcome = context.Queue()
    children = [context.Process(target=_build_and_search, args=(path, 10, outcome)) for _ in range(2)]
    for child in children:
        child.start()
    results = [outcome.get(timeout=60) for _ in children]
    for child in children:
        child.join(30)
    assert results == [[60] * 10, [60] * 10]
    with KnowledgeSource(path) as source:
        index = VectorIndex(source, WordEmbeddings())
        assert len(index) == 60
        index.close()


def _use_in_child(index: VectorIndex, answer: Any) -> None:
    try:
        index.search("Mercury", 1)
    except KnowledgeSourceError as error:
        answer.send(str(error))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
def test_a_forked_child_gets_an_error_instead_of_waiting_for_ever(index: VectorIndex) -> None:
    context: Any = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_use_in_child, args=(index, theirs))
    child.start()
    assert ours.poll(20)
    assert "before this process was forked" in ours.recv()
    child.join(20)
