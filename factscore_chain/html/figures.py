"""The numbers behind the charts, as pure functions of plain sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

BINS = 10
_FEW_FACTS = 300
_Z = 1.959964
"""Quantile of the normal distribution for intervals of 95%."""


@dataclass(frozen=True)
class Share:
    """How much of one bin is supported."""

    start: float
    end: float
    """Edges of the bin, 0 to 1; the end belongs to the next bin, but 1 to the last."""
    count: int
    supported: int

    @property
    def value(self) -> float | None:
        """Share supported, 0 to 1; None for an empty bin."""
        return self.supported / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's interval of 95% for the share, as if facts were independent; None for an empty bin."""
        if self.value is None:
            return None
        n, z2 = self.count, _Z**2
        centre = (self.value + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * sqrt(self.value * (1 - self.value) / n + z2 / (4 * n**2)) / (1 + z2 / n)
        return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True)
class Calibration:
    """One bin of probabilities beside what people say."""

    share: Share
    """Facts of the bin, and how many of them people call supported."""
    probability: float | None
    """Mean probability of the bin; None for an empty one."""


def histogram(scores: Iterable[float]) -> tuple[int, ...]:
    """How many scores (0 to 1) lie in each of ten bins of equal width; 1 lies in the last."""
    counts = [0] * BINS
    for score in scores:
        counts[_bin(score, BINS)] += 1
    return tuple(counts)


def by_position(places: Sequence[tuple[float, bool]]) -> tuple[Share, ...]:
    """Share supported along the text (paper, section 4: later facts are wrong more often).

    Args:
        places: For each fact its place, 0 at the start of its text and 1 at the end, and whether it is
            supported.

    Returns:
        Tenths of the text, or fifths where there are too few facts for tenths.
    """
    return _shares(places, BINS if len(places) >= _FEW_FACTS else BINS // 2)


def calibration(pairs: Sequence[tuple[float, bool]]) -> tuple[Calibration, ...]:
    """Ten bins of probability (0 to 1) beside the share that people call supported."""
    groups: list[list[float]] = [[] for _ in range(BINS)]
    for probability, _ in pairs:
        groups[_bin(probability, BINS)].append(probability)
    return tuple(
        Calibration(share, fmean(group) if group else None)
        for share, group in zip(_shares(pairs, BINS), groups, strict=True)
    )


def expected_error(bins: Sequence[Calibration]) -> float | None:
    """Expected calibration error: distance of probability and share in each bin, weighted by its facts."""
    total = sum(one.share.count for one in bins)
    gaps = [
        one.share.count * abs(one.probability - one.share.value)
        for one in bins
        if one.probability is not None and one.share.value is not None
    ]
    return sum(gaps) / total if total else None


def _shares(pairs: Sequence[tuple[float, bool]], bins: int) -> tuple[Share, ...]:
    counts, supported = [0] * bins, [0] * bins
    for value, is_supported in pairs:
        counts[_bin(value, bins)] += 1
        supported[_bin(value, bins)] += is_supported
    return tuple(Share(i / bins, (i + 1) / bins, counts[i], supported[i]) for i in range(bins))


def _bin(value: float, bins: int) -> int:
    return max(0, min(int(value * bins), bins - 1))
