"""What GitHub Actions is told: the right line, and nothing that a text under test could slip in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factscore_chain.gate import github
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.judge import judged
from factscore_chain.gate.scoring import assembled
from factscore_chain.generation_files import RejectedRow
from factscore_chain.report import Report
from factscore_chain.values import Place
from tests.gates import fact, generation, manifest, report


def gated(*letters: str, **criteria: Any) -> Report:
    return judged(report(*letters), Criteria(**{"min_mean": 0.9, **criteria}))


def test_an_annotation_stands_on_the_line_of_the_row() -> None:
    (line,) = github.row_annotations(gated("SS", "SN"))
    assert line == (
        "::error file=rows.jsonl,line=2,title=FActScore%3A 2. T2::score 50.0%25, 1 of 2 facts supported, "
        "coverage 100.0%25%0Anot supported: Fact 1. [Ada Lovelace: Ada Lovelace was born in London.]"
    )


def test_an_open_gate_annotates_nothing() -> None:
    assert github.row_annotations(gated("SS", "SN", min_mean=0.5)) == []
    assert github.row_annotations(report("N")) == []


def test_a_rejected_row_and_a_lost_generation_are_annotated() -> None:
    rejected = [RejectedRow(Place("rows.jsonl", 7), "not JSON")]
    lines = github.row_annotations(gated("SS", "!"), rejected)
    assert [line.partition(",title")[0] for line in lines] == [
        "::error file=rows.jsonl,line=7",
        "::error file=rows.jsonl,line=2",
    ]


def test_a_text_cannot_end_its_annotation_or_begin_another() -> None:
    bad = "a, b:c\r\n::error file=x::\n%0A"
    one = generation("N", topic=bad, facts=(fact("N", bad),), place=Place("a,b:c.jsonl", 1))
    (line,) = github.row_annotations(judged(assembled((one,), manifest()), Criteria(min_mean=0.5)))
    assert "\n" not in line
    assert "\r" not in line
    properties, _, message = line.removeprefix("::error ").partition("::")
    assert properties.startswith("file=a%2Cb%3Ac.jsonl,line=1,title=FActScore%3A 1. a%2C b%3Ac%0D%0A")
    assert properties.count(",") == 2
    assert "%250A" in message


def test_no_more_annotations_are_made_than_are_shown() -> None:
    assert len(github.row_annotations(gated(*["N"] * 30))) == github.MOST_ANNOTATIONS


def test_a_path_is_told_from_the_root_of_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", "/checkout")
    one = generation("N", place=Place("/checkout/data/rows.jsonl", 3))
    (line,) = github.row_annotations(judged(assembled((one,), manifest()), Criteria(min_mean=0.5)))
    assert line.startswith("::error file=data/rows.jsonl,line=3,")


def test_the_summary_is_added_to_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.md"
    path.write_text("# Before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    github.write_summary(gated("SN"))
    assert path.read_text(encoding="utf-8").startswith("# Before\n# FActScore gate: failed")


def test_a_summary_that_is_too_long_is_cut_at_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setattr(github, "MOST_SUMMARY", 2000)
    github.write_summary(gated(*["NN"] * 40))
    content = (tmp_path / "summary.md").read_bytes()
    assert len(content) <= 2000
    assert content.decode().endswith("see the files that the gate wrote.*\n")


def test_without_a_summary_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(tmp_path)
    github.write_summary(gated("SN"))
    assert list(tmp_path.iterdir()) == []
