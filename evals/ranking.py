"""Whether two measures put systems in the same order: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b of two series, -1 to 1: pairs in the same order less pairs in the other.

    Returns:
        None where one of the series does not vary.
    """
    pairs = [(_sign(a1 - b1), _sign(a2 - b2)) for (a1, a2), (b1, b2) in _pairs(first, second)]
    ordered_first = sum(one != 0 for one, _ in pairs)
    ordered_second = sum(two != 0 for _, two in pairs)
    if not ordered_first or not ordered_second:
        return None
    return float(sum(one * two for one, two in pairs) / (ordered_first * ordered_second) ** 0.5)


def pairs_in_order(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Share of the pairs of systems that both measures put in the same order, 0 to 1; None without a pair."""
    same = [_sign(a1 - b1) == _sign(a2 - b2) for (a1, a2), (b1, b2) in _pairs(first, second)]
    return sum(same) / len(same) if same else None


def best_first(scores: dict[str, float]) -> list[str]:
    """Names by score, the best first; equal ones by name."""
    return sorted(scores, key=lambda name: (-scores[name], name))


def _pairs(
    first: Sequence[float], second: Sequence[float]
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return list(combinations(zip(first, second, strict=True), 2))


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)
