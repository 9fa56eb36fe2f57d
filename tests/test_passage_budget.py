"""Which passages fit into a budget of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.tokens import estimate_tokens
from factscore_chain.values import Passage
from factscore_chain.verify.passage_budget import fit_passages, passage_tokens

PASSAGES = (Passage("p1", "Ada Brook was born in Leeds in 1901.", "Ada Brook"), Passage("p2", "She painted."))


def long_passage(number: int, sentences: int) -> Passage:
    text = " ".join(
        f"Sentence {i} of passage {number} says one thing more about it." for i in range(sentences)
    )
    return Passage(f"p{number}", text, "Title", rank=number)


def test_best_passages_are_kept_whole_and_the_rest_left_out() -> None:
    passages = [long_passage(number, 200) for number in range(1, 6)]
    assert all(2500 < passage_tokens(passage) < 3500 for passage in passages)
    fitted = fit_passages(passages, 4000)
    assert (list(fitted.passages), fitted.dropped, fitted.cut) == (passages[:1], 4, False)


def test_one_giant_passage_is_cut_at_a_sentence_end() -> None:
    fitted = fit_passages([long_passage(1, 500), long_passage(2, 1)], 1000)
    (kept,) = fitted.passages
    assert (fitted.cut, fitted.dropped) == (True, 1)
    assert kept.text.endswith("about it.")
    assert 900 < passage_tokens(kept) <= 1000


def test_one_giant_sentence_is_cut_between_words() -> None:
    fitted = fit_passages([Passage("p", "word " * 5000)], 100)
    assert set(fitted.passages[0].text.split()) == {"word"}
    assert passage_tokens(fitted.passages[0]) <= 100


def test_all_passages_are_kept_where_they_fit() -> None:
    fitted = fit_passages(PASSAGES, 1000)
    assert (fitted.passages, fitted.note) == (PASSAGES, None)


def test_a_counter_of_the_callers_own_is_used() -> None:
    fitted = fit_passages(PASSAGES, 30, count=lambda text: len(text.split()))
    assert fitted.passages == PASSAGES[:1]


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("最初の", 3)])
def test_estimate_of_tokens(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.lists(st.text(max_size=80), max_size=6), st.integers(1, 100))
def test_what_is_kept_fits_and_is_the_best(texts: list[str], budget: int) -> None:
    passages = [Passage(str(i), text) for i, text in enumerate(texts)]
    fitted = fit_passages(passages, budget)
    whole = fitted.passages[1:] if fitted.cut else fitted.passages
    assert list(whole) == passages[: len(whole)]
    assert len(fitted.passages) + fitted.dropped == len(passages)
    assert fitted.cut or sum(map(passage_tokens, whole)) <= budget
