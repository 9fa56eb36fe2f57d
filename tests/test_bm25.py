"""BM25 over small corpora: every match counts, and order is never left to chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscore_chain.retrievers.bm25 import BM25Index

LINES = ["床前明月光", "疑是地上霜", "举头望明月", "低头思故乡"]
WORDS = st.sampled_from(["ann", "bob", "the", "wrote", "1892"])


def _order(texts: list[str], query: str, k: int = 10) -> list[int]:
    return [position for position, _ in BM25Index(texts).rank(query, k)]


def test_a_match_ranks_first_where_a_word_stands_in_half_of_the_texts() -> None:
    index = BM25Index(["Hello there good man!", "It is quite windy in London"])
    (best, score), (_, other) = index.rank("windy London", 2)
    assert best == 1
    assert score > 0
    assert other == 0


def test_a_word_of_every_text_still_counts() -> None:
    assert (BM25Index(["the cat", "the dog", "the cow"]).scores("the") > 0).all()


def test_a_corpus_of_one_text_returns_it() -> None:
    ((position, score),) = BM25Index(["Ada Lovelace wrote notes."]).rank("lovelace", 5)
    assert position == 0
    assert score > 0


def test_equal_scores_keep_the_order_of_the_corpus_every_time() -> None:
    index = BM25Index(["quick god", "quick fox", "quick elk"] * 20)
    assert [index.rank("quick", 60) for _ in range(3)] == [index.rank("quick", 60)] * 3
    assert [position for position, _ in index.rank("quick", 60)] == list(range(60))


def test_two_texts_with_the_word_score_equally_above_zero() -> None:
    first, second = BM25Index(["quick god", "quick fox"]).scores("quick")
    assert first == second > 0


@pytest.mark.parametrize("query", ["", "!!!", "zzzqqq", "\x00", "\ud800", '" OR *', "a" * 10_000])
def test_a_query_without_a_known_word_scores_zero_and_keeps_the_order(query: str) -> None:
    assert BM25Index(["first text", "second text"]).rank(query, 5) == [(0, 0.0), (1, 0.0)]


@pytest.mark.parametrize(("k", "count"), [(0, 0), (1, 1), (2, 2), (20, 2)])
def test_k_is_the_most_that_comes(k: int, count: int) -> None:
    assert len(BM25Index(["one text", "another text"]).rank("text", k)) == count


def test_a_negative_k_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        BM25Index(["one"]).rank("one", -1)


@pytest.mark.parametrize("texts", [[], [""], ["", "!!!"]])
def test_texts_without_words_are_no_trouble(texts: list[str]) -> None:
    assert BM25Index(texts).scores("word").tolist() == [0.0] * len(texts)


@pytest.mark.parametrize(
    ("query", "texts", "best"),
    [
        ("故乡", LINES, 3),
        ("Qwen", ["Other models exist.", "The model is Qwen."], 1),
        ("TOLKIEN", ["Lewis's books", "Tolkien's books"], 1),
        ("Tolkien’s", ["Lewis", "tolkien"], 1),
        ("sao paulo", ["Rio de Janeiro", "São Paulo"], 1),
        ("1000", ["about 100 km", "about 1,000 km"], 1),
    ],
)
def test_case_punctuation_accents_and_scripts_do_not_hide_a_match(
    query: str, texts: list[str], best: int
) -> None:
    assert _order(texts, query)[0] == best


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=6), st.lists(WORDS, max_size=3))
def test_a_match_always_outranks_what_does_not_match(texts: list[str], query: list[str]) -> None:
    scores = BM25Index(texts).scores(" ".join(query))
    matches = np.array([any(word in text.split() for word in query) for text in texts], dtype=bool)
    assert (scores > 0).tolist() == matches.tolist()
