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

    Newton's method with a weak pull towards zero, so that separable data have a fit as well.
    """
    x = np.stack([scores, np.ones(len(scores))], axis=1)
    weights = np.zeros(2)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (p - supported) + 1e-3 * weights
        curvature = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(2)
        weights = weights - np.linalg.solve(curvature, slope)
    return float(weights[0]), float(weights[1])


def _mean_gain(groups: Sequence[tuple[Bools, Floats]], threshold: float) -> float | None:
    gains = [
        gain(f1_not_supported(supported, scores >= threshold), f1_always_not_supported(supported))
        for supported, scores in groups
    ]
    defined = [one for one in gains if one is not None]
    return sum(defined) / len(defined) if defined and len(defined) == len(gains) else None
