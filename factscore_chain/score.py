"""The arithmetic of FActScore (paper, section 3.1, and the published length penalty): pure functions.

A generation's precision is the share of its submitted facts that are supported. Irrelevant, undecided and
failed facts stay in the denominator, so nothing that goes wrong can raise a score. What is undefined is None,
never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from factscore_chain.errors import UsageError
from factscore_chain.values import Decision, Verdict

Status = Literal["scored", "abstained", "no_facts", "failed"]

DEFAULT_GAMMA = 10.0
"""Number of facts from which on a generation is not penalised, as published."""

_OPEN = frozenset({Verdict.UNDECIDED, Verdict.FAILED})


@dataclass(frozen=True)
class Tally:
    """What scoring needs to know of one generation."""

    status: Status
    facts: int = 0
    """Facts submitted to the verifier."""
    supported: int = 0
    decided: int = 0
    """Facts with a verdict: supported, not supported or irrelevant."""

    @property
    def precision(self) -> float | None:
        """Supported of all submitted facts, 0 to 1; None unless the generation is scored."""
        return self.supported / self.facts if self.status == "scored" else None

    @property
    def coverage(self) -> float | None:
        """Decided of all submitted facts, 0 to 1; None without facts."""
        return self.decided / self.facts if self.facts else None

    def score(self, gamma: float | None = DEFAULT_GAMMA) -> float | None:
        """Precision times length penalty, 0 to 1; None unless the generation is scored.

        Raises:
            UsageError: gamma is negative or not a number.
        """
        penalty = length_penalty(self.facts, gamma)
        return None if self.precision is None else self.precision * penalty


@dataclass(frozen=True)
class Scores:
    """The four numbers of a set of generations; None where one is undefined."""

    score: float | None
    """Mean over scored generations of precision times length penalty: the FActScore."""
    init_score: float | None
    """The same without the penalty."""
    respond_ratio: float | None
    """Share of generations that are answers: not abstained, not empty of facts."""
    num_facts_per_response: float | None
    """Mean number of facts of the scored generations."""


def check_gamma(gamma: float | None) -> float:
    """Returns gamma as a number, 0 meaning no penalty.

    Raises:
        UsageError: gamma is negative or not finite.
    """
    if gamma is None:
        return 0.0
    if not math.isfinite(gamma) or gamma < 0:
        raise UsageError(f"gamma is {gamma}; give a number of facts, 0 or more (0 switches the penalty off).")
    return float(gamma)


def length_penalty(n_facts: int, gamma: float | None = DEFAULT_GAMMA) -> float:
    """The factor for short generations: 1 if n > gamma, else exp(1 - gamma / n); 0 for no facts.

    Raises:
        UsageError: gamma is negative or not finite.
    """
    gamma = check_gamma(gamma)
    if n_facts > gamma or gamma == 0:
        return 1.0
    return math.exp(1 - gamma / n_facts) if n_facts > 0 else 0.0


def tally(decisions: Sequence[Decision], *, abstained: bool = False) -> Tally:
    """Counts one generation's decisions; it has no score if it has no fact, or none that was decided."""
    supported = sum(decision.verdict is Verdict.SUPPORTED for decision in decisions)
    decided = sum(decision.verdict not in _OPEN for decision in decisions)
    return Tally(_status(len(decisions), decided, abstained), len(decisions), supported, decided)


def _status(facts: int, decided: int, abstained: bool) -> Status:
    if abstained:
        return "abstained"
    if facts == 0:
        return "no_facts"
    return "scored" if decided else "failed"


def precision(decisions: Sequence[Decision]) -> float | None:
    """Share of the submitted facts that are supported, 0 to 1; None if there is none, or none was decided."""
    return tally(decisions).precision


def coverage(decisions: Sequence[Decision]) -> float | None:
    """Share of the submitted facts that were decided, 0 to 1; None if there is none."""
    return tally(decisions).coverage


def aggregate(tallies: Iterable[Tally], gamma: float | None = DEFAULT_GAMMA) -> Scores:
    """The four numbers of a set of generations; their order does not matter.

    Raises:
        UsageError: gamma is negative or not finite.
    """
    check_gamma(gamma)
    tallies = list(tallies)
    scored = [one for one in tallies if one.status == "scored"]
    return Scores(
        score=mean(one.score(gamma) for one in scored),
        init_score=mean(one.precision for one in scored),
        respond_ratio=mean(float(one.status in ("scored", "failed")) for one in tallies),
        num_facts_per_response=mean(float(one.facts) for one in scored),
    )


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is not None; None if nothing is left."""
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None
