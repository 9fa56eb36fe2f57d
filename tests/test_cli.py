"""The command: exit codes, one clear line for each trouble, and a report that holds everything."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.main import main
from factscore_chain.report import Report
from tests.documents import reader
from tests.pages import PAGES, write_rows

GOOD = {"topic": "Ada Lovelace", "output": "Ada Lovelace was born in London in 1815."}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_rows(tmp_path_factory.mktemp("knowledge") / "pages.jsonl", PAGES))


def score(rows: Path | str, knowledge: str, *more: str) -> int:
    return main(["score", str(rows), "--knowledge", knowledge, "--estimator", "np", *more])


def test_score_writes_a_whole_report(tmp_path: Path, knowledge: str) -> None:
    rows, out = write_rows(tmp_path / "in.jsonl", [GOOD]), tmp_path / "report.json"
    assert score(rows, knowledge, "--out", str(out)) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert {"score", "init_score", "respond_ratio", "num_facts_per_response", "counts"} <= report.keys()
    assert report["generations"][0]["facts"][0]["passages"][0]["title"] == "Ada Lovelace"
    assert report["manifest"]["estimator"] == "np"
    assert Report.model_validate(report).score is not None


def test_json_on_standard_output_is_the_report(
    tmp_path: Path, knowledge: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(write_rows(tmp_path / "in.jsonl", [GOOD]), knowledge, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["counts"]["generations"] == 1


@pytest.mark.parametrize(("style", "sign"), [("table", "FActScore"), ("md", "# FActScore")])
def test_other_formats_are_for_people(
    knowledge: str, capsys: pytest.CaptureFixture[str], style: str, sign: str
) -> None:
    code = score("Ada Lovelace was born in Paris.", knowledge, "--topic", "Ada Lovelace", "--format", style)
    printed = capsys.readouterr().out
    assert code == 0
    assert sign in printed
    assert "coverage" in printed


@pytest.mark.parametrize(
    ("bad", "line"),
    [
        ("{not json", "in.jsonl, line 2: not JSON"),
        ({"topic": "Alan Turing", "output": "He wrote."}, "No document is titled 'Alan Turing'"),
        ({"topic": "Mercury", "output": "It is near."}, "ambiguous"),
    ],
)
def test_a_bad_row_costs_itself_and_the_exit_code(
    tmp_path: Path, knowledge: str, capsys: pytest.CaptureFixture[str], bad: Any, line: str
) -> None:
    code = score(write_rows(tmp_path / "in.jsonl", [GOOD, bad, GOOD]), knowledge, "--format", "json")
    printed = capsys.readouterr()
    assert (code, json.loads(printed.out)["counts"]["scored"]) == (3, 2)
    assert sum(line in one for one in printed.err.splitlines()) == 1


def test_an_empty_text_is_named_and_has_no_score(
    tmp_path: Path, knowledge: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = write_rows(tmp_path / "in.jsonl", [{"output": ""}, GOOD])
    assert score(rows, knowledge, "--format", "json") == 0
    printed = capsys.readouterr()
    assert "generation 1 (no topic): The text is empty." in printed.err
    assert json.loads(printed.out)["generations"][0]["score"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "missing.jsonl", "--knowledge", "KNOWLEDGE"], "'missing.jsonl' cannot be read"),
        (["score", "A text.", "--knowledge", "nowhere.jsonl"], "no knowledge source at 'nowhere.jsonl'"),
        (["score", "A text."], "Give --knowledge"),
        (["score", "A text.", "--knowledge", "KNOWLEDGE", "--gamma", "-1"], "gamma is -1"),
        (["score", "A text.", "--knowledge", "KNOWLEDGE", "--k", "-1"], "--k is -1; give 1 or more"),
        (["score", "A text.", "--knowledge", "KNOWLEDGE", "--estimator", "magic"], "no estimator 'magic'"),
        (
            ["score", "A text.", "--knowledge", "KNOWLEDGE", "--out", "no/such/report.json"],
            "cannot be written",
        ),
        (["score", "A text.", "--knowledge", "KNOWLEDGE", "--base-url", "http://localhost:1"], "needs --llm"),
        (["kb", "search", "KNOWLEDGE", "Ada", "--topic", "Nobody"], "No document is titled 'Nobody'"),
        (["kb", "search", "KNOWLEDGE", ""], "the query '' has no word"),
        (["kb", "search", "KNOWLEDGE", "Ada", "--k", "0"], "--k is 0; give 1 or more"),
        (["kb", "build", "nowhere.jsonl", "--out", "x.db"], "nowhere.jsonl"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    knowledge: str, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code = main([knowledge if one == "KNOWLEDGE" else one for one in arguments])
    (line,) = capsys.readouterr().err.splitlines()
    assert code == 2
    assert message in line


@pytest.mark.parametrize("arguments", [[], ["score"], ["kb"], ["score", "x", "--abstain", "maybe"]])
def test_arguments_that_do_not_parse_are_wrong_use(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_report_that_cannot_be_written_is_found_before_the_work(tmp_path: Path, knowledge: str) -> None:
    tmp_path.chmod(0o500)
    assert score("A text.", knowledge, "--out", str(tmp_path / "report.json")) == 2


def test_kb_build_names_the_lines_it_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "in.jsonl", [PAGES[0], "{bad", PAGES[0]])
    assert main(["kb", "build", str(path), "--out", str(tmp_path / "kb.db")]) == 3
    printed = capsys.readouterr()
    assert "in: 1 documents, 1 passages" in printed.out
    assert "line 2:" in printed.err
    assert "line 3:" in printed.err


def test_kb_build_embeds_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "in.jsonl", PAGES)
    assert main(["kb", "build", str(path), "--out", str(tmp_path / "kb.db"), "--vectors"]) == 0
    assert "4 passages embedded" in capsys.readouterr().out
    assert main(["kb", "search", str(tmp_path / "kb.db"), "the nearest planet", "--k", "1"]) == 0
    assert "1. Mercury (planet) (bm25 + vector)" in capsys.readouterr().out


def test_kb_search_within_a_topic(knowledge: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kb", "search", knowledge, "engine", "--topic", "ada_lovelace"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("1. Ada Lovelace")
    assert second.strip() == "She wrote notes on the Analytical Engine."


def test_a_jsonl_is_registered_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FACTSCORE_CACHE", str(tmp_path / "cache"))
    path = write_rows(tmp_path / "pages.jsonl", PAGES)
    for _ in range(2):
        assert main(["kb", "search", str(path), "metal"]) == 0
    write_rows(path, PAGES[:1])
    assert main(["kb", "search", str(path), "metal"]) == 0
    assert len(list((tmp_path / "cache" / "knowledge").glob("*.db"))) == 2


def test_what_the_text_brings_cannot_steer_the_terminal(
    knowledge: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score("She wrote.", knowledge, "--topic", "Ada\x1b[31m") == 3
    assert "\x1b" not in capsys.readouterr().err


SCORE = ["score", "Alan Turing was born in London.", "--llm", "openai:x"]
SCORE += ["--knowledge", "examples/knowledge.jsonl"]


def test_answers_are_kept_between_runs_unless_that_is_turned_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = reader()
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name, **options: model)
    asked = []
    for options in (["--cache", str(tmp_path / "a.db")],) * 2 + (["--no-cache"],):
        assert main([*SCORE, *options]) == 0
        asked.append(len(model.prompts))
    assert asked[0] == asked[1] < asked[2]
    assert f"cached answers {asked[0]}" in " ".join(capsys.readouterr().out.split())


def test_a_used_up_budget_ends_with_what_was_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name, **options: reader())
    prices = tmp_path / "prices.yaml"
    prices.write_text("as_of: 2026-01-31\nprices: {ScriptedChatModel: {input: 1, output: 1}}\n")
    options = ["--no-cache", "--prices", str(prices), "--max-cost", "0"]
    assert main([*SCORE, *options]) == 3
    assert "budget of $0 is used up" in capsys.readouterr().err


def test_a_fault_of_our_own_is_no_closed_gate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], knowledge: str
) -> None:
    monkeypatch.setattr("factscore_chain.cli.score.read_rows", lambda *given: 1 / 0)
    assert score("A text.", knowledge) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err
