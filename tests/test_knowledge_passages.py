"""Cutting into passages: never too long, never through a sentence that fits, and nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscore_chain.errors import UsageError
from factscore_chain.retrievers import word_table
from factscore_chain.retrievers.passages import MAX_TOKENS, cut, cut_many
from factscore_chain.retrievers.word_table import token_counts, tokenizer

SENTENCE = "In 1815 the town of Bath had about thirty thousand people, most of them poor."


def _length(passage: str) -> int:
    return len(tokenizer().encode(passage).ids)


def _letters(texts: list[str]) -> str:
    return "".join("".join(text.split()) for text in texts)


def test_a_short_document_is_one_passage() -> None:
    assert cut(["One sentence. Another one."]) == ["One sentence. Another one."]


def test_short_paragraphs_share_a_passage_and_stay_apart_in_it() -> None:
    assert cut(["First paragraph.", "Second.\n\nThird."]) == ["First paragraph.\nSecond.\nThird."]


def test_a_paragraph_is_not_cut_to_fill_the_passage_before_it() -> None:
    first, second = " ".join([SENTENCE] * 8), " ".join(["Bath lies on the Avon."] * 30)
    assert cut([first, second]) == [first, second]


def test_a_long_paragraph_is_cut_at_sentence_ends_into_equal_shares() -> None:
    passages = cut([" ".join([SENTENCE] * 40)])
    assert all(p.startswith("In 1815") and p.endswith("poor.") for p in passages)
    assert max(map(_length, passages)) <= MAX_TOKENS
    assert min(map(_length, passages)) > MAX_TOKENS / 2


def test_an_initial_or_an_abbreviation_does_not_end_a_passage() -> None:
    text = " ".join(["Dr. J. R. R. Tolkien wrote about the U.S. in St. Louis."] * 60)
    assert all(p.startswith("Dr. J.") and p.endswith("Louis.") for p in cut([text]))


def test_a_giant_sentence_is_cut_between_words() -> None:
    words = [f"word{i}" for i in range(3_000)]
    passages = cut([" ".join(words)])
    assert " ".join(passages).split() == words
    assert max(map(_length, passages)) <= MAX_TOKENS


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "故" * 5_000,
        "𝔘" * 3_000,
        "ab" * 5_000 + " end",
        "1" * 9_999,
        "の。" * 4_000,
        "́" * 1_000,
    ],
)
def test_a_text_without_blanks_is_cut_too_and_nothing_is_lost(text: str) -> None:
    passages = cut([text])
    assert _letters(passages) == _letters([text])
    assert max(map(_length, passages)) <= MAX_TOKENS
    assert max(map(len, passages)) <= 16 * MAX_TOKENS


@pytest.mark.parametrize("texts", [[], [""], ["  \n "], ["", "\t"]])
def test_nothing_gives_no_passage(texts: list[str]) -> None:
    assert cut(texts) == []


def test_documents_cut_together_are_cut_as_each_alone() -> None:
    documents = [[SENTENCE], [], [" ".join([SENTENCE] * 30)], ["a", "b"]]
    assert cut_many(documents) == [cut(document) for document in documents]


def test_the_limit_can_be_chosen() -> None:
    assert max(map(_length, cut([" ".join([SENTENCE] * 9)], max_tokens=40))) <= 40
    with pytest.raises(UsageError, match="max_tokens"):
        cut(["x"], max_tokens=15)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text(alphabet=st.sampled_from("ab .!?\n1é故の\u00a0́한-'"), max_size=300), max_size=4),
    st.integers(16, 60),
)
def test_no_text_is_lost_and_no_passage_too_long(texts: list[str], max_tokens: int) -> None:
    passages = cut(texts, max_tokens)
    assert _letters(passages) == _letters(texts)
    assert all(_length(p) <= max_tokens for p in passages)


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_tokens_counted_word_by_word_are_those_of_the_text(text: str) -> None:
    assert token_counts([text]) == [len(tokenizer().encode(text, add_special_tokens=False))]


def test_words_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [" ".join(f"word{i}{j}" for j in range(40)) for i in range(5)]
    expected = [len(tokenizer().encode(text, add_special_tokens=False)) for text in texts]
    monkeypatch.setattr(word_table, "_REMEMBERED", 50)
    for _ in range(2):
        assert [token_counts([text])[0] for text in texts] == expected
    assert len(word_table._table.numbers) <= 90
