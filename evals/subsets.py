"""How many prompts a FActScore needs: variance and rank stability over random subsets (paper, appendix).

Systems answer the same prompts. A subset of the prompts is drawn again and again, every system is scored on
it, and the scores and the order of the systems are compared with those on all prompts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.evals.ranking import kendall_tau

Finite = Annotated[float, Field(allow_inf_nan=False)]
Shares = Mapping[str, float]
"""For each prompt that a system answered, the share of its facts that is supported."""

SIZES = (40, 100, 200)
SAMPLES = 1000


class SubsetFigures(BaseModel):
    """What random subsets of one size do to scores and order. Scores are 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompts: int
    with_replacement: bool
    """There are fewer prompts than were to be drawn, so each draw leaves the prompt in the pool."""
    standard_deviation: dict[str, Finite]
    """Of each system's score over the subsets."""
    same_order: Finite | None
    """Share of the subsets that rank the systems as all prompts do; null with one system."""
    kendall_tau: Finite | None
    """Mean agreement of the subset's order with the order on all prompts; null with one system."""


def subset_study(
    systems: Mapping[str, Shares],
    sizes: Sequence[int] = SIZES,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    prompts: int | None = None,
) -> list[SubsetFigures]:
    """Draws subsets of the prompts that at least one system answered.

    Args:
        systems: By name, the answered prompts and their scores.
        sizes: Prompts of a subset.
        samples: Subsets of each size.
        seed: Of the random numbers.
        prompts: How many prompts there are, where some were answered by no system.
    """
    names = sorted({prompt for shares in systems.values() for prompt in shares})
    total = max(len(names), prompts or 0)
    table = np.full((len(systems), total), np.nan)
    for row, shares in enumerate(systems.values()):
        table[row, : len(names)] = [shares.get(name, np.nan) for name in names]
    generator = np.random.default_rng(seed)
    return [_figures(list(systems), table, size, samples, generator) for size in sizes if total]


def _figures(
    names: list[str],
    table: npt.NDArray[np.float64],
    size: int,
    samples: int,
    generator: np.random.Generator,
) -> SubsetFigures:
    replace = size > table.shape[1]
    drawn = [generator.choice(table.shape[1], size, replace=replace) for _ in range(samples)]
    whole = _scores(table)
    scores = np.array([_scores(table[:, columns]) for columns in drawn])
    several = len(names) > 1
    taus = [tau for row in scores if (tau := kendall_tau(whole.tolist(), row.tolist())) is not None]
    order = np.argsort(-whole, kind="stable")
    same = [bool((np.argsort(-row, kind="stable") == order).all()) for row in scores]
    return SubsetFigures(
        prompts=size,
        with_replacement=replace,
        standard_deviation=dict(zip(names, scores.std(axis=0).tolist(), strict=True)),
        same_order=float(np.mean(same)) if several else None,
        kendall_tau=float(np.mean(taus)) if taus else None,
    )


def _scores(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean over the answered prompts; a system that answered none of them scores 0."""
    answered = ~np.isnan(table)
    return np.asarray(np.where(answered, table, 0).sum(axis=1) / np.maximum(answered.sum(axis=1), 1))
