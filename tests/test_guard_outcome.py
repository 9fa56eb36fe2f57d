"""The policy, and what a report means under it."""

from __future__ import annotations

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.guard.outcome import GuardOutcome, failed_check, judge
from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.report import FactRecord, GenerationReport
from factscore_chain.score import Status
from factscore_chain.values import Passage, SentenceFailure, Verdict

S, N, R, U, F = (
    Verdict.SUPPORTED,
    Verdict.NOT_SUPPORTED,
    Verdict.IRRELEVANT,
    Verdict.UNDECIDED,
    Verdict.FAILED,
)


def report(*verdicts: Verdict, status: Status = "scored", lost: int = 0) -> GenerationReport:
    facts = tuple(
        FactRecord(text=f"Fact {i}.", verdict=verdict, verifier="people")
        for i, verdict in enumerate(verdicts)
    )
    failures = tuple(SentenceFailure(i, "refused") for i in range(lost))
    one = GenerationReport(text="A text.", status=status, facts=facts, failures=failures)
    return one.rescored(None)


def test_a_text_passes_from_the_threshold_on() -> None:
    outcome = judge(report(S, S, S, S, N), GuardPolicy(threshold=0.8))
    assert (outcome.passed, outcome.cause, outcome.action, outcome.score) == (True, "supported", "pass", 0.8)


@pytest.mark.parametrize("on_fail", ["annotate", "replace", "correct", "remove", "raise", "retry"])
def test_below_the_threshold_the_policy_says_what_is_done(on_fail: str) -> None:
    outcome = judge(report(S, N, R), GuardPolicy(on_fail=on_fail))  # type: ignore[arg-type]
    assert (outcome.passed, outcome.cause, outcome.action) == (False, "unsupported", on_fail)
    assert [one.text for one in outcome.unsupported] == ["Fact 1.", "Fact 2."]


@pytest.mark.parametrize(
    ("on_empty", "passed", "action"),
    [("pass", True, "pass"), ("annotate", True, "annotate"), ("fail", False, "replace")],
)
@pytest.mark.parametrize("status", ["abstained", "no_facts"])
def test_a_text_without_facts_is_treated_as_on_empty_says(
    status: Status, on_empty: str, passed: bool, action: str
) -> None:
    outcome = judge(report(status=status), GuardPolicy(on_empty=on_empty))  # type: ignore[arg-type]
    assert (outcome.passed, outcome.cause, outcome.action) == (passed, "nothing_to_check", action)
    assert outcome.score is None


@pytest.mark.parametrize(
    ("on_error", "passed", "action"),
    [("annotate", True, "annotate"), ("open", True, "pass"), ("closed", False, "replace")],
)
def test_trouble_with_the_check_is_treated_as_on_error_says(on_error: str, passed: bool, action: str) -> None:
    policy = GuardPolicy(on_error=on_error)  # type: ignore[arg-type]
    for outcome in (
        judge(report(status="failed"), policy),
        judge(report(S, S, S, S, F), policy),
        judge(report(S, S, lost=1), policy),
        failed_check("the server is down", policy),
    ):
        assert (outcome.passed, outcome.cause, outcome.action) == (passed, "error", action)


def test_a_text_that_cannot_reach_the_threshold_is_unsupported_whatever_was_lost() -> None:
    outcome = judge(report(S, N, N, F, lost=1), GuardPolicy(on_fail="replace", on_error="open"))
    assert (outcome.cause, outcome.action) == ("unsupported", "replace")


@pytest.mark.parametrize(
    ("min_coverage", "cause"), [(0.75, "unsupported"), (0.76, "undecided"), (0.0, "unsupported")]
)
def test_below_the_least_coverage_a_text_is_undecided(min_coverage: float, cause: str) -> None:
    # Three of four facts are decided; were the fourth supported, the text would pass.
    assert judge(report(S, S, S, U), GuardPolicy(min_coverage=min_coverage)).cause == cause


@pytest.mark.parametrize(("on_error", "action"), [("open", "pass"), ("closed", "replace")])
def test_too_few_verdicts_are_treated_as_on_error_says(on_error: str, action: str) -> None:
    policy = GuardPolicy(on_error=on_error, min_coverage=0.9)  # type: ignore[arg-type]
    assert judge(report(S, S, S, U), policy).action == action
    assert judge(report(U, U, status="failed"), policy).action == action


def test_a_text_of_which_nothing_was_decided_is_undecided_even_where_no_coverage_is_required() -> None:
    outcome = judge(report(U, U, status="failed"), GuardPolicy(min_coverage=0, threshold=0))
    assert (outcome.cause, len(outcome.undecided)) == ("undecided", 2)


@pytest.mark.parametrize(
    ("on_fail", "otherwise", "action"),
    [
        ("raise", "replace", "raise"),
        ("replace", "raise", "replace"),
        ("correct", "raise", "raise"),
        ("annotate", "annotate", "replace"),
    ],
)
def test_what_is_withheld_is_withheld_as_the_policy_withholds(
    on_fail: str, otherwise: str, action: str
) -> None:
    policy = GuardPolicy(on_fail=on_fail, otherwise=otherwise, on_error="closed")  # type: ignore[arg-type]
    assert failed_check("down", policy).action == action


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": 1.1},
        {"threshold": float("nan")},
        {"min_coverage": -0.1},
        {"on_fail": "block"},
        {"on_empty": "skip"},
        {"on_error": "ignore"},
        {"otherwise": "pass"},
        {"max_retries": 0},
        {"timeout": 0},
        {"message": " "},
    ],
)
def test_a_policy_refuses_a_setting_that_is_none_and_names_it(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        GuardPolicy(**wrong)  # type: ignore[arg-type]


def test_an_outcome_keeps_the_passage_and_goes_through_json() -> None:
    fact = FactRecord(
        text="A fact.",
        verdict=N,
        verifier="x",
        passages=(Passage("p", "It is so.", "Page"),),
        evidence=("p",),
    )
    outcome = judge(report(N).model_copy(update={"facts": (fact,)}), GuardPolicy())
    again = GuardOutcome.model_validate_json(outcome.model_dump_json())
    assert again == outcome
    assert again.unsupported[0].passage == Passage("p", "It is so.", "Page")
