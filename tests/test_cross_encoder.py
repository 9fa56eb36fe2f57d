"""The shipped cross-encoder: pairs in, logits out, each as if it were alone."""

from __future__ import annotations

import numpy as np
import pytest

from factscore_chain.verify.cross_encoder import CrossEncoder, Pair, PairTokenizer
from factscore_chain.verify.support import MODEL_FOLDER, TOKENIZER

PAIRS = [
    Pair("Oslo is the capital of Norway and lies at the head of a fjord.", "Oslo is a capital."),
    Pair("Oslo is the capital of Norway.", "Oslo is a capital that lies at the head of a fjord."),
    Pair("Oslo is the capital of Norway and lies.", "Oslo is a capital of the head of a fjord."),
]
"""Equally long, their facts not."""


@pytest.fixture(scope="module")
def encoder() -> CrossEncoder:
    return CrossEncoder(MODEL_FOLDER / "cross_encoder.onnx", TOKENIZER)


def test_pairs_of_one_batch_keep_their_own_facts(encoder: CrossEncoder) -> None:
    read = [PairTokenizer(TOKENIZER).ids(pair) for pair in PAIRS]
    assert len({len(ids) for ids, _ in read}) == 1
    assert len({before for _, before in read}) == len(PAIRS)
    alone = np.concatenate([encoder.logits([pair]) for pair in PAIRS])
    np.testing.assert_allclose(encoder.logits(PAIRS), alone, atol=1e-5)


def test_what_a_fact_says_makes_a_difference(encoder: CrossEncoder) -> None:
    told = "Edvard Munch painted The Scream in 1893."
    true, false = encoder.logits([Pair(told, told), Pair(told, "Edvard Munch never painted The Scream.")])
    assert true.argmax() == 0
    assert false.argmax() != 0


def test_a_pair_may_be_empty(encoder: CrossEncoder) -> None:
    assert np.isfinite(encoder.logits([Pair("", ""), Pair("a", ""), Pair("", "a")])).all()


def test_no_pair_gives_no_row(encoder: CrossEncoder) -> None:
    assert encoder.logits([]).shape == (0, 3)
