"""One report for one input, whatever the process, the hash seed and the cores; and a difference is seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscore_chain.evals.bench import determinism
from tests.pages import PAGES, write_rows


def test_the_same_rows_give_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"topic": "Ada Lovelace", "output": "She was born in London in 1815. She wrote notes and letters."},
        {"topic": "Charles Babbage", "output": "He designed the Difference Engine. He was a French painter."},
        {"topic": "Nobody", "output": "Nobody is known."},
    ]
    given = str(write_rows(tmp_path / "rows.jsonl", rows))
    pages = str(write_rows(tmp_path / "pages.jsonl", PAGES))
    assert determinism.main([given, "--knowledge", pages, "--seeds", "0", "4711"]) == 0
    assert "1 different report" in capsys.readouterr().out


def test_only_times_are_left_out(tmp_path: Path) -> None:
    def written(score: float, created: str) -> bytes:
        report = {"score": score, "manifest": {"created": created, "knowledge": {"built": created}}}
        (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
        return determinism.report_bytes(tmp_path / "report.json")

    assert written(0.5, "1") == written(0.5, "2")
    assert written(0.5, "1") != written(0.6, "1")
