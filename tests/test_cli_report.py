"""Reports as files of other formats, and saved reports shown again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscore_chain.cli.main import main
from factscore_chain.values import Verdict
from tests.reports import fact, generation, report

KNOWLEDGE = "examples/knowledge.jsonl"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "report.json"
    facts = (fact(Verdict.SUPPORTED, probability=0.9), fact(Verdict.NOT_SUPPORTED, "Ada flew."))
    path.write_text(report(generation(*facts)).to_json(), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "start"), [("r.html", "<!DOCTYPE html>"), ("r.md", "# FActScore"), ("r.JSON", "{"), ("r", "{")]
)
def test_the_name_of_the_file_decides_how_a_report_is_written(
    tmp_path: Path, name: str, start: str, repository: Path
) -> None:
    out = tmp_path / name
    knowledge = str(repository / KNOWLEDGE)
    assert (
        main(["score", "Alan Turing was born in London.", "--knowledge", knowledge, "--out", str(out)]) == 0
    )
    content = out.read_text(encoding="utf-8")
    assert content.startswith(start)
    assert content.endswith("\n")


def test_a_page_can_be_printed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    knowledge = str(repository / KNOWLEDGE)
    main(["score", "Alan Turing was born in London.", "--knowledge", knowledge, "--format", "html"])
    assert capsys.readouterr().out.startswith("<!DOCTYPE html>")


def test_a_saved_report_becomes_a_page_beside_it(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(saved), "--title", "Nightly <run>"]) == 0
    page = saved.with_suffix(".html")
    assert '<h1 dir="auto">Nightly &lt;run&gt;</h1>' in page.read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"{page}: generations 1, facts 2\n"


def test_labels_add_a_calibration_plot(saved: Path, tmp_path: Path) -> None:
    row = {"topic": "Ada", "claim": "ada was born.", "evidence": "", "label": "NS"}
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps(row), encoding="utf-8")
    assert main(["report", str(saved), "--labels", str(labels), "--out", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="chart-calibration"' in page
    assert "differs from people <span>1</span>" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.json"], "nowhere.json"),
        (["REPORT", "--out", "REPORT"], "would take the place of the report"),
        (["REPORT", "--out", "no/such/page.html"], "cannot be written"),
        (["REPORT", "--labels", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_wrong_use_is_told_and_writes_nothing(
    saved: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = saved.read_text(encoding="utf-8")
    assert main(["report", *(str(saved) if one == "REPORT" else one for one in arguments)]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in saved.parent.iterdir()] == ["report.json"]
    assert saved.read_text(encoding="utf-8") == before
