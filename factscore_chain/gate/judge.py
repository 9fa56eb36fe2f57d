"""Judges a report by criteria: a pure function from counts to an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from factscore_chain.gate.checks import check_all, values_of
from factscore_chain.gate.comparison import DEFAULT_SIGNIFICANCE, compare
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.repeats import repeats_in
from factscore_chain.gate.run_record import RunRecord
from factscore_chain.gate_outcome import Check, Comparison, GateOutcome, Result
from factscore_chain.report import Report
from factscore_chain.stats.paired import mean_interval


def judge(report: Report, criteria: Criteria) -> GateOutcome:
    """Says whether a report meets the criteria.

    An incomplete report never passes, unless the criteria allow so many incomplete generations; each of
    these without a score then counts as 0.

    Raises:
        UsageError: The baseline is not on the same prompts.
    """
    run = RunRecord.of(report)
    values = values_of(run, criteria)
    checks = check_all(values, criteria)
    comparison = _comparison(run, criteria)
    incomplete = len(report.rejected) + sum(not one.complete for one in report.generations)
    return GateOutcome(
        result=_result(checks, incomplete > criteria.allow_incomplete),
        reads=criteria.reads,
        score=fmean(values.counted) if values.counted else None,
        interval=mean_interval(values.counted, seed=criteria.seed),
        pass_rate=values.share(criteria.bar),
        threshold=criteria.bar,
        below=tuple(place + 1 for place in values.below(criteria.bar) if place < len(report.generations)),
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


def _result(checks: Sequence[Check], incomplete: bool) -> Result:
    if incomplete:
        return "incomplete"
    return "passed" if all(check.passed for check in checks) else "failed"


def _comparison(run: RunRecord, criteria: Criteria) -> Comparison | None:
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
