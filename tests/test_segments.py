"""Cutting passages loses nothing."""

from __future__ import annotations

import pytest

from factscore_chain.verify.segments import LONGEST_BLOCK, LONGEST_SENTENCE, split_long, split_passage

LONG = "word " * 900
UNSPACED = "字" * 1000


@pytest.mark.parametrize("text", [LONG, UNSPACED, "One. Two. Three.", "- a list\n- of things"])
def test_every_letter_of_a_passage_is_in_some_block(text: str) -> None:
    joined = "".join(sentence for block in split_passage(text) for sentence in block.sentences)
    kept = [letter for letter in joined if letter.isalnum()]
    assert kept == [letter for letter in text if letter.isalnum()]


@pytest.mark.parametrize("text", [LONG, UNSPACED])
def test_pieces_and_blocks_fit_the_models(text: str) -> None:
    assert max(len(piece.encode()) for piece in split_long(text)) <= LONGEST_SENTENCE
    assert max(len(block.text.encode()) for block in split_passage(text)) <= LONGEST_BLOCK


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_passage_without_text_has_no_blocks(text: str) -> None:
    assert split_passage(text) == ()


def test_sentences_begin_where_the_block_says() -> None:
    (block,) = split_passage("She was born. He died.")
    assert [block.text[a:] for a in block.starts] == ["She was born. He died.", "He died."]
