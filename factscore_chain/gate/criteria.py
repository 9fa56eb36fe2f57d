"""What a gate requires."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from factscore_chain.errors import UsageError
from factscore_chain.gate.run_record import RunRecord
from factscore_chain.score import Tally, check_gamma

OnEmpty = Literal["pass", "fail", "skip"]

DEFAULT_THRESHOLD = 0.8
"""Score that a generation has to reach to count as passed."""
DEFAULT_TOLERANCE = 0.02
"""How far below its baseline a mean may lie."""

_WITHOUT_SCORE: dict[OnEmpty, float | None] = {"pass": 1.0, "fail": 0.0, "skip": None}


def value_of(counted: Tally, gamma: float | None = None, on_empty: OnEmpty = "skip") -> float | None:
    """What one generation counts for, 0 to 1; None where it does not count.

    Raises:
        UsageError: gamma is negative or not finite.
    """
    if counted.status == "scored":
        return counted.score(gamma)
    return 0.0 if counted.status == "failed" else _WITHOUT_SCORE[on_empty]


@dataclass(frozen=True)
class Criteria:
    """What a gate requires; a requirement that is None is none. All scores and shares are 0 to 1.

    Raises:
        UsageError: A number is out of range, two settings exclude each other, or nothing is required.
    """

    min_mean: float | None = None
    """Mean score over the generations."""
    min_pass_rate: float | None = None
    """Share of the generations that must reach `threshold`."""
    threshold: float | None = None
    """Score that a generation has to reach to count as passed, by default `DEFAULT_THRESHOLD`. Where it is
    given without `min_pass_rate`, every generation must."""
    min_respond_ratio: float | None = None
    """Share of the generations that must be answers."""
    baseline: RunRecord | None = None
    """An earlier run on the same prompts, which this one must not be worse than."""
    tolerance: float | None = None
    """How far below the baseline the mean may lie; by default `DEFAULT_TOLERANCE`."""
    significance: float | None = None
    """In place of `tolerance`: worse means below the baseline with a p-value under this."""
    gamma: float | None = None
    """Facts a generation needs to escape the length penalty; None or 0 reads precision without penalty."""
    on_empty: OnEmpty = "skip"
    """What a generation counts for that abstained or states no fact: as 1, as 0, or not at all."""
    allow_incomplete: int = 0
    """Generations that may be incomplete; each that has no score counts as 0."""
    seed: int = 0
    """Of the random numbers behind intervals and p-values."""

    def __post_init__(self) -> None:
        for name in ("min_mean", "min_pass_rate", "threshold", "min_respond_ratio", "tolerance"):
            _check_share(name, getattr(self, name))
        check_gamma(self.gamma)
        self._check_comparison()
        if self.on_empty not in get_args(OnEmpty):
            raise UsageError(f"on_empty is {self.on_empty!r}; choose pass, fail or skip.")
        if self.allow_incomplete < 0:
            raise UsageError(f"allow_incomplete is {self.allow_incomplete}; give 0 or more generations.")
        if not self.requires_something:
            raise UsageError(
                "Nothing is required, so nothing could fail. Give a minimum mean, a minimum pass rate, a "
                "threshold, a minimum respond ratio, or a baseline."
            )

    def _check_comparison(self) -> None:
        if self.significance is not None:
            check_significance(self.significance)
        if self.significance is not None and self.tolerance is not None:
            raise UsageError("Give a tolerance or a significance, not both.")
        if self.baseline is None and (self.significance is not None or self.tolerance is not None):
            raise UsageError("A tolerance or a significance needs a baseline to compare with.")

    @property
    def requires_something(self) -> bool:
        """Whether any generation could make the gate fail."""
        required = (
            self.min_mean,
            self.min_pass_rate,
            self.threshold,
            self.min_respond_ratio,
            self.baseline,
        )
        return any(one is not None for one in required)

    @property
    def bar(self) -> float:
        """Score that a generation has to reach to count as passed."""
        return DEFAULT_THRESHOLD if self.threshold is None else self.threshold

    @property
    def pass_rate(self) -> float | None:
        """The share of generations that must reach the bar; None if it is not required."""
        if self.min_pass_rate is None and self.threshold is not None:
            return 1.0
        return self.min_pass_rate

    @property
    def reads(self) -> str:
        """Which score of a generation is read, in words."""
        gamma = check_gamma(self.gamma)
        return f"precision with length penalty, gamma {gamma:g}" if gamma else "precision, no length penalty"

    def value(self, counted: Tally) -> float | None:
        """What one generation counts for, 0 to 1; None where it does not count."""
        return value_of(counted, self.gamma, self.on_empty)


def check_significance(value: float) -> None:
    """Refuses a level that no p-value could be compared with.

    Raises:
        UsageError: It is not between 0 and 1.
    """
    if not 0 < value < 1:
        raise UsageError(f"significance is {value}; give a p-value between 0 and 1.")


def _check_share(name: str, value: float | None) -> None:
    if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
        raise UsageError(f"{name} is {value}; give a share from 0 to 1.")
