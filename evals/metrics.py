"""Agreement of decisions with labels, as pure functions of arrays.

Three arrays of one length stand for the facts: `supported` (bool, what people say), `predicted` (bool, what
the estimator says) and `probability` (float, 0 to 1, of being supported). A figure that is not defined on
the facts given (one class only, no facts) is None, never NaN.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]

ECE_BINS = 10


def precision_not_supported(supported: Bools, predicted: Bools) -> float | None:
    """Of the facts that the estimator rejects, the share that people reject."""
    return _ratio(_both_reject(supported, predicted), int((~predicted).sum()))


def recall_not_supported(supported: Bools, predicted: Bools) -> float | None:
    """Of the facts that people reject, the share that the estimator rejects."""
    return _ratio(_both_reject(supported, predicted), int((~supported).sum()))


def f1_not_supported(supported: Bools, predicted: Bools) -> float | None:
    """F1 of rejecting facts (paper, section 4.2: F1-micro); None if neither side rejects any."""
    return _ratio(2 * _both_reject(supported, predicted), int((~supported).sum() + (~predicted).sum()))


def f1_always_not_supported(supported: Bools) -> float | None:
    """F1 of an estimator that rejects every fact: what `f1_not_supported` has to beat."""
    return f1_not_supported(supported, np.zeros(len(supported), dtype=np.bool_))


def gain(f1: float | None, baseline: float | None) -> float | None:
    """Points of F1 over the baseline."""
    return None if f1 is None or baseline is None else 100 * (f1 - baseline)


def accuracy(supported: Bools, predicted: Bools) -> float | None:
    """Share of facts on which both agree."""
    return _ratio(int((supported == predicted).sum()), len(supported))


def balanced_accuracy(supported: Bools, predicted: Bools) -> float | None:
    """Mean of the share right among supported and among not supported facts; None with one class only."""
    accepted = _ratio(int((supported & predicted).sum()), int(supported.sum()))
    rejected = recall_not_supported(supported, predicted)
    return None if accepted is None or rejected is None else (accepted + rejected) / 2


def auc(supported: Bools, probability: Floats) -> float | None:
    """Chance that a supported fact scores above one that is not, ties as half; None with one class only."""
    positives = int(supported.sum())
    negatives = len(supported) - positives
    if not positives or not negatives:
        return None
    _, inverse, counts = np.unique(probability, return_inverse=True, return_counts=True)
    last_rank = np.cumsum(counts)
    mean_rank = last_rank - (counts - 1) / 2
    rank_sum = float(mean_rank[inverse[supported]].sum())
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


def kappa(supported: Bools, predicted: Bools) -> float | None:
    """Cohen's kappa: agreement beyond chance; None where chance alone gives full agreement."""
    observed = accuracy(supported, predicted)
    if observed is None:
        return None
    human, machine = float(supported.mean()), float(predicted.mean())
    chance = human * machine + (1 - human) * (1 - machine)
    return None if chance == 1 else (observed - chance) / (1 - chance)


def ece(supported: Bools, probability: Floats, bins: int = ECE_BINS) -> float | None:
    """Expected calibration error over bins of equal width.

    Each bin's distance between mean probability and share supported, weighted by the facts in the bin. The
    bins are [0, 0.1), ..., [0.9, 1].
    """
    if not len(supported):
        return None
    position = np.minimum((probability * bins).astype(np.int64), bins - 1)
    excess = np.bincount(position, weights=probability - supported, minlength=bins)
    return float(np.abs(excess).sum() / len(supported))


def system_score(accepted: Bools, generation: npt.NDArray[np.int64]) -> float | None:
    """FActScore without penalty: the mean over generations of the share of facts accepted.

    Args:
        accepted: For each fact, whether it counts as supported.
        generation: For each fact, the number of its generation (0 and up; unused numbers count for nothing).
    """
    if not len(accepted):
        return None
    facts = np.bincount(generation)
    kept = np.bincount(generation, weights=accepted)
    return float((kept[facts > 0] / facts[facts > 0]).mean())


def error_rate(human: float | None, estimated: float | None) -> float | None:
    """Estimated minus human score, in points: above zero, the estimator is too kind (paper, section 4.2)."""
    return None if human is None or estimated is None else 100 * (estimated - human)


def pearson(first: Floats, second: Floats) -> float | None:
    """Correlation of two series; None if one of them does not vary."""
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _both_reject(supported: Bools, predicted: Bools) -> int:
    return int((~supported & ~predicted).sum())


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
