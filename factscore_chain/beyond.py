"""Figures beside precision, so that saying little or padding does not pay: pure functions.

F1@K is that of SAFE (Wei et al. 2024, arXiv 2403.18802, section 4): precision joined with the share of K
supported facts that a generation gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from factscore_chain.errors import UsageError


@dataclass(frozen=True)
class Stated:
    """What a generation says, without what adds nothing."""

    supported: int = 0
    other: int = 0
    """Not supported, undecided and failed; irrelevant facts are left out, as SAFE does."""


def check_k(k: float | None) -> float | None:
    """Returns K, or None for the median.

    Raises:
        UsageError: K is not a number of facts.
    """
    if k is not None and not (math.isfinite(k) and k > 0):
        raise UsageError(f"K is {k}; give the number of supported facts that a full answer has, above 0.")
    return k


def f1_at_k(stated: Stated, k: float) -> float:
    """Harmonic mean of precision and of the share of K supported facts, 0 to 1; 0 if none is supported.

    Args:
        stated: The facts of one generation.
        k: Number of supported facts from which on more are not worth more; above 0.
    """
    if stated.supported == 0:
        return 0.0
    precision = stated.supported / (stated.supported + stated.other)
    recall = min(stated.supported / k, 1.0)
    return 2 * precision * recall / (precision + recall)


def median_supported(answers: Iterable[Stated]) -> float | None:
    """K where none is given: the median number of supported facts, at least 1; None without an answer."""
    counts = [one.supported for one in answers]
    return max(1.0, float(median(counts))) if counts else None
