"""Thresholds and probabilities fitted to labels."""

from __future__ import annotations

import numpy as np
import pytest

from factscore_chain.evals.calibration import best_threshold, fit_logistic
from factscore_chain.evals.metrics import Bools


def bools(text: str) -> Bools:
    return np.array([letter == "S" for letter in text], dtype=np.bool_)


def test_threshold_lies_where_labels_part() -> None:
    assert best_threshold([(bools("NNSS"), np.array([0.1, 0.2, 0.6, 0.7]))]) == pytest.approx(0.4)


def test_threshold_weighs_systems_alike() -> None:
    # Alone, the first would have it anywhere above 0.2, the second anywhere below 0.6.
    first = (bools("NNS"), np.array([0.1, 0.2, 0.9]))
    second = (bools("NSS"), np.array([0.1, 0.6, 0.9]))
    assert best_threshold([first, second]) == pytest.approx(0.4)


def test_no_threshold_without_anything_to_reject() -> None:
    assert best_threshold([(bools("SS"), np.array([0.5, 0.5]))]) is None
    assert best_threshold([]) is None


def test_logistic_recovers_the_curve_that_made_the_labels() -> None:
    generator = np.random.default_rng(0)
    scores = generator.uniform(0, 1, 40_000)
    supported = generator.uniform(0, 1, len(scores)) < 1 / (1 + np.exp(-(6 * scores - 2)))
    slope, offset = fit_logistic(supported, scores)
    assert slope == pytest.approx(6, abs=0.2)
    assert offset == pytest.approx(-2, abs=0.1)


def test_logistic_of_separable_labels_is_finite() -> None:
    slope, offset = fit_logistic(bools("NNSS"), np.array([0.0, 0.1, 0.9, 1.0]))
    assert 0 < slope < 1000
    assert np.isfinite(offset)
