"""Fits thresholds and probabilities to labels; to be used on training topics alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factscore_chain.evals.metrics import Bools, Floats, f1_always_not_supported, f1_not_supported, gain

_STEPS = 50


def best_threshold(groups: Sequence[tuple[Bools, Floats]]) -> float | None:
    """The score from which facts are to be accepted, for the largest mean gain of F1 over the groups.

    Args:
        groups: For each system, what people say of its facts, and the facts' scores.

    Returns:
        The middle between two neighbouring scores; None if no threshold has a gain.
    """
    levels = np.unique(np.concatenate([scores for _, scores in groups])) if groups else np.zeros(0)
    candidates = (levels[:-1] + levels[1:]) / 2
    gains = [mean for mean in (_mean_gain(groups, float(one)) for one in candidates) if mean is not None]
    return float(candidates[int(np.argmax(gains))]) if len(gains) == len(candidates) > 0 else None


def fit_logistic(supported: Bools, scores: Floats) -> tuple[float, float]:
    """Slope and offset with which sigmoid(slope * score + offset) is the likeliest probability (Platt).

    A weak pull towards zero gives separable data a fit as well.
    """
    slope, offset = fit_weights(supported, scores[:, None], np.zeros(2), pull=1e-3)
    return float(slope), float(offset)


def fit_weights(supported: Bools, columns: Floats, prior: Floats, pull: float = 1.0) -> Floats:
    """The likeliest weights of a logistic combination, by Newton's method.

    Args:
        supported: What people say, one a fact.
        columns: What is combined, facts by columns.
        prior: Weights before anything was seen, the offset last.
        pull: How strongly the weights are held to them: one over their variance.

    Returns:
        One weight a column, then the offset.
    """
    x = np.column_stack([columns, np.ones(len(columns))])
    weights = np.array(prior, dtype=np.float64)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -60, 60)))
        slope = x.T @ (p - supported) + pull * (weights - prior)
        curvature = (x * (p * (1 - p))[:, None]).T @ x + pull * np.eye(len(weights))
        weights = weights - np.linalg.solve(curvature, slope)
    return weights


def _mean_gain(groups: Sequence[tuple[Bools, Floats]], threshold: float) -> float | None:
    gains = [
        gain(f1_not_supported(supported, scores >= threshold), f1_always_not_supported(supported))
        for supported, scores in groups
    ]
    defined = [one for one in gains if one is not None]
    return sum(defined) / len(defined) if defined and len(defined) == len(gains) else None
