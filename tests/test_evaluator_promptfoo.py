"""The promptfoo assertion: its interface here, and promptfoo itself where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evaluators.promptfoo import get_assert
from tests.judged import TRUE

KNOWLEDGE = "examples/knowledge.jsonl"
RIGHT = "Nintendo was founded in Kyoto in 1889."
WRONG = "Nintendo was founded in Kyoto in 1905."


def graded(output: Any, variables: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    return get_assert(output, {"vars": variables or {}, "config": {"knowledge": KNOWLEDGE, **config}})


def test_an_answer_is_graded_with_a_component_for_each_fact() -> None:
    found = graded(WRONG, {"topic": "Kyoto"})
    assert (found["pass"], found["score"], found["namedScores"]["factscore_coverage"]) == (False, 0.5, 1.0)
    assert [part["pass"] for part in found["componentResults"]] == [True, False]
    assert "1905" in found["reason"]


def test_the_configured_threshold_and_topic_decide() -> None:
    assert graded(WRONG, threshold=0.5, topic="Kyoto")["pass"] is True
    assert graded(RIGHT, topic="Alan Turing")["pass"] is False


def test_a_result_is_plain_json_of_the_types_that_promptfoo_requires() -> None:
    found = json.loads(json.dumps(graded(RIGHT, {"topic": "Kyoto"}), allow_nan=False))
    assert [type(found[key]) for key in ("pass", "score", "reason")] == [bool, float, str]


@pytest.mark.parametrize(("on_empty", "passes"), [("pass", True), ("fail", False)])
def test_an_answer_without_facts_passes_or_fails_as_configured(on_empty: str, passes: bool) -> None:
    found = graded("I do not know.", on_empty=on_empty)
    assert (found["pass"], found["score"]) == (passes, float(passes))
    assert "factscore" not in found["namedScores"]


def test_context_of_the_test_is_evidence_without_any_knowledge() -> None:
    found = get_assert({"answer": TRUE}, {"vars": {"context": ["Ada was born in London."]}, "config": None})
    assert found["pass"] is True


@pytest.mark.parametrize("config", [{"treshold": 0.9}, {"threshold": "high"}, {"on_empty": "skip"}])
def test_a_wrong_config_is_refused_by_the_name_of_its_key(config: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(config))):
        get_assert(RIGHT, {"config": config})


def test_promptfoo_runs_the_example(repository: Path, tmp_path: Path) -> None:
    program = os.environ.get("FACTSCORE_PROMPTFOO") or shutil.which("promptfoo")
    if program is None:
        pytest.skip("promptfoo is not installed, and FACTSCORE_PROMPTFOO names no program")
    report = tmp_path / "report.json"
    run = subprocess.run(
        [program, "eval", "--config", "promptfooconfig.yaml", "--no-cache", "--output", str(report)],
        cwd=repository / "examples/promptfoo",
        env={
            **os.environ,
            "PROMPTFOO_PYTHON": sys.executable,
            "PYTHONPATH": str(repository),
            "PROMPTFOO_CONFIG_DIR": str(tmp_path / "settings"),
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    # 100 is what promptfoo ends with where a test fails, as one of the example does on purpose.
    assert run.returncode == 100, run.stdout + run.stderr
    rows = json.loads(report.read_text(encoding="utf-8"))["results"]["results"]
    assert {row["vars"]["topic"]: row["success"] for row in rows} == {"Kyoto": True, "Apollo 11": False}
