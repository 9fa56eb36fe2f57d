"""Percentile bootstrap intervals over clusters: facts of one topic stand or fall together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Rows: TypeAlias = npt.NDArray[np.int64]
Interval: TypeAlias = tuple[float, float]

RESAMPLES = 1000
LEVEL = 0.95


def intervals(
    clusters: Rows,
    statistics: Callable[[Rows, Rows], Mapping[str, float | None]],
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> dict[str, Interval | None]:
    """Resamples whole clusters with replacement and gives each statistic's percentile interval.

    Args:
        clusters: For each row, the number of its cluster.
        statistics: Figures of a sample, from its row indices and, for each of them, the number of the draw
            that it came with: a cluster drawn twice is two clusters.
        resamples: Samples drawn.
        level: Share of the samples inside the interval.
        seed: Of the random numbers.

    Returns:
        Lower and upper end by name; None where the statistic is undefined in more than half of the samples.
    """
    found: dict[str, list[float | None]] = {}
    for rows, draws in _samples(clusters, resamples, seed):
        for name, value in statistics(rows, draws).items():
            found.setdefault(name, []).append(value)
    return {name: _interval(values, level) for name, values in found.items()}


def _samples(clusters: Rows, resamples: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    if not len(clusters):
        return
    _, inverse, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable").astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    generator = np.random.default_rng(seed)
    for _ in range(resamples):
        drawn = generator.integers(len(sizes), size=len(sizes))
        drawn_sizes = sizes[drawn]
        draws = np.repeat(np.arange(len(drawn)), drawn_sizes)
        within = np.arange(len(draws)) - np.repeat(np.cumsum(drawn_sizes) - drawn_sizes, drawn_sizes)
        yield order[np.repeat(starts[drawn], drawn_sizes) + within], draws


def _interval(values: list[float | None], level: float) -> Interval | None:
    defined = [value for value in values if value is not None]
    if 2 * len(defined) <= len(values):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(np.asarray(defined), [tail, 1 - tail])
    return float(low), float(high)
