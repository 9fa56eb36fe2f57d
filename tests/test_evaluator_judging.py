"""What every evaluator stands on, and what is said where its tool is not installed."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from factscore_chain.errors import MissingPackageError, UsageError
from factscore_chain.evaluators.judging import FactJudge
from tests.judged import ADA, FALSE, REFUSED, TRUE, scorer


def test_a_text_is_judged_by_its_context() -> None:
    found = FactJudge(scorer()).judge(f"{TRUE} {FALSE}", context=[ADA])
    assert (found.score, found.passed, found.outcome.cause) == (0.5, False, "unsupported")
    assert found.reason.splitlines()[0] == "1 of 2 facts are supported, 80% are required."
    assert FALSE in found.reason


async def test_it_is_judged_asynchronously_too() -> None:
    assert (await FactJudge(scorer()).ajudge(TRUE, context=ADA)).passed


def test_only_the_first_unsupported_facts_are_named() -> None:
    text = " ".join(f"Ada was born in {1900 + number}." for number in range(8))
    assert FactJudge(scorer()).judge(text, context=ADA).reason.endswith("... and 3 more")


@pytest.mark.parametrize(("on_empty", "passes"), [("pass", True), ("fail", False)])
def test_a_text_without_facts_has_no_score(on_empty: str, passes: bool) -> None:
    found = FactJudge(scorer(), on_empty=on_empty).judge("I do not know.")  # type: ignore[arg-type]
    assert (found.score, found.passed) == (None, passes)


def test_a_text_that_could_not_be_checked_never_passes() -> None:
    assert not FactJudge(scorer(), threshold=0.0, min_coverage=0.0).judge(REFUSED).passed


@pytest.mark.parametrize("settings", [{"threshold": 1.5}, {"on_empty": "skip"}, {"min_coverage": -1}])
def test_wrong_settings_are_refused_by_name(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        FactJudge(scorer(), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("module", "package"), [("deepeval", "deepeval"), ("inspect", "inspect_ai")])
def test_an_evaluator_whose_tool_is_missing_says_what_to_install(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"factscore_chain.evaluators.{module}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=f"pip install {package.replace('_', '-')}"):
        import_module(name)
