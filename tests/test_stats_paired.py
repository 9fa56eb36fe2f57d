"""Paired statistics: exact where that can be counted by hand, silent where nothing can be said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.stats.paired import (
    detectable,
    difference,
    mean_interval,
    permutation_p,
    smallest_p,
)


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ([0.1, 0.2], 2 / 4),
        ([0.1, 0.1, 0.1], 2 / 8),
        ([0.3, -0.3], 1.0),
        ([0.0, 0.0, 0.0], 1.0),
        # No assignment of signs to 1, 1 and 3 sums to less than the 1 that was observed.
        ([1.0, 1.0, -3.0], 1.0),
        ([0.5] * 10, 2 / 1024),
    ],
)
def test_the_exact_p_value_counts_all_assignments(gaps: list[float], expected: float) -> None:
    assert permutation_p(gaps) == pytest.approx(expected)


@pytest.mark.parametrize("gaps", [[], [0.4]])
def test_fewer_than_two_pairs_have_no_p_value_interval_or_detectable_difference(gaps: list[float]) -> None:
    assert permutation_p(gaps) is None
    assert mean_interval(gaps) is None
    assert detectable(gaps) is None


def test_sampled_signs_come_near_to_all_signs() -> None:
    generator = np.random.default_rng(1)
    gaps = list(generator.normal(0.04, 0.1, size=13))
    exact = permutation_p(gaps)
    sampled = permutation_p([*gaps, 1e-6])  # one more than is counted exactly, too small to matter
    assert exact is not None
    assert sampled == pytest.approx(exact, abs=0.02)


def test_a_sampled_p_value_is_never_zero_and_repeats_with_its_seed() -> None:
    gaps = [0.5] * 40
    assert permutation_p(gaps, seed=1) == 1 / 10_001
    mixed = [0.1, -0.05] * 20
    assert permutation_p(mixed, seed=3) == permutation_p(mixed, seed=3)


def test_noise_is_called_a_difference_as_often_as_its_level_says() -> None:
    generator = np.random.default_rng(7)
    found = [permutation_p(list(generator.normal(0, 1, size=10))) for _ in range(400)]
    share = sum(one is not None and one < 0.05 for one in found) / len(found)
    assert share == pytest.approx(0.05, abs=0.025)


def test_the_detectable_difference_is_found_in_about_four_of_five_cases() -> None:
    generator = np.random.default_rng(11)
    size = detectable(list(generator.normal(0, 1, size=2000)))
    assert size is not None
    assert size == pytest.approx((1.96 + 0.8416) / math.sqrt(2000), rel=0.05)
    true = 2.8016 / math.sqrt(50)
    found = [permutation_p(list(generator.normal(true, 1, size=50)), seed=n) for n in range(120)]
    assert sum(one is not None and one < 0.05 for one in found) / len(found) == pytest.approx(0.8, abs=0.1)


def test_equal_gaps_tell_nothing_of_their_spread() -> None:
    assert detectable([0.0] * 20) is None
    assert detectable([0.1] * 20) is None


@pytest.mark.parametrize(("pairs", "expected"), [(0, 1.0), (1, 1.0), (2, 0.5), (6, 1 / 32)])
def test_the_least_p_value_depends_on_the_number_of_pairs(pairs: int, expected: float) -> None:
    assert smallest_p(pairs) == expected


def test_a_difference_is_second_minus_first() -> None:
    found = difference([0.2, 0.4, 0.6], [0.4, 0.5, 0.9])
    assert found is not None
    assert found.pairs == 3
    assert found.mean == pytest.approx(0.2)
    assert found.interval is not None
    assert found.interval[0] <= 0.2 <= found.interval[1]


def test_nothing_compares_to_nothing() -> None:
    assert difference([], []) is None


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_a_p_value_is_a_probability_and_turns_with_the_sign(gaps: list[float]) -> None:
    found, turned = permutation_p(gaps), permutation_p([-gap for gap in gaps])
    assert found is not None
    assert turned is not None
    assert 0 < found <= 1
    assert turned == pytest.approx(found, abs=0.05)
