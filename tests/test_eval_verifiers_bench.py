"""The comparison of verifiers: word overlap by hand, and no threshold from the topics it reports on."""

from __future__ import annotations

import numpy as np
import pytest

from factscore_chain.evals.bench.verifiers import Facts, compare, overlap
from factscore_chain.values import AtomicFact, Claim, Passage


def claim(text: str, *passages: str, topic: str | None = "Ada Lovelace") -> Claim:
    return Claim(AtomicFact(text), tuple(Passage(str(i), one) for i, one in enumerate(passages)), topic)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Ada Lovelace was an English mathematician.", 1.0),
        ("Ada Lovelace was an English painter.", 0.5),
        ("Ada Lovelace wrote notes in 1843.", 2 / 3),
        ("Ada Lovelace was.", 1.0),
        ("It was so.", 0.0),
    ],
)
def test_overlap_is_the_share_of_content_words(text: str, share: float) -> None:
    assert overlap(claim(text, "Ada was an English mathematician.", "Lovelace published notes in 1843.")) == (
        pytest.approx(share)
    )


def test_threshold_comes_from_training_topics_alone() -> None:
    page = "red green blue"
    train = [claim("red green.", page), claim("red green grey.", page), claim("red grey black.", page)]
    held = [claim("red green.", page), claim("grey.", page)]
    facts = Facts(
        (*train, *held),
        np.array([True, False, False, False, True]),
        np.array([False, False, False, True, True]),
        np.array([0, 0, 0, 1, 1]),
    )
    found = compare({"system": facts}, "lexical")
    assert found["threshold"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["systems"]["system"]["n_facts"] == 2
    assert found["systems"]["system"]["auc"] == 0
