"""Two systems, or two runs of one, on the same prompts: is the difference more than noise?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev

import numpy as np
import numpy.typing as npt

from factscore_chain.stats.bootstrap import Interval, intervals

SHUFFLES = 10_000
"""Random assignments of signs, where there are too many to try all."""
ALL_SIGNS_UP_TO = 13
"""Differences up to which every assignment of signs is tried: 2**13 are fewer than `SHUFFLES`."""
POWER = 0.8
_AT_ONCE = 500
"""Assignments held in memory together."""
_TIE = 1e-9


@dataclass(frozen=True)
class Difference:
    """How far the second of two series lies above the first, pair by pair."""

    pairs: int
    mean: float
    """Mean of second minus first."""
    interval: Interval | None
    """95% percentile bootstrap interval of the mean, resampling pairs; None for fewer than two pairs."""
    p_value: float | None
    """Two-sided, of the paired permutation test; None for fewer than two pairs."""
    detectable: float | None
    """Smallest true difference that would be found in `POWER` of all such comparisons; None if unknown."""


def mean_interval(values: Sequence[float], *, seed: int = 0) -> Interval | None:
    """The 95% percentile bootstrap interval of a mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    numbers = np.asarray(values, dtype=np.float64)
    rows = np.arange(len(numbers), dtype=np.int64)
    return intervals(rows, lambda drawn, _: {"mean": float(numbers[drawn].mean())}, seed=seed)["mean"]


def difference(
    first: Sequence[float], second: Sequence[float], *, significance: float = 0.05, seed: int = 0
) -> Difference | None:
    """Compares two series of which the values at one place belong together; None if they are empty.

    Args:
        first: Values of the first system.
        second: Values of the second system, as many and in the same order.
        significance: Level of the two-sided test that `detectable` is about.
        seed: Of the random numbers.
    """
    gaps = [b - a for a, b in zip(first, second, strict=True)]
    if not gaps:
        return None
    return Difference(
        pairs=len(gaps),
        mean=fmean(gaps),
        interval=mean_interval(gaps, seed=seed),
        p_value=permutation_p(gaps, seed=seed),
        detectable=detectable(gaps, significance),
    )


def permutation_p(gaps: Sequence[float], *, seed: int = 0) -> float | None:
    """Two-sided p-value of the paired permutation test that the gaps are as likely up as down.

    Exact up to `ALL_SIGNS_UP_TO` gaps that are not zero; from `SHUFFLES` random assignments of signs above
    that. Pairs without a gap say nothing of a direction and cannot change it.

    Returns:
        A number above 0 and up to 1; None for fewer than two gaps, which no test can judge.
    """
    if len(gaps) < 2:
        return None
    moved = np.asarray([gap for gap in gaps if abs(gap) > _TIE], dtype=np.float64)
    observed = abs(moved.sum()) - _TIE
    if len(moved) <= ALL_SIGNS_UP_TO:
        return float((abs(_all_signs(len(moved)) @ moved) >= observed).mean())
    generator = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, SHUFFLES, _AT_ONCE):
        signs = generator.integers(2, size=(min(_AT_ONCE, SHUFFLES - start), len(moved))) * 2.0 - 1.0
        extreme += int((abs(signs @ moved) >= observed).sum())
    # The observed assignment is one of those that were possible.
    return (extreme + 1) / (SHUFFLES + 1)


def smallest_p(pairs: int) -> float:
    """The least p-value that the exact test can give for so many pairs: all gaps in one direction."""
    return min(1.0, 2.0 ** (1 - pairs))


def detectable(gaps: Sequence[float], significance: float = 0.05, power: float = POWER) -> float | None:
    """The smallest true mean gap that a two-sided test would find, by the normal approximation.

    Returns:
        (z(1 - significance / 2) + z(power)) times the standard error of the mean gap; None for fewer than
        two gaps, or where none differs from another, which tells nothing of their spread.
    """
    if len(gaps) < 2 or (spread := stdev(gaps)) <= _TIE:
        return None
    normal = NormalDist()
    return (normal.inv_cdf(1 - significance / 2) + normal.inv_cdf(power)) * spread / sqrt(len(gaps))


def _all_signs(count: int) -> npt.NDArray[np.float64]:
    numbers = np.arange(2**count)[:, np.newaxis]
    return np.where((numbers >> np.arange(count)) & 1, -1.0, 1.0)
