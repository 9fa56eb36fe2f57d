"""Titles resolve to the one document that is meant, or to an error that helps; never to a guess."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import AmbiguousTitleError, TitleNotFoundError
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.titles import normalise
from tests.pages import write_rows

TITLES: dict[str, list[str]] = {
    "Bosch (company)": ["Robert Bosch GmbH"],
    "Bosch Brewing Company": [],
    "General relativity": ["GR", "Einstein's theory of gravitation"],
    "General Relativism": [],
    "São Paulo": [],
    "Pelé": [],
    "Pele": ["Goddess of fire"],
    "ICE": [],
    "Ice": [],
    "ice": ["Frozen water"],
    "Albert Einstein": [],
    "Solo (film)": [],
    "Rock 'n' Roll – A History": [],
    "東京": ["Tokyo"],
    "Łódź": [],
    "Springfield, Illinois": [],
    "Springfield, Oregon": [],
    "AC/DC": [],
    "C++": [],
    "Mercury (planet)": ["Mercury planet", "Swift messenger"],
    "Mercury (element)": ["Quicksilver", "Swift messenger"],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeSource]:
    folder = tmp_path_factory.mktemp("titles")
    rows: list[dict[str, Any]] = [
        {"title": title, "text": f"About {title}.", "redirects": redirects}
        for title, redirects in TITLES.items()
    ]
    with KnowledgeSource.build(write_rows(folder / "rows.jsonl", rows), folder / "titles.db") as built:
        yield built


@pytest.mark.parametrize("title", TITLES)
def test_an_exact_title_is_itself(source: KnowledgeSource, title: str) -> None:
    assert source.resolve(title) == title


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("bosch (company)", "Bosch (company)"),
        ("Bosch_(company)", "Bosch (company)"),
        ("  general\trelativity ", "General relativity"),
        ("GENERAL_RELATIVITY", "General relativity"),
        ("Sa\u0303o Paulo", "São Paulo"),
        ("Sao Paulo", "São Paulo"),
        ("lodz", "Łódź"),
        ("pele", "Pele"),
        ("PELÉ", "Pelé"),
        ("Rock ’n’ Roll - A History", "Rock 'n' Roll – A History"),
        ("GR", "General relativity"),
        ("robert bosch gmbh", "Bosch (company)"),
        ("einstein’s theory of gravitation", "General relativity"),
        ("tokyo", "東京"),
        ("Mercury Planet", "Mercury (planet)"),
        ("ac/dc", "AC/DC"),
        ("c++", "C++"),
    ],
)
def test_spelling_and_redirects_are_no_obstacle(source: KnowledgeSource, asked: str, title: str) -> None:
    assert source.resolve(asked) == title


@pytest.mark.parametrize(
    ("asked", "candidates"),
    [
        ("Bosch", ["Bosch (company)", "Bosch Brewing Company"]),
        ("mercury", ["Mercury (planet)", "Mercury (element)"]),
        ("Springfield", ["Springfield, Illinois", "Springfield, Oregon"]),
        ("iCe", ["ICE", "Ice", "ice"]),
        ("Swift Messenger", ["Mercury (planet)", "Mercury (element)"]),
    ],
)
def test_what_may_mean_several_documents_is_ambiguous(
    source: KnowledgeSource, asked: str, candidates: list[str]
) -> None:
    with pytest.raises(AmbiguousTitleError) as caught:
        source.resolve(asked)
    assert sorted(caught.value.candidates) == sorted(candidates)
    assert all(repr(candidate) in str(caught.value) for candidate in candidates)


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("General relativety", "General relativity"),
        ("Albrt Einstien", "Albert Einstein"),
        ("Einstein", "Albert Einstein"),
        ("Solo", "Solo (film)"),
        ("Solo (album)", "Solo (film)"),
        ("Bosch Brewing", "Bosch Brewing Company"),
        ("Bosc", "Bosch (company)"),
        ("東京都", "東京"),
    ],
)
def test_an_unknown_title_is_not_found_and_near_ones_are_named(
    source: KnowledgeSource, asked: str, near: str
) -> None:
    with pytest.raises(TitleNotFoundError) as caught:
        source.resolve(asked)
    assert near in caught.value.near
    assert near in str(caught.value)


@pytest.mark.parametrize(
    "asked",
    ["", "   ", "!!!", "zzzqqq", '"', "' OR 1=1 --", "\x00", "\ud800", "*", "a" * 10_000, "%", "NEAR("],
)
def test_odd_titles_are_simply_not_found(source: KnowledgeSource, asked: str) -> None:
    with pytest.raises(TitleNotFoundError) as caught:
        source.resolve(asked)
    assert caught.value.near == ()


def test_only_the_document_itself_gives_passages(source: KnowledgeSource) -> None:
    assert [p.title for p in source.passages("bosch (company)")] == ["Bosch (company)"]


def test_many_candidates_are_not_all_listed(tmp_path: Path) -> None:
    rows = [{"title": f"John Smith {i}", "text": "Somebody."} for i in range(50)]
    source = KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", rows), tmp_path / "s.db")
    with source, pytest.raises(AmbiguousTitleError) as caught:
        source.resolve("John Smith")
    assert len(caught.value.candidates) == 10


@pytest.mark.parametrize("title", ["A_b", "a  B", " a b ", "Ａ b"])
def test_normalised_titles_are_equal(title: str) -> None:
    assert normalise(title) == "a b"


def test_a_topic_without_a_page_is_not_found_among_real_titles(data_dir: Path, tmp_path: Path) -> None:
    source = KnowledgeSource.build(data_dir / "factscore" / "pages.jsonl", tmp_path / "pages.db")
    with source:
        for title in list(source.titles)[::10]:
            assert source.resolve(title.upper().replace(" ", "_")) == title
            with pytest.raises(TitleNotFoundError) as caught:
                source.resolve(title[:-1] + "xq")
            assert title in caught.value.near
