"""The sample project: its gate is open before the regression and closed after it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from factscore_chain.cli.main import main
from factscore_chain.gate.run_record import read_report


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = Path(__file__).resolve().parent.parent / "examples/ci/assistant.py"
    spec = importlib.util.spec_from_file_location("assistant", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(assistant: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers of both versions, and the report of the first, accepted as the baseline."""
    path = tmp_path_factory.mktemp("ci")
    for version in (1, 2):
        assistant.write_answers(path / f"answers{version}.jsonl", version)
    code = gate(path / "answers1.jsonl", "--min-mean", "0.9", "--output", str(path / "report.json"))
    assert code == 0
    assert main(["baseline", "accept", str(path / "report.json"), "--to", str(path / "base.json")]) == 0
    return path


def gate(answers: Path, *more: str) -> int:
    knowledge = Path(__file__).resolve().parent.parent / "examples/knowledge.jsonl"
    return main(["gate", str(answers), "--knowledge", str(knowledge), *more])


@pytest.mark.parametrize(
    "requirement",
    [
        ["--min-mean", "0.9"],
        ["--min-pass-rate", "0.9"],
        ["--baseline", "BASE", "--tolerance", "0.02"],
        ["--baseline", "BASE", "--significance", "0.05"],
    ],
    ids=lambda requirement: requirement[-2],
)
def test_the_gate_passes_before_the_regression_and_fails_after(folder: Path, requirement: list[str]) -> None:
    arguments = [str(folder / "base.json") if one == "BASE" else one for one in requirement]
    resumed = ["--only-failed", "--output"]
    codes = [
        gate(folder / f"answers{version}.jsonl", *arguments, *resumed, str(report))
        for version, report in ((1, folder / "report.json"), (2, after(folder)))
    ]
    assert codes == [0, 1]


def after(folder: Path) -> Path:
    """A report to build on, so that the regression is verified once and not for each requirement."""
    path = folder / "after.json"
    if not path.exists():
        path.write_bytes((folder / "report.json").read_bytes())
    return path


def test_what_the_regression_made_wrong_is_named(folder: Path) -> None:
    gate(folder / "answers2.jsonl", "--min-mean", "0.9", "--only-failed", "--output", str(after(folder)))
    texts = {fact.text for fact in read_report(after(folder)).unsupported}
    assert "Satyajit Ray was born on 23 June 1912." in texts  # that is Alan Turing's birthday
