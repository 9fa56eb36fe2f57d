"""The vector index on a server, and under several processes."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vectors import VectorIndex, folder_beside
from tests.chroma_server import running_chroma, server
from tests.embedders import WordEmbeddings
from tests.pages import towns
from tests.vector_indexes import index, source

__all__ = ["index", "running_chroma", "server", "source"]


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host", "http://", ""])
def test_an_address_that_is_none_is_wrong_use(source: KnowledgeSource, url: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        VectorIndex(source, WordEmbeddings(), url=url)


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_a_server_keeps_the_index_as_well(source: KnowledgeSource, server: str) -> None:
    VectorIndex.build(source, WordEmbeddings(), url=server).close()
    embedder = WordEmbeddings()
    index = VectorIndex.build(source, embedder, url=server)
    assert embedder.embedded == []
    assert index.search("the planet nearest to the Sun", 1)[0].title == "Mercury (planet)"
    assert not folder_beside(source).exists()
    index.close()


def test_a_server_that_does_not_answer_is_one_clear_error(source: KnowledgeSource) -> None:
    with pytest.raises(KnowledgeSourceError, match=r"http://127\.0\.0\.1:9 failed"):
        VectorIndex(source, WordEmbeddings(), url="http://127.0.0.1:9")


def test_a_second_builder_is_told_that_the_index_is_locked(source: KnowledgeSource) -> None:
    folder = folder_beside(source)
    lock = FileLock(folder.with_name(f".{folder.name}.lock"))
    with lock, pytest.raises(KnowledgeSourceError, match="locked by another process"):
        VectorIndex.build(source, WordEmbeddings())


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
    path = towns(tmp_path, 60).path
    context: Any = multiprocessing.get_context("spawn")
    outcome = context.Queue()
    children = [context.Process(target=_build_and_search, args=(path, 20, outcome)) for _ in range(2)]
    for child in children:
        child.start()
    results = [outcome.get(timeout=240) for _ in children]
    for child in children:
        child.join(30)
    assert results == [[60] * 20, [60] * 20]
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
