"""What a gate says of a report: part of the report, so that every format can show it."""

from __future__ import annotations

from typing import Literal

from factscore_chain.records import Record

Result = Literal["passed", "failed", "incomplete"]


class Check(Record):
    """One requirement and what was found."""

    name: Literal["mean", "pass rate", "respond ratio", "baseline"]
    passed: bool
    text: str
    """The finding as a sentence, with its numbers."""


class Side(Record):
    """One of two runs that are compared; shares are 0 to 1."""

    name: str
    """Of the run's estimator."""
    score: float | None
    """Mean over the generations that are compared."""
    respond_ratio: float | None
    facts_per_response: float | None


class Comparison(Record):
    """Two runs on the same prompts. Differences are second minus first, in shares of 1."""

    first: Side
    second: Side
    matched_by: str
    """What tells which generations belong together."""
    pairs: int
    unpaired: int
    """Generations that have no score, or no counterpart, on one side."""
    difference: float | None
    interval: tuple[float, float] | None
    """95% bootstrap interval of the difference, resampling prompts; null for fewer than two pairs."""
    p_value: float | None
    """Two-sided paired permutation test; null for fewer than two pairs."""
    detectable: float | None
    """Smallest true difference that would be found in 80% of such comparisons; null if unknown."""
    significance: float
    """The level that `detectable` is about."""
    warnings: tuple[str, ...] = ()


class Repeats(Record):
    """What came of asking the verifier again."""

    facts: int
    """Facts that were asked again."""
    answers: int
    """Answers that this brought."""
    agreement: float | None
    """Share of these answers that say what the first answer said."""
    changed: int
    """Facts whose verdict the majority changed."""


class GateOutcome(Record):
    """Whether a report meets what was required, and how sure that is."""

    result: Result
    reads: str
    """Which score of a generation the gate reads, in words."""
    score: float | None
    """Mean of that score."""
    interval: tuple[float, float] | None
    """95% bootstrap interval of the mean, resampling generations; null for fewer than two."""
    pass_rate: float | None
    """Share of the generations that reach the threshold."""
    threshold: float
    below: tuple[int, ...]
    """Numbers, from 1, of the generations that do not reach it."""
    incomplete: int
    """Generations and rows of which something was lost."""
    allowed_incomplete: int = 0
    checks: tuple[Check, ...]
    comparison: Comparison | None = None
    repeats: Repeats | None = None
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the gate is open."""
        return self.result == "passed"
