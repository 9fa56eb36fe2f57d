"""Reciprocal rank fusion, on values worked out by hand."""

from __future__ import annotations

import pytest

from factscore_chain.retrievers.fusion import reciprocal_rank_fusion
from factscore_chain.values import Passage


def _passage(text: str, origin: str, title: str | None = "A") -> Passage:
    return Passage(id=f"{title}-{text}", text=text, title=title, origins=(origin,))


def _ranking(texts: str, origin: str, title: str = "A") -> list[Passage]:
    return [_passage(text, origin, title) for text in texts]


def test_the_score_is_the_sum_of_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([_ranking("ab", "bm25"), _ranking("ca", "vector")])
    assert [(p.text, p.score) for p in fused] == [
        ("a", 1 / 61 + 1 / 62),
        ("c", 1 / 61),
        ("b", 1 / 62),
    ]


def test_agreement_outweighs_a_single_first_place() -> None:
    fused = reciprocal_rank_fusion([_ranking("xa", "bm25"), _ranking("ya", "vector")])
    assert fused[0].text == "a"


def test_the_best_ranked_copy_is_kept_with_both_origins() -> None:
    lexical = [Passage("1", "same", "A", rank=1, score=9.0, origins=("bm25",))]
    vector = [*_ranking("xy", "vector"), Passage("2", "same", "A", rank=3, score=0.2, origins=("vector",))]
    first = reciprocal_rank_fusion([lexical, vector])[0]
    assert (first.id, first.origins) == ("1", ("bm25", "vector"))


def test_one_text_under_two_titles_stays_two_pieces_of_evidence() -> None:
    fused = reciprocal_rank_fusion([[_passage("same", "bm25", "A")], [_passage("same", "vector", "B")]])
    assert [(p.title, p.origins) for p in fused] == [("A", ("bm25",)), ("B", ("vector",))]


def test_copies_within_one_ranking_count_once() -> None:
    fused = reciprocal_rank_fusion([_ranking("aab", "bm25")])
    assert [(p.text, p.rank, p.score) for p in fused] == [("a", 1, 1 / 61), ("b", 2, 1 / 62)]


def test_ties_go_to_the_earlier_ranking() -> None:
    fused = reciprocal_rank_fusion([_ranking("ab", "bm25"), _ranking("cd", "vector")])
    assert "".join(p.text for p in fused) == "acbd"


@pytest.mark.parametrize("rankings", [[], [[]], [[], []]])
def test_nothing_fuses_to_nothing(rankings: list[list[Passage]]) -> None:
    assert reciprocal_rank_fusion(rankings) == []
