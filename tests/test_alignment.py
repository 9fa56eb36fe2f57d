"""Token alignment on vectors made by hand: one direction a stem, so that equal words have cosine 1."""

from __future__ import annotations

import numpy as np
import pytest

from factscore_chain.verify.alignment import FEATURES, Alignment, align
from factscore_chain.verify.evidence import Evidence, join_passages, read_block
from factscore_chain.verify.lexicon import content_positions, stem
from factscore_chain.verify.segments import split_passage
from factscore_chain.verify.selection import choose_sentences, evidence_text
from factscore_chain.verify.words import Words, pool_words

WIDTH = 512


def words(text: str) -> Words:
    spans, start = [], 0
    for piece in text.replace(".", " .").replace(",", " ,").split():
        start = text.index(piece, start)
        spans.append((start, start + len(piece)))
        start += len(piece)
    vectors = np.zeros((len(spans), WIDTH), np.float32)
    for row, (a, b) in enumerate(spans):
        vectors[row, sum(map(ord, stem(text[a:b]))) % WIDTH] = 1
    numbers = np.arange(len(spans))
    return pool_words(text, vectors, np.full(len(spans), 1000), np.array(spans), numbers)


def evidence(*passages: str) -> Evidence:
    read = [[read_block(block, words(block.text)) for block in split_passage(text)] for text in passages]
    joined = join_passages([[one for one in blocks if one] for blocks in read])
    assert joined is not None
    return joined


def aligned(fact: str, *passages: str, topic: str | None = None) -> Alignment:
    return align(words(fact), topic, evidence(*passages))


def feature(alignment: Alignment, name: str) -> float:
    return float(alignment.features[FEATURES.index(name)])


def test_a_fact_that_stands_in_the_text_matches_fully() -> None:
    alignment = aligned(
        "Ada Lovelace wrote notes in 1843.", "Nothing here. Ada Lovelace wrote notes in 1843."
    )
    assert alignment.best == 1
    assert feature(alignment, "best_mean") == pytest.approx(1)
    assert feature(alignment, "best_least") == pytest.approx(1)


def test_a_number_that_the_text_replaces_is_noticed() -> None:
    alignment = aligned("She was born in 1816.", "She was born in 1815.")
    assert feature(alignment, "other_number") == 1
    assert feature(alignment, "best_numbers") == 0


def test_another_number_is_no_match_at_all() -> None:
    alignment = aligned("She was born in 1816.", "She was born in 1815.")
    assert feature(alignment, "best_least") == 0
    assert feature(alignment, "rivals") == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("fact", "text", "name"),
    [
        ("He never won a medal.", "He won a medal.", "only_fact_denies"),
        ("He won a medal.", "He never won a medal.", "only_evidence_denies"),
    ],
)
def test_a_negation_on_one_side_only_is_noticed(fact: str, text: str, name: str) -> None:
    assert feature(aligned(fact, text), name) == 1
    assert feature(aligned(fact, fact), name) == 0


def test_some_sentences_of_evidence_keep_their_words_and_passages() -> None:
    whole = evidence("One thing. Two cats sat.", "Three things.")
    part = whole.only([1, 2])
    assert part.sentences == ("Two cats sat.", "Three things.")
    assert part.texts[part.words_of(0)] == ("Two", "cats", "sat", ".")
    assert part.passage_of.tolist() == [0, 1]
    assert np.array_equal(part.vectors, whole.vectors[3:])


def test_the_topic_own_name_earns_nothing() -> None:
    with_topic = aligned("Ada Lovelace swam.", "Ada Lovelace wrote.", topic="Ada Lovelace")
    without = aligned("Ada Lovelace swam.", "Ada Lovelace wrote.")
    assert feature(with_topic, "best_mean") < feature(without, "best_mean")


def test_features_are_finite_for_a_fact_of_function_words() -> None:
    alignment = aligned("It was so.", "Another thing.")
    assert len(alignment.features) == len(FEATURES)
    assert np.isfinite(alignment.features).all()


def test_content_positions_leave_out_function_words_and_the_topic() -> None:
    assert content_positions(["Ada", "was", "a", "poet"], "Ada Lovelace") == [3]


def test_sentences_know_their_passage() -> None:
    assert evidence("One thing. Two things.", "Three things.").passage_of.tolist() == [0, 0, 1]


def test_the_second_sentence_chosen_adds_what_the_first_lacks() -> None:
    found = evidence("A painter lived there. Rain fell. She taught in Oslo.")
    alignment = align(words("The painter taught in Oslo."), None, found)
    assert sorted(choose_sentences(alignment, found)) == [0, 2]


def test_the_title_goes_before_evidence_that_does_not_name_it() -> None:
    found = evidence("She taught in Oslo.")
    assert evidence_text([0], found, "Ada") == "Ada. She taught in Oslo."
    assert evidence_text([0], found, "Oslo") == "She taught in Oslo."
