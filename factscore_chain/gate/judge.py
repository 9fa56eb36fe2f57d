"""Judges a report by criteria: pure functions from counts to an outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from factscore_chain.gate.comparison import DEFAULT_SIGNIFICANCE, compare
from factscore_chain.gate.criteria import DEFAULT_TOLERANCE, Criteria
from factscore_chain.gate.repeats import repeats_in
from factscore_chain.gate.run_record import RunRecord
from factscore_chain.gate.wording import points
from factscore_chain.gate_outcome import Check, Comparison, GateOutcome, Result
from factscore_chain.render import percent
from factscore_chain.report import Report
from factscore_chain.stats.paired import mean_interval

_SAME = 1e-9
"""Below this, a difference is how floats round."""


def judge(report: Report, criteria: Criteria) -> GateOutcome:
    """Says whether a report meets the criteria.

    An incomplete report never passes, unless the criteria allow so many incomplete generations; each of
    these without a score then counts as 0.

    Raises:
        UsageError: The baseline is not on the same prompts.
    """
    run = RunRecord.of(report)
    values = _values(run, criteria)
    defined = [value for value in values if value is not None]
    comparison = comparison_with(run, criteria)
    checks = check_all(run, criteria, comparison)
    incomplete = len(report.rejected) + sum(not one.complete for one in report.generations)
    return GateOutcome(
        result=_result(checks, incomplete > criteria.allow_incomplete),
        reads=criteria.reads,
        score=fmean(defined) if defined else None,
        interval=mean_interval(defined, seed=criteria.seed),
        pass_rate=_share(defined, criteria.bar),
        threshold=criteria.bar,
        below=tuple(
            number
            for number, value in enumerate(values[: len(run.generations)], 1)
            if value is not None and value < criteria.bar - _SAME
        ),
        incomplete=incomplete,
        allowed_incomplete=criteria.allow_incomplete,
        checks=checks,
        comparison=comparison,
        repeats=repeats_in(report),
        warnings=() if comparison is None else comparison.warnings,
    )


def judged(report: Report, criteria: Criteria) -> Report:
    """The report with its outcome in it; raises as `judge` does."""
    return report.model_copy(update={"gate": judge(report, criteria)})


def check_all(run: RunRecord, criteria: Criteria, comparison: Comparison | None = None) -> tuple[Check, ...]:
    """Checks each requirement on a run's counts."""
    defined = [value for value in _values(run, criteria) if value is not None]
    return (
        *_mean(defined, criteria),
        *_pass_rate(defined, criteria),
        *_respond_ratio(run, criteria),
        *(() if comparison is None else (_no_worse(comparison, criteria),)),
    )


def _result(checks: Sequence[Check], incomplete: bool) -> Result:
    if incomplete:
        return "incomplete"
    return "passed" if all(check.passed for check in checks) else "failed"


def _values(run: RunRecord, criteria: Criteria) -> list[float | None]:
    # A row that could not be read is one that could not be shown to be right.
    return [*(criteria.value(row.tally) for row in run.generations), *[0.0] * run.rejected]


def _share(values: Sequence[float], bar: float) -> float | None:
    return fmean(value >= bar - _SAME for value in values) if values else None


def _mean(values: Sequence[float], criteria: Criteria) -> Iterator[Check]:
    if criteria.min_mean is not None:
        yield _at_least("mean", "mean score", fmean(values) if values else None, criteria.min_mean)


def _pass_rate(values: Sequence[float], criteria: Criteria) -> Iterator[Check]:
    if criteria.pass_rate is not None:
        what = f"share of generations at {percent(criteria.bar)} or more"
        yield _at_least("pass rate", what, _share(values, criteria.bar), criteria.pass_rate)


def _respond_ratio(run: RunRecord, criteria: Criteria) -> Iterator[Check]:
    if criteria.min_respond_ratio is not None:
        yield _at_least(
            "respond ratio", "respond ratio", run.scores.respond_ratio, criteria.min_respond_ratio
        )


def _at_least(name: str, what: str, found: float | None, required: float) -> Check:
    if found is None:
        return Check(
            name=name, passed=False, text=f"{what}: no generation counts, {percent(required)} required"
        )
    passed = found >= required - _SAME
    relation = "reaches" if passed else "is below"
    return Check(
        name=name, passed=passed, text=f"{what} {_exact(found, required)} {relation} {percent(required)}"
    )


def _exact(found: float, required: float) -> str:
    """A percentage with as many decimals as it takes not to look like what is required."""
    if percent(found) != percent(required) or abs(found - required) <= _SAME:
        return percent(found)
    return f"{100 * found:.4f}%"


def comparison_with(run: RunRecord, criteria: Criteria) -> Comparison | None:
    """Compares a run with the criteria's baseline, if there is one; raises as `compare` does."""
    if criteria.baseline is None:
        return None
    return compare(
        criteria.baseline,
        run,
        value=criteria.value,
        significance=criteria.significance or DEFAULT_SIGNIFICANCE,
        allow_new=True,
        allow_missing=run.rejected > 0,
        seed=criteria.seed,
    )


def _no_worse(comparison: Comparison, criteria: Criteria) -> Check:
    gap = comparison.difference
    if gap is None:
        text = "baseline: no generation has a score in both runs"
        return Check(name="baseline", passed=False, text=text)
    found = f"mean {points(gap)} against the baseline on {comparison.pairs} generations"
    if criteria.significance is not None:
        p_value = comparison.p_value
        worse = gap < -_SAME and p_value is not None and p_value < criteria.significance
        shown = "no p-value" if p_value is None else f"p = {p_value:.3g}"
        text = f"{found}, {shown}, {'a' if worse else 'no'} loss at {criteria.significance:g}"
        return Check(name="baseline", passed=not worse, text=text)
    tolerance = DEFAULT_TOLERANCE if criteria.tolerance is None else criteria.tolerance
    passed = gap >= -tolerance - _SAME
    text = f"{found}, {'within' if passed else 'beyond'} the tolerance of {100 * tolerance:.1f} points"
    return Check(name="baseline", passed=passed, text=text)
