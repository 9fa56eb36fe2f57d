"""Documents of any LangChain retriever become passages."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document

from factscore_chain.retrievers.documents import passage_id, to_document, to_passages
from factscore_chain.values import Passage


def test_a_passage_survives_the_way_there_and_back() -> None:
    passage = Passage("7", "Text.", "Title", rank=1, score=0.5, origins=("bm25", "vector"))
    assert to_passages([to_document(passage)]) == (passage,)


def test_a_foreign_document_gets_an_id_from_its_content() -> None:
    one, other = to_passages([Document("a"), Document("b")])
    assert one.id == passage_id(None, "a") != other.id
    assert (one.title, one.score, one.origins, one.rank, other.rank) == (None, None, (), 1, 2)


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ({"title": "T", "source": "s.txt"}, "T"),
        ({"title": None, "source": "s.txt"}, "s.txt"),
        ({"title": "  ", "tags": ["a"], "author": None}, None),
        ({"title": 5}, None),
        ({}, None),
    ],
)
def test_the_title_is_taken_from_title_or_source(metadata: dict[str, Any], title: str | None) -> None:
    assert to_passages([Document("x", metadata=metadata)])[0].title == title


@pytest.mark.parametrize(
    ("metadata", "score"),
    [
        ({"score": 2}, 2.0),
        ({"relevance_score": 0.25}, 0.25),
        ({"score": "high"}, None),
        ({"score": float("nan")}, None),
    ],
)
def test_a_score_is_kept_if_it_is_a_number(metadata: dict[str, Any], score: float | None) -> None:
    assert to_passages([Document("x", metadata=metadata)])[0].score == score


def test_the_same_text_twice_is_one_piece_of_evidence() -> None:
    documents = [Document("x", id="1"), Document("x", id="2"), Document("x", metadata={"title": "T"})]
    assert [(p.id, p.title, p.rank) for p in to_passages(documents)] == [
        ("1", None, 1),
        (passage_id("T", "x"), "T", 2),
    ]
