"""`factscore eval`: what it prints, and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

from factscore_chain import estimators
from factscore_chain.cli.main import main
from factscore_chain.decompose.base import Decomposer
from factscore_chain.estimators import Estimator
from factscore_chain.values import AtomicFact, Decomposition, Generation
from tests.test_eval_agreement import Reader


class Whole(Decomposer):
    """Takes a text as one fact."""

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "whole"}

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        return Decomposition((), (AtomicFact(value.text),))


@pytest.fixture(autouse=True)
def _reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        estimators, "make_estimator", lambda *given, **options: Estimator("reader", Whole(), Reader())
    )


def pairs(path: Path, *extra: str) -> Path:
    rows = [
        {"claim": "claim 0.9", "evidence": [], "label": "supported"},
        {"claim": "claim 0.2", "evidence": [], "label": "not_supported"},
        {"claim": "claim 0.8", "evidence": [], "label": "not_supported"},
    ]
    path.write_text("\n".join([*map(json.dumps, rows), *extra]))
    return path


def labeled(path: Path) -> Path:
    facts = [{"text": "Ada wrote 0.9", "label": "S"}, {"text": "Ada drew 0.1", "label": "NS"}]
    sentence = {"text": "Ada wrote 0.9", "human-atomic-facts": facts}
    path.write_text(json.dumps({"topic": "Ada", "output": "x", "annotations": [sentence]}))
    return path


def test_pairs_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "pairs", str(pairs(tmp_path / "a.jsonl")), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n"], found["estimator"]) == (3, "reader")
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert {"balanced_accuracy", "auc", "f1_not_supported", "ece", "intervals"} <= found.keys()


def test_a_bad_row_is_named_and_makes_the_run_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "pairs", str(pairs(tmp_path / "a.jsonl", "nonsense"))]) == 3
    printed = capsys.readouterr()
    assert "a.jsonl, line 4: not JSON" in printed.err
    assert "3 rows, 1 supported" in printed.out


def test_agreement_on_rows_with_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "agreement", str(pairs(tmp_path / "a.jsonl")), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = "n_facts f1_not_supported balanced_accuracy auc error_rate human_score estimated_score kappa ece"
    assert set(wanted.split()) <= found.keys()
    assert set(wanted.split()) <= found["without_irrelevant"].keys()
    assert found["error_rate"] == pytest.approx(100 / 3)


def test_agreement_table_names_both_conventions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "agreement", str(pairs(tmp_path / "a[b].jsonl"))]) == 0
    printed = capsys.readouterr().out
    for wanted in ("a[b], reader", "with irrelevant", "without irrelevant", "+33.3"):
        assert wanted in printed


def test_several_systems_are_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(pairs(tmp_path / name)) for name in ("a.jsonl", "b.jsonl")]
    assert main(["eval", "agreement", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"].keys() == {"a", "b"}
    assert main(["eval", "agreement", *files]) == 0
    assert "by estimated score, the same order" in capsys.readouterr().out


def test_generations_need_knowledge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "agreement", str(labeled(tmp_path / "a.jsonl"))]) == 2
    assert "Give --knowledge" in capsys.readouterr().err


def test_decomposition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "decomposition", str(labeled(tmp_path / "a.jsonl")), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["precision"], found["recall"]) == (1, 0.5)
    assert (found["facts_per_sentence"], found["human_facts_per_sentence"]) == (1, 2)
    assert (found["coverage"], found["invented"], found["topics"]) == (1, 0, "held-out")
    assert main(["eval", "decomposition", str(labeled(tmp_path / "a.jsonl"))]) == 0
    assert "facts per sentence" in capsys.readouterr().out


def test_missing_file_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing: list[Any] = [str(tmp_path / "none.jsonl")]
    for part in ("pairs", "agreement", "decomposition"):
        assert main(["eval", part, *missing]) == 2
        assert "cannot be read" in capsys.readouterr().err


def test_declaring_the_command_loads_no_evaluation() -> None:
    code = "import sys, factscore_chain.cli.evaluate; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "rich", "chromadb", "onnxruntime", "factscore_chain.evals.agreement"}
