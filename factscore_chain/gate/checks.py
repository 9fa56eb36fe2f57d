"""What is required against what was found: pure functions on what each generation counts for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from factscore_chain.gate.criteria import DEFAULT_TOLERANCE, Criteria
from factscore_chain.gate.matching import match
from factscore_chain.gate.run_record import RunRecord
from factscore_chain.gate.wording import points
from factscore_chain.gate_outcome import Check
from factscore_chain.render import percent
from factscore_chain.stats.paired import permutation_p

_SAME = 1e-9
"""Below this, a difference is how floats round."""


@dataclass(frozen=True)
class Values:
    """What the generations of a run count for, 0 to 1; None where one does not count."""

    now: tuple[float | None, ...]
    """In the order of the run, and 0 for each row that could not be read."""
    respond_ratio: float | None
    before: tuple[float | None, ...] | None = None
    """For each of `now` what the baseline has on the same prompt; None without a baseline."""

    @property
    def counted(self) -> list[float]:
        """Those that count."""
        return [value for value in self.now if value is not None]

    @property
    def gaps(self) -> list[float]:
        """Now minus before, where both count."""
        if self.before is None:
            return []
        pairs = zip(self.now, self.before, strict=True)
        return [now - before for now, before in pairs if now is not None and before is not None]

    def having(self, place: int, value: float | None) -> Values:
        """The same with another value at one place."""
        return replace(self, now=(*self.now[:place], value, *self.now[place + 1 :]))

    def share(self, bar: float) -> float | None:
        """Share of those that count which reach a bar."""
        return fmean(value >= bar - _SAME for value in self.counted) if self.counted else None

    def below(self, bar: float) -> Iterator[int]:
        """Places that do not reach a bar."""
        for place, value in enumerate(self.now):
            if value is not None and value < bar - _SAME:
                yield place


def values_of(run: RunRecord, criteria: Criteria) -> Values:
    """What the generations count for under these criteria.

    Raises:
        UsageError: The baseline is not on the same prompts.
    """
    # A row that could not be read is one that could not be shown to be right.
    now = (*(criteria.value(row.tally) for row in run.generations), *[0.0] * run.rejected)
    ratio = run.scores.respond_ratio
    if (baseline := criteria.baseline) is None:
        return Values(now, ratio)
    pairs = match(baseline.generations, run.generations, allow_new=True, allow_missing=run.rejected > 0).pairs
    before = {place: criteria.value(baseline.generations[first].tally) for first, place in pairs}
    return Values(now, ratio, tuple(before.get(place) for place in range(len(now))))


def check_all(values: Values, criteria: Criteria) -> tuple[Check, ...]:
    """Checks each requirement."""
    counted = values.counted
    return (
        *_at_least("mean", "mean score", fmean(counted) if counted else None, criteria.min_mean),
        *_at_least(
            "pass rate",
            f"share of generations at {percent(criteria.bar)} or more",
            values.share(criteria.bar),
            criteria.pass_rate,
        ),
        *_at_least("respond ratio", "respond ratio", values.respond_ratio, criteria.min_respond_ratio),
        *([] if values.before is None else [_no_worse(values.gaps, criteria)]),
    )


def passes(values: Values, criteria: Criteria) -> bool:
    """Whether every requirement is met."""
    return all(check.passed for check in check_all(values, criteria))


def _at_least(name: str, what: str, found: float | None, required: float | None) -> Iterator[Check]:
    if required is None:
        return
    if found is None:
        text = f"{what}: no generation counts, {percent(required)} required"
        yield Check(name=name, passed=False, text=text)
        return
    passed = found >= required - _SAME
    relation = "reaches" if passed else "is below"
    text = f"{what} {_exact(found, required)} {relation} {percent(required)}"
    yield Check(name=name, passed=passed, text=text)


def _exact(found: float, required: float) -> str:
    """A percentage with as many decimals as it takes not to look like what is required."""
    if percent(found) != percent(required) or abs(found - required) <= _SAME:
        return percent(found)
    return f"{100 * found:.4f}%"


def _no_worse(gaps: Sequence[float], criteria: Criteria) -> Check:
    if not gaps:
        text = "baseline: no generation has a score in both runs"
        return Check(name="baseline", passed=False, text=text)
    gap = fmean(gaps)
    found = f"mean {points(gap)} against the baseline on {len(gaps)} generations"
    if criteria.significance is not None:
        passed, detail = _significance(gaps, gap, criteria.significance, criteria.seed)
    else:
        tolerance = DEFAULT_TOLERANCE if criteria.tolerance is None else criteria.tolerance
        passed = gap >= -tolerance - _SAME
        detail = f"{'within' if passed else 'beyond'} the tolerance of {100 * tolerance:.1f} points"
    return Check(name="baseline", passed=passed, text=f"{found}, {detail}")


def _significance(gaps: Sequence[float], gap: float, level: float, seed: int) -> tuple[bool, str]:
    p_value = permutation_p(gaps, seed=seed)
    worse = gap < -_SAME and p_value is not None and p_value < level
    shown = "no p-value" if p_value is None else f"p = {p_value:.3g}"
    return not worse, f"{shown}, {'a' if worse else 'no'} loss at {level:g}"
