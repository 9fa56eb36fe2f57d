"""The examples of evaluators run; those of packages that are not installed skip, and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import load_example


@pytest.mark.filterwarnings("ignore:.*is in beta")
def test_the_langsmith_example_scores_both_answers() -> None:
    scores = load_example("langsmith_evaluator").main()
    assert scores["Kyoto"] == 1.0
    assert 0 < scores["Alan Turing"] < 1


def test_the_deepeval_example_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("deepeval", reason="deepeval is not installed; it is never a dependency")
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    monkeypatch.chdir(tmp_path)
    load_example("deepeval_metric").test_the_answer_is_factual()
