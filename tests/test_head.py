"""The head's arithmetic, checked by hand on one tree."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from factscore_chain.errors import UsageError
from factscore_chain.verify.head import TreeHead, read_head

STUMP = {
    "features": ["a", "b"],
    "feature": [[0, 1, 1]],
    "threshold": [[0.5, 0.0, 10.0]],
    "value": [[-2.0, -1.0, 1.0, 2.0]],
    "intercept": 0.25,
    "known": {"slope": 2.0, "offset": -0.5},
    "free": {"slope": 1.0, "offset": 0.5},
    "thresholds": {"default": 0.6, "free": 0.5},
    "version": "1",
}


@pytest.fixture
def head(tmp_path: Path) -> TreeHead:
    path = tmp_path / "head.json"
    path.write_text(json.dumps(STUMP))
    return read_head(path)


@pytest.mark.parametrize(
    ("row", "leaf"), [((0.0, -1.0), -2.0), ((0.5, 1.0), -1.0), ((0.6, 10.0), 1.0), ((0.6, 11.0), 2.0)]
)
def test_a_row_goes_to_the_leaf_its_values_ask_for(
    head: TreeHead, row: tuple[float, float], leaf: float
) -> None:
    assert head.log_odds(np.array([row]))[0] == pytest.approx(0.25 + leaf)


def test_the_probability_is_the_calibrated_log_odds(head: TreeHead) -> None:
    rows = np.array([[1.0, 11.0]] * 2)
    expected = [1 / (1 + np.exp(-(2.0 * 2.25 - 0.5))), 1 / (1 + np.exp(-(1.0 * 2.25 + 0.5)))]
    assert head.probability(rows, np.array([False, True])) == pytest.approx(expected)


def test_a_claim_of_which_nobody_says_whom_it_is_about_has_a_threshold_of_its_own(head: TreeHead) -> None:
    assert (head.default_threshold(free=False), head.default_threshold(free=True)) == (0.6, 0.5)


@pytest.mark.parametrize("content", ["{", "{}", '{"features": 3}'])
def test_a_file_that_is_no_head_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "head.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=r"head\.json is not a verifier's head"):
        read_head(path)
