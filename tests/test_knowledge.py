"""A knowledge source in use: what it holds, and that threads and processes may share it."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

import pytest

from factscore_chain.errors import FactScoreError, KnowledgeSourceError
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.pages import PAGES, make_source


@pytest.fixture
def source(tmp_path: Path) -> Iterator[KnowledgeSource]:
    with make_source(tmp_path) as made:
        yield made


def test_it_tells_what_it_holds(source: KnowledgeSource) -> None:
    assert (source.name, source.document_count, source.passage_count) == ("pages", 4, 4)
    assert len(source.content_hash) == 64
    assert source.built.endswith("+00:00")


def test_titles_are_read_as_asked_for(source: KnowledgeSource) -> None:
    assert list(source.titles) == [page["title"] for page in PAGES]
    assert len(source.titles) == 4
    assert "Ada Lovelace" in source.titles
    assert "ada lovelace" not in source.titles


def test_passages_come_in_the_order_of_the_text(source: KnowledgeSource) -> None:
    (passage,) = source.passages("Charles Babbage")
    assert passage.title == "Charles Babbage"
    assert passage.text.split("\n") == PAGES[1]["text"]


def test_search_finds_the_passage_of_any_document(source: KnowledgeSource) -> None:
    best = source.search("Which planet is nearest to the sun?", 2)[0]
    assert (best.title, best.rank, best.origins) == ("Mercury (planet)", 1, ("bm25",))


def test_search_finds_a_document_by_its_title_too(source: KnowledgeSource) -> None:
    assert {p.title for p in source.search("lovelace babbage")} == {"Ada Lovelace", "Charles Babbage"}


def test_better_matches_have_higher_scores(source: KnowledgeSource) -> None:
    scores = [p.score or 0.0 for p in source.search("Mercury is the planet nearest to the Sun", 10)]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


@pytest.mark.parametrize(
    "query",
    ["", "!!!", "zzzqqq", '"', "'", "*", "NEAR(", "(", "\x00", "\ud800", "^", "-", ":", "{title}:"],
)
def test_a_query_that_matches_nothing_finds_nothing(source: KnowledgeSource, query: str) -> None:
    assert source.search(query) == ()


@pytest.mark.parametrize(
    "query",
    ['"Babbage', "Babbage OR", "AND Babbage*", "text:Babbage NOT x", "Babbage " * 2_000, "\x00Babbage\ud800"],
)
def test_operators_in_a_query_are_plain_text(source: KnowledgeSource, query: str) -> None:
    assert source.search(query)[0].title == "Charles Babbage"


def test_k_is_the_most_that_comes(source: KnowledgeSource) -> None:
    assert source.search("Mercury", 0) == ()
    assert len(source.search("Mercury", 1)) == 1
    assert len(source.search("Mercury", 100)) == 2
    with pytest.raises(ValueError, match="-1"):
        source.search("Mercury", -1)


def test_ids_follow_from_content_alone(source: KnowledgeSource, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    with make_source(tmp_path / "again") as again:
        assert [p.id for p in again.all_passages()] == [p.id for p in source.all_passages()]
    assert len({p.id for p in source.all_passages()}) == 4


def test_threads_share_it(source: KnowledgeSource) -> None:
    expected = source.search("Analytical Engine")
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(
                lambda _: (source.search("Analytical Engine"), source.resolve("ada_lovelace")), range(80)
            )
        )
    assert found == [(expected, "Ada Lovelace")] * 80


def test_a_pickled_copy_opens_the_same_file(source: KnowledgeSource) -> None:
    with pickle.loads(pickle.dumps(source)) as copy:
        assert copy.content_hash == source.content_hash


def _search_in_child(source: KnowledgeSource, answer: Connection) -> None:
    answer.send([p.title for p in source.search("liquid metal")])


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_another_process_can_search(source: KnowledgeSource, method: Literal["fork", "spawn"]) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    source.search("opened before the fork")
    context: Any = multiprocessing.get_context(method)
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_search_in_child, args=(source, theirs))
    child.start()
    assert ours.poll(30)
    assert ours.recv() == ["Mercury (element)"]
    child.join(30)
    assert source.search("nearest planet")[0].title == "Mercury (planet)"


def test_a_closed_source_says_so(source: KnowledgeSource) -> None:
    source.close()
    source.close()
    with pytest.raises(KnowledgeSourceError, match="closed"):
        source.search("Mercury")


def test_closing_ends_the_connections_of_all_threads(source: KnowledgeSource) -> None:
    thread = threading.Thread(target=source.search, args=("Mercury",))
    thread.start()
    thread.join()
    source.close()
    assert source.path.rename(source.path.with_suffix(".moved")).exists()


def test_every_error_is_the_packages_own(source: KnowledgeSource) -> None:
    for asked in ("Nobody", "Mercury"):
        with pytest.raises(FactScoreError):
            source.passages(asked)
