"""What passes the gate, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.judge import judge, judged
from factscore_chain.gate_outcome import GateOutcome
from factscore_chain.report import Report
from tests.gates import report, run

NOISY = ["SSSN", "SSNN", "SSSS", "SNNN", "SSSN", "SSSS", "SSNN", "SSSN"]


def outcome(*letters: str, **criteria: Any) -> GateOutcome:
    return judge(report(*letters), Criteria(**criteria))


@pytest.mark.parametrize(
    ("letters", "criteria", "result"),
    [
        (["SSSS", "SSNN"], {"min_mean": 0.75}, "passed"),
        (["SSSS", "SSNN"], {"min_mean": 0.76}, "failed"),
        (["SSSS", "SSNN"], {"threshold": 0.5}, "passed"),
        (["SSSS", "SSNN"], {"threshold": 0.6}, "failed"),
        (["SSSS", "SSNN"], {"threshold": 0.6, "min_pass_rate": 0.5}, "passed"),
        (["SSSS", "SSNN"], {"min_pass_rate": 1.0}, "failed"),
        (["SSSSN", "SSSSS"], {"min_pass_rate": 1.0}, "passed"),
        (["SU"], {"min_mean": 0.51}, "failed"),
        (["SI"], {"min_mean": 0.51}, "failed"),
        (["SSSS", "-"], {"min_respond_ratio": 0.6}, "failed"),
        (["SSSS", "-"], {"min_respond_ratio": 0.5, "min_mean": 1}, "passed"),
        (["S" * 3 + "N" * 7] * 10, {"min_mean": 0.3}, "passed"),
    ],
)
def test_the_result_follows_from_the_requirements(
    letters: list[str], criteria: dict[str, Any], result: str
) -> None:
    assert outcome(*letters, **criteria).result == result


@pytest.mark.parametrize("letters", [["!", "SSSS"], ["SSSF"], ["SSSS", "!"]])
def test_what_was_lost_never_passes(letters: list[str]) -> None:
    assert outcome(*letters, min_mean=0.0).result == "incomplete"


def test_a_rejected_row_is_something_lost() -> None:
    made = report("SSSS", rejected=("rows.jsonl, line 2: not JSON",))
    assert judge(made, Criteria(min_mean=0.0)).result == "incomplete"


def test_a_loss_that_is_allowed_counts_as_zero() -> None:
    made = report("SSSS", "!", rejected=("rows.jsonl, line 3: not JSON",))
    found = judge(made, Criteria(min_mean=0.3, allow_incomplete=2))
    assert (found.result, found.incomplete) == ("passed", 2)
    assert found.score == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("on_empty", "score", "result"),
    [("skip", 1.0, "passed"), ("pass", 1.0, "passed"), ("fail", 1 / 3, "failed")],
)
def test_on_empty_says_what_an_answer_without_facts_counts(on_empty: str, score: float, result: str) -> None:
    found = outcome("SS", "-", "", min_mean=0.9, on_empty=on_empty)
    assert found.result == result
    assert found.score == pytest.approx(score)


@pytest.mark.parametrize(("on_empty", "result"), [("skip", "failed"), ("fail", "failed"), ("pass", "passed")])
def test_when_all_abstained_only_the_user_can_let_it_pass(on_empty: str, result: str) -> None:
    found = outcome("-", "-", "", min_mean=0.5, on_empty=on_empty)
    assert found.result == result
    assert GateOutcome.model_validate_json(found.model_dump_json()) == found


def test_no_generation_at_all_does_not_pass() -> None:
    found = outcome(min_mean=0.5)
    assert (found.result, found.score, found.pass_rate, found.interval) == ("failed", None, None, None)


def test_the_gate_reads_precision_unless_gamma_is_given() -> None:
    assert outcome("SS", min_mean=0.9).score == 1.0
    penalised = outcome("SS", min_mean=0.9, gamma=10)
    assert penalised.score == pytest.approx(0.0183, abs=1e-4)
    assert "gamma 10" in penalised.reads


def test_generations_below_the_threshold_are_numbered() -> None:
    assert outcome("SSSS", "SNNN", "-", "NNNN", min_mean=0.1).below == (2, 4)


def test_one_generation_has_a_mean_but_no_interval() -> None:
    found = outcome("SSSN", min_mean=0.7)
    assert (found.score, found.interval) == (0.75, None)


def test_a_score_that_looks_equal_is_told_apart() -> None:
    (check,) = outcome("S" * 7999 + "N" * 2001, min_mean=0.8).checks
    assert check.text == "mean score 79.9900% is below 80.0%"


@pytest.mark.parametrize(
    ("before", "after", "criteria", "result"),
    [
        (NOISY, NOISY, {}, "passed"),
        (["SSSS"], ["SSSN"], {}, "failed"),
        (["SSSS"], ["SSSN"], {"tolerance": 0.25}, "passed"),
        (["SSSN"], ["SSSS"], {"tolerance": 0.0}, "passed"),
        (["SSSS"] * 12, ["SSSN"] * 12, {"significance": 0.05}, "failed"),
        (["SSSS"] * 12, [*["SSSS"] * 10, "SSSN", "SSSN"], {"significance": 0.05}, "passed"),
        (["SSSS"] * 12, [*["SSSS"] * 10, "SSSN", "SSSN"], {"tolerance": 0.02}, "failed"),
        (["SSSN"] * 12, ["SSSS"] * 12, {"significance": 0.05}, "passed"),
        (["SSSS"], ["NNNN"], {"significance": 0.05}, "passed"),
    ],
)
def test_a_baseline_is_compared_by_tolerance_or_by_significance(
    before: list[str], after: list[str], criteria: dict[str, Any], result: str
) -> None:
    assert outcome(*after, baseline=run(*before), **criteria).result == result


def test_too_few_pairs_for_significance_are_warned_of() -> None:
    found = outcome("NNNN", baseline=run("SSSS"), significance=0.05)
    assert found.comparison is not None
    assert found.comparison.p_value is None
    assert "no difference can reach" in found.warnings[0]


def test_a_generation_that_lost_its_score_is_warned_of() -> None:
    found = outcome("-", *NOISY[1:], baseline=run(*NOISY))
    assert any("1 generations with a score in the first run" in one for one in found.warnings)


def test_a_baseline_with_nothing_in_common_fails() -> None:
    assert outcome("-", baseline=run("S")).result == "failed"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"estimator": "other"}, "differ in their estimator"),
        ({"verifier": {"kind": "llm"}}, "differ in their verifier"),
        ({"versions": {"factscore-chain": "0.0.9"}}, "differ in their version"),
        ({"knowledge": {"name": "pages", "content_hash": "def"}}, "different knowledge sources"),
    ],
)
def test_a_baseline_made_otherwise_is_warned_of(change: dict[str, Any], message: str) -> None:
    found = outcome(*NOISY, baseline=run(*NOISY, **change))
    assert any(message in one for one in found.warnings)
    assert found.passed


def test_the_same_makers_are_not_warned_of() -> None:
    assert outcome(*NOISY, baseline=run(*NOISY)).warnings == ()


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ({}, "Nothing is required"),
        ({"min_mean": 80}, "min_mean is 80"),
        ({"min_mean": float("nan")}, "min_mean is nan"),
        ({"threshold": -0.1}, "threshold is -0.1"),
        ({"tolerance": 0.1, "min_mean": 0.5}, "needs a baseline"),
        ({"significance": 0.1, "min_mean": 0.5}, "needs a baseline"),
        ({"significance": 0.0, "baseline": run("S")}, "significance is 0.0"),
        ({"significance": 0.1, "tolerance": 0.1, "baseline": run("S")}, "not both"),
        ({"min_mean": 0.5, "on_empty": "maybe"}, "'maybe'"),
        ({"min_mean": 0.5, "allow_incomplete": -1}, "allow_incomplete is -1"),
        ({"min_mean": 0.5, "gamma": -1}, "gamma is -1"),
    ],
)
def test_criteria_that_make_no_sense_are_refused(criteria: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Criteria(**criteria)


def test_the_outcome_is_part_of_the_report() -> None:
    made = judged(report(*NOISY), Criteria(min_mean=0.5, baseline=run(*NOISY)))
    assert Report.model_validate_json(made.to_json()) == made
