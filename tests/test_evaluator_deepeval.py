"""The deepeval metric, measured by deepeval itself; skipped where deepeval is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import ModelCallError
from tests.judged import ADA, FALSE, REFUSED, TRUE, scorer

deepeval = pytest.importorskip(
    "deepeval", reason="deepeval is not installed; it is never a dependency: pip install deepeval"
)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No telemetry, and deepeval's own files in a folder of the test."""
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    monkeypatch.chdir(tmp_path)


def metric(**more: Any) -> Any:
    from factscore_chain.evaluators.deepeval import FactScoreMetric

    return FactScoreMetric(scorer(), **more)


def case(output: str | None, **more: Any) -> Any:
    from deepeval.test_case import LLMTestCase

    return LLMTestCase(**{"input": "?", "actual_output": output, "retrieval_context": [ADA], **more})


def test_a_measured_metric_has_score_verdict_and_reason() -> None:
    ours = metric()
    assert ours.measure(case(f"{TRUE} {FALSE}")) == 0.5
    assert (ours.score, ours.is_successful(), ours.success) == (0.5, False, False)
    assert FALSE in ours.reason
    assert ours.judgement.report.facts[0].passages[0].text == ADA


async def test_it_is_measured_asynchronously() -> None:
    ours = metric(threshold=0.5)
    assert await ours.a_measure(case(f"{TRUE} {FALSE}")) == 0.5
    assert ours.is_successful()


def test_without_its_context_there_is_no_evidence() -> None:
    assert metric(use_context=False).measure(case(TRUE)) == 0.0


def test_strict_mode_gives_nothing_for_a_part() -> None:
    ours = metric(strict_mode=True)
    assert (ours.measure(case(f"{TRUE} {FALSE}")), ours.threshold) == (0.0, 1.0)


@pytest.mark.parametrize(("on_empty", "passes"), [("pass", True), ("fail", False)])
def test_an_output_without_facts_has_no_score(on_empty: str, passes: bool) -> None:
    ours = metric(on_empty=on_empty)
    assert ours.measure(case("I do not know.")) is None
    assert ours.is_successful() is passes


def test_what_could_not_be_checked_is_an_error() -> None:
    ours = metric()
    with pytest.raises(ModelCallError, match="refused"):
        ours.measure(case(REFUSED))
    assert not ours.is_successful()


def test_a_test_case_without_output_is_missing_a_parameter() -> None:
    from deepeval.errors import MissingTestCaseParamsError

    with pytest.raises(MissingTestCaseParamsError, match="actual_output"):
        metric().measure(case(None))


def test_deepeval_evaluates_several_test_cases_together() -> None:
    cases = [case(TRUE, name="true"), case(FALSE, name="false"), case("I do not know.", name="none")]
    done = deepeval.evaluate(cases, [metric()])
    assert {one.name: one.success for one in done.test_results} == {
        "true": True,
        "false": False,
        "none": True,
    }


def test_assert_test_names_the_unsupported_fact() -> None:
    with pytest.raises(AssertionError, match="Ada was born in Paris"):
        deepeval.assert_test(case(FALSE), [metric()])
