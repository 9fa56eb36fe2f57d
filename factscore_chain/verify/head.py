"""The trained head: boosted trees over features of a fact and its evidence, evaluated with numpy alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from factscore_chain.errors import UsageError

Array = npt.NDArray[np.float64]


class Platt(NamedTuple):
    """A calibration: probability = sigmoid(slope * log odds + offset)."""

    slope: float
    offset: float


@dataclass(frozen=True)
class TreeHead:
    """An additive model of perfect binary trees, all of one depth, and its calibration.

    Node k of a tree has children 2k+1 (feature <= threshold) and 2k+2; a tree of depth d has 2**d - 1 inner
    nodes and 2**d leaves.
    """

    features: tuple[str, ...]
    """Names of the columns it reads, in order."""
    feature: npt.NDArray[np.int64]
    """Column that each inner node asks for; trees by inner nodes."""
    threshold: Array
    """Trees by inner nodes."""
    value: Array
    """Trees by leaves: what the leaf adds to the log odds."""
    intercept: float
    known: Platt
    """For facts about a known subject, fitted on facts and their topics' pages."""
    free: Platt
    """For claims of which nobody says whom they are about, fitted on such claims with texts of their own.

    These are true less often where as many of their words are found.
    """
    thresholds: dict[str, float]
    """Probabilities from which a fact counts as supported, by use: "default", "f1", "unbiased", "free"."""
    version: str
    """Says which training made it, for manifests."""

    def log_odds(self, rows: npt.NDArray[np.floating]) -> Array:
        """Log odds of "supported" before calibration.

        Args:
            rows: One row a fact, one column a feature, as `features` names them.
        """
        x = np.asarray(rows, np.float64)
        inner = self.feature.shape[1]
        tree = np.arange(len(self.feature))
        node = np.zeros((len(x), len(tree)), np.int64)
        for _ in range(int(np.log2(inner + 1))):
            asked = self.feature[tree, node]
            right = np.take_along_axis(x, asked, axis=1) > self.threshold[tree, node]
            node = 2 * node + 1 + right
        return np.asarray(self.intercept + self.value[tree, node - inner].sum(axis=1), np.float64)

    def probability(self, rows: npt.NDArray[np.floating], free: npt.NDArray[np.bool_]) -> Array:
        """Calibrated probability of "supported", one a row.

        Args:
            rows: As `log_odds` takes them.
            free: Whether it is not known whom the claim is about, one a row.
        """
        slope, offset = (
            np.where(free, ours, theirs) for ours, theirs in zip(self.free, self.known, strict=True)
        )
        return sigmoid(slope * self.log_odds(rows) + offset)

    def default_threshold(self, *, free: bool) -> float:
        """The probability from which a claim counts as supported if nobody says otherwise."""
        return self.thresholds["free" if free else "default"]


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -60, 60))), np.float64)


def _platt(data: dict[str, Any]) -> Platt:
    return Platt(float(data["slope"]), float(data["offset"]))


def read_head(path: Path) -> TreeHead:
    """Reads a head from its JSON file.

    Raises:
        UsageError: The file is missing or is not a head.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return TreeHead(
            features=tuple(data["features"]),
            feature=np.array(data["feature"], np.int64),
            threshold=np.array(data["threshold"], np.float64),
            value=np.array(data["value"], np.float64),
            intercept=float(data["intercept"]),
            known=_platt(data["known"]),
            free=_platt(data["free"]),
            thresholds={use: float(value) for use, value in data["thresholds"].items()},
            version=str(data["version"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} is not a verifier's head ({error}). Install the package anew, or train one."
        ) from error
