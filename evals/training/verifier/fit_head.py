"""Fits the head that joins alignment and cross-encoder, calibrates it, and sets its thresholds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from factscore_chain.evals import metrics
from factscore_chain.evals.training.verifier.config import HeadConfig
from factscore_chain.evals.training.verifier.rows import Table
from factscore_chain.evals.training.verifier.sources import SYSTEMS
from factscore_chain.verify.alignment import FEATURES
from factscore_chain.verify.head import Platt, sigmoid
from factscore_chain.verify.support import COLUMNS

_LITTLE = 0.005
"""Difference of F1 that is taken as none."""

FREE = ("fever", "fm2", "wice", "factcheck")
"""Sets of claims with texts of their own, of which nobody says whom they are about."""

Array = npt.NDArray[np.float64]

_DIRECTION = {
    **dict.fromkeys(("other_number", "rivals", "only_fact_denies", "only_evidence_denies", "spread"), -1),
    "cross_contradicted": 0,
}
"""Which way a feature may move the probability where it is not upwards; 0 is either way."""


@dataclass(frozen=True)
class Fitted:
    """A head as data, and what out-of-fold rows say of it."""

    head: dict[str, Any]
    out_of_fold: Array
    """Calibrated probability of each training row, from trees fitted without its topic."""


def training_rows(table: Table, config: HeadConfig) -> Table:
    """The rows that may be fitted on."""
    return table.where(~table.held_out & np.isin(table.source, list(config.weights)))


def fit(rows: Table, config: HeadConfig) -> Fitted:
    """Fits trees on all training rows; calibrates by rows predicted out of their fold."""
    from sklearn.model_selection import GroupKFold

    weight = np.array([config.weights[str(source)] for source in rows.source])
    raw = np.zeros(len(weight))
    for fitted, left in GroupKFold(config.folds).split(rows.features, groups=rows.group):
        model = _trees(config, rows.features.shape[1]).fit(
            rows.features[fitted], rows.supported[fitted], sample_weight=weight[fitted]
        )
        raw[left] = model.decision_function(rows.features[left])
    human = rows.source == "fs"
    known = _calibrate(raw, rows.supported, np.where(human, rows.kind, ""))
    free = _calibrate(raw, rows.supported, np.where(np.isin(rows.source, FREE), rows.source, ""))
    model = _trees(config, rows.features.shape[1]).fit(rows.features, rows.supported, sample_weight=weight)
    head = {**as_data(model), "known": known._asdict(), "free": free._asdict()}
    slope, offset = (np.where(rows.free, *both) for both in zip(free, known, strict=True))
    return Fitted(head, sigmoid(slope * raw + offset))


def alignment_alone(rows: Table, table: Table, config: HeadConfig) -> Array:
    """Log odds for all of a table from trees that see no cross-encoder."""
    width = len(FEATURES)
    weight = np.array([config.weights[str(source)] for source in rows.source])
    model = _trees(config, width).fit(rows.features[:, :width], rows.supported, sample_weight=weight)
    return np.asarray(model.decision_function(table.features[:, :width]), np.float64)


def _trees(config: HeadConfig, columns: int) -> Any:
    """Trees in which a better match never lowers the probability, whatever the training rows say."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=config.trees,
        max_depth=config.depth,
        learning_rate=config.learning_rate,
        min_samples_leaf=config.leaf,
        l2_regularization=config.l2,
        max_features=config.columns,
        monotonic_cst=[_DIRECTION.get(name, 1) for name in COLUMNS[:columns]],
        early_stopping=False,
        random_state=config.seed,
    )


def _calibrate(raw: Array, supported: npt.NDArray[np.bool_], group: npt.NDArray[np.str_]) -> Platt:
    """Platt's two numbers, on the rows of a group, each group counting the same."""
    from sklearn.linear_model import LogisticRegression

    chosen = group != ""
    _, number, size = np.unique(group[chosen], return_inverse=True, return_counts=True)
    weight = chosen.sum() / (len(size) * size[number])
    model = LogisticRegression(C=1e6).fit(raw[chosen, None], supported[chosen], sample_weight=weight)
    return Platt(float(model.coef_[0, 0]), float(model.intercept_[0]))


def as_data(model: Any) -> dict[str, Any]:
    """A fitted model of scikit-learn as perfect trees (see `TreeHead`)."""
    trees = [_perfect(one[0].nodes, model.max_depth) for one in model._predictors]
    return {
        "features": list(COLUMNS[: model.n_features_in_]),
        "feature": [tree[0] for tree in trees],
        "threshold": [tree[1] for tree in trees],
        "value": [tree[2] for tree in trees],
        "intercept": float(model._baseline_prediction[0, 0]),
    }


def _perfect(tree: Any, depth: int) -> tuple[list[int], list[float], list[float]]:
    """One tree with every leaf at full depth: a node that stood as a leaf sends all rows the same way."""
    nodes = [0]
    feature: list[int] = []
    threshold: list[float] = []
    for _ in range(depth):
        below = []
        for node in nodes:
            one = tree[node]
            leaf = bool(one["is_leaf"])
            feature.append(0 if leaf else int(one["feature_idx"]))
            threshold.append(0.0 if leaf else float(one["num_threshold"]))
            below += [node, node] if leaf else [int(one["left"]), int(one["right"])]
        nodes = below
    return feature, threshold, [float(tree[node]["value"]) for node in nodes]


def thresholds(probability: Array, rows: Table) -> dict[str, float]:
    """Thresholds for three uses, from probabilities of training topics out of fold.

    `f1`, one for all systems, gives the best F1 on not-supported, averaged over them: it changes little over
    a wide range, and the middle of that is less a matter of chance than its peak. `unbiased` gives the least
    of the largest error of the share supported over the systems. `free` gives the best balanced accuracy on
    claims of which nobody says whom they are about, averaged over their sets, in the same way as `f1`.
    """
    grid = np.linspace(0.2, 0.9, 141)
    of = {system: (rows.source == "fs") & (rows.kind == system) for system in SYSTEMS}

    def f1(threshold: float) -> float:
        return sum(
            metrics.f1_not_supported(rows.supported[m], probability[m] >= threshold) or 0.0
            for m in of.values()
        ) / len(of)

    def bias(threshold: float) -> float:
        return max(
            abs(float((probability[m] >= threshold).mean() - rows.supported[m].mean())) for m in of.values()
        )

    def balanced(threshold: float) -> float:
        sets = [rows.source == name for name in FREE]
        return sum(
            metrics.balanced_accuracy(rows.supported[m], probability[m] >= threshold) or 0.0 for m in sets
        ) / len(sets)

    def middle(reach: Callable[[float], float]) -> float:
        reached = np.array([reach(threshold) for threshold in grid])
        return float(grid[reached >= reached.max() - _LITTLE].mean())

    return {"f1": middle(f1), "unbiased": float(min(grid, key=bias)), "free": middle(balanced)}


def write_head(head: dict[str, Any], path: Path) -> None:
    """Writes the head as JSON, numbers to six figures."""
    path.write_text(json.dumps(_rounded(head), ensure_ascii=False), encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return {key: _rounded(one) for key, one in value.items()} if isinstance(value, dict) else value
