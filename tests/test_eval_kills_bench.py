"""The benchmark that kills runs: it kills, and it notices what it is there to notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscore_chain.evals.bench import kills


def test_killed_runs_come_to_the_unbroken_runs_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert kills.main(["--kills", "3", "--generations", "3"]) == 0
    printed = capsys.readouterr().out
    assert "kills: 3 (" in printed
    assert "damaged files: 0" in printed


def test_damaged_files_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"score": ', encoding="utf-8")
    (tmp_path / "runs.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert [line.split(":")[0] for line in kills.damage(tmp_path)] == ["report.json", "runs.db"]


def test_times_are_no_difference_and_scores_are(tmp_path: Path) -> None:
    for name, created, score in (("a", "1", 0.5), ("b", "2", 0.5), ("c", "1", 0.6)):
        (tmp_path / name).mkdir()
        manifest = {"created": created, "knowledge": {"built": created}}
        content = json.dumps({"score": score, "manifest": manifest})
        (tmp_path / name / "report.json").write_text(content, encoding="utf-8")
    first, second, third = (kills.report_of(tmp_path / name) for name in "abc")
    assert first == second
    assert first != third
