"""What a guardrail says of a text: pure functions from a report and a policy to an outcome."""

from __future__ import annotations

from typing import Literal

from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.records import FactRecord, Record
from factscore_chain.report import GenerationReport
from factscore_chain.values import Passage, Reason, Span, Verdict

Cause = Literal["supported", "unsupported", "nothing_to_check", "undecided", "error"]
Action = Literal["pass", "annotate", "replace", "correct", "remove", "raise", "retry"]

UNCHECKED: frozenset[Cause] = frozenset({"nothing_to_check", "undecided", "error"})
"""Causes that say nothing about the truth of the text."""


class Finding(Record):
    """A fact that is not known to be supported, with the passage that its verdict rests on."""

    text: str
    verdict: Verdict
    reason: Reason | None = None
    span: Span | None = None
    """Characters of the text, `text[start:end]`."""
    probability: float | None = None
    """Probability of being supported, 0 to 1, where the verifier has one."""
    passage: Passage | None = None
    """The one that the verdict rests on, else the best that was found."""
    cause: str | None = None
    """Why there is no verdict."""

    @classmethod
    def of(cls, fact: FactRecord) -> Finding:
        """What a reader needs to know of a fact."""
        return cls(
            text=fact.text,
            verdict=fact.verdict,
            reason=fact.reason,
            span=fact.span,
            probability=fact.probability,
            passage=fact.best_passage,
            cause=fact.cause,
        )


class GuardOutcome(Record):
    """Whether a text meets a policy, why, and what the policy says is to be done."""

    passed: bool
    cause: Cause
    action: Action
    threshold: float
    score: float | None = None
    """Share of the facts that are supported, 0 to 1, without length penalty; null where there is none."""
    coverage: float | None = None
    """Share of the facts that got a verdict, 0 to 1."""
    facts: int = 0
    supported: int = 0
    unsupported: tuple[Finding, ...] = ()
    """Facts found not supported or irrelevant, in the order of the text."""
    undecided: tuple[Finding, ...] = ()
    """Facts without a verdict."""
    error: str | None = None
    """What went wrong in the check."""

    @property
    def checked(self) -> bool:
        """Whether it says something about the truth of the text."""
        return self.cause not in UNCHECKED

    def summary(self) -> str:
        """One clause with the figures and none of the text, for logs and error messages."""
        if self.cause == "error":
            return f"the check failed: {self.error}"
        if self.cause == "nothing_to_check":
            return "it states no fact that could be checked"
        if self.cause == "undecided":
            return f"only {self.facts - len(self.undecided)} of {self.facts} facts could be decided"
        return f"{self.supported} of {self.facts} facts are supported, {self.threshold:.0%} are required"


def judge(report: GenerationReport, policy: GuardPolicy) -> GuardOutcome:
    """Judges the report of one text.

    A text that cannot reach the threshold, whatever is still open, is unsupported. Otherwise what was lost in
    the check makes it an error, and too few verdicts make it undecided.
    """
    cause, score = _cause(report, policy), report.init_score
    return GuardOutcome(
        passed=_passes(cause, policy),
        cause=cause,
        action=_action(cause, policy),
        threshold=policy.threshold,
        score=score,
        coverage=report.coverage,
        facts=len(report.facts),
        supported=report.tally.supported,
        unsupported=tuple(map(Finding.of, report.unsupported)),
        undecided=tuple(Finding.of(fact) for fact in report.facts if fact.verdict in _OPEN),
        error=report.error if cause == "error" else None,
    )


def failed_check(error: str, policy: GuardPolicy) -> GuardOutcome:
    """The outcome of a check that gave no report."""
    return GuardOutcome(
        passed=_passes("error", policy),
        cause="error",
        action=_action("error", policy),
        threshold=policy.threshold,
        error=error,
    )


_OPEN = frozenset({Verdict.UNDECIDED, Verdict.FAILED})


def _cause(report: GenerationReport, policy: GuardPolicy) -> Cause:
    counted = report.tally
    if report.status in ("abstained", "no_facts"):
        return "nothing_to_check"
    if counted.facts:
        still_open = counted.facts - counted.decided
        if _share(counted.supported + still_open, counted.facts) < policy.threshold:
            return "unsupported"
    only_undecided = counted.facts and not counted.decided and not report.failures
    if not report.complete and not (only_undecided and _answered(report)):
        return "error"
    if _share(counted.decided, counted.facts) < policy.min_coverage or not counted.decided:
        return "undecided"
    return "supported" if _share(counted.supported, counted.facts) >= policy.threshold else "unsupported"


def _share(part: int, of: int) -> float:
    return part / of if of else 0.0


def _answered(report: GenerationReport) -> bool:
    """Whether the verifier could be asked about every fact, whatever came of it."""
    return all(fact.verdict is not Verdict.FAILED for fact in report.facts)


def _passes(cause: Cause, policy: GuardPolicy) -> bool:
    if cause == "nothing_to_check":
        return policy.on_empty != "fail"
    if cause in UNCHECKED:
        return policy.on_error != "closed"
    return cause == "supported"


def _action(cause: Cause, policy: GuardPolicy) -> Action:
    if cause == "supported":
        return "pass"
    if cause == "unsupported":
        return policy.on_fail
    if cause == "nothing_to_check":
        return _ON_EMPTY[policy.on_empty] or _withheld(policy)
    return _ON_ERROR[policy.on_error] or _withheld(policy)


# None stands for a text that is withheld, in the way that the policy withholds texts.
_ON_EMPTY: dict[str, Action | None] = {"pass": "pass", "annotate": "annotate", "fail": None}
_ON_ERROR: dict[str, Action | None] = {"open": "pass", "annotate": "annotate", "closed": None}


def _withheld(policy: GuardPolicy) -> Action:
    last = policy.on_fail if policy.on_fail in ("replace", "raise") else policy.otherwise
    return "raise" if last == "raise" else "replace"
