"""`factscore gate`, `baseline` and `compare`: exit codes, files, and one line for each trouble."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.main import main
from factscore_chain.gate.run_record import RunRecord
from factscore_chain.report import Report
from tests.gates import report, run
from tests.pages import PAGES, write_rows

TRUE = {"topic": "Ada Lovelace", "output": "Ada Lovelace was born in London in 1815."}
FALSE = {"topic": "Charles Babbage", "output": "Charles Babbage was a Norwegian painter."}
EMPTY = {"topic": "Ada Lovelace", "output": "I cannot answer that question."}
LOST = {"topic": "Nobody Known", "output": "Nobody was born."}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_rows(tmp_path_factory.mktemp("knowledge") / "pages.jsonl", PAGES))


@pytest.fixture(autouse=True)
def outside_of_github(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.chdir(tmp_path)


def gate(rows: list[Any], knowledge: str, *more: str) -> int:
    path = write_rows(Path("rows.jsonl"), rows)
    return main(["gate", str(path), "--knowledge", knowledge, "--estimator", "np", *more])


def read(path: str) -> Report:
    return Report.model_validate_json(Path(path).read_bytes())


@pytest.mark.parametrize(
    ("rows", "requirements", "code"),
    [
        ([TRUE], ["--min-mean", "0.9"], 0),
        ([TRUE, FALSE], ["--min-mean", "0.9"], 1),
        ([TRUE, FALSE], ["--threshold", "0.9", "--min-pass-rate", "0.5"], 0),
        ([TRUE, FALSE], ["--threshold", "0.9"], 1),
        ([TRUE, LOST], ["--min-mean", "0.1"], 3),
        ([TRUE, "{broken"], ["--min-mean", "0.1"], 3),
        ([TRUE, LOST], ["--min-mean", "0.5", "--allow-incomplete", "1"], 0),
        ([TRUE, LOST], ["--min-mean", "0.6", "--allow-incomplete", "1"], 1),
        ([EMPTY, EMPTY], ["--min-mean", "0.5"], 1),
        ([EMPTY, EMPTY], ["--min-mean", "0.5", "--on-empty", "pass"], 0),
        ([EMPTY, TRUE], ["--min-mean", "0.9", "--on-empty", "fail"], 1),
        ([EMPTY, TRUE], ["--min-mean", "0.9", "--min-respond-ratio", "0.9"], 1),
        ([TRUE], ["--min-mean", "0.9", "--gamma", "10"], 1),
    ],
)
def test_the_exit_code_is_the_result(
    knowledge: str,
    capsys: pytest.CaptureFixture[str],
    rows: list[Any],
    requirements: list[str],
    code: int,
) -> None:
    assert gate(rows, knowledge, *requirements) == code
    line = {0: "Gate passed.", 1: "Gate failed: ", 3: "Gate incomplete: "}[code]
    assert capsys.readouterr().out.count(line) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Nothing is required"),
        (["--min-mean", "80"], "min_mean is 80"),
        (["--tolerance", "0.1", "--min-mean", "0.5"], "needs a baseline"),
        (["--baseline", "none.json"], "'none.json' cannot be read"),
        (["--baseline", "rows.jsonl"], "is not a baseline or a report (score: Field required"),
        (["--baseline", "list.json"], "is not a baseline or a report (no JSON object)"),
        (["--baseline", "other.json"], "'T1' (1) only in the first"),
        (["--min-mean", "0.5", "--output", "report.txt"], "stands for no format"),
        (["--min-mean", "0.5", "--output", "no/report.json"], "cannot be written"),
        (["--min-mean", "0.5", "--resume"], "--resume needs an --output"),
        (["--min-mean", "0.5", "--only-failed"], "--only-failed needs an --output"),
        (["--min-mean", "0.5", "--only-failed", "--output", "new.json"], "holds the last report"),
        (["--min-mean", "0.5", "--confirm", "2"], "would only repeat them"),
        (["--min-mean", "0.5", "--confirm", "-1"], "-1 answers"),
        (["--min-mean", "0.5", "--estimator", "magic"], "no estimator 'magic'"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    knowledge: str, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    Path("list.json").write_text("[]", encoding="utf-8")
    Path("other.json").write_text(run("S").model_dump_json(), encoding="utf-8")
    code = gate([TRUE], knowledge, *arguments)
    (line,) = capsys.readouterr().err.splitlines()
    assert (code, message in line) == (2, True), line


def test_tolerance_and_significance_exclude_each_other(knowledge: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        gate([TRUE], knowledge, "--tolerance", "0.1", "--significance", "0.1")


@pytest.mark.parametrize(
    ("content", "message"), [("", "holds no generation"), ("{broken\n", "line 1: not JSON")]
)
def test_a_file_without_generations_never_passes(
    knowledge: str, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    Path("empty.jsonl").write_text(content, encoding="utf-8")
    assert main(["gate", "empty.jsonl", "--knowledge", knowledge, "--min-mean", "0"]) == 2
    assert message in capsys.readouterr().err


def test_a_folder_is_all_its_rows_by_file_and_line(knowledge: str) -> None:
    Path("answers/more").mkdir(parents=True)
    write_rows(Path("answers/b.jsonl"), [FALSE])
    write_rows(Path("answers/more/a.ndjson"), [TRUE, TRUE])
    write_rows(Path("answers/.hidden.jsonl"), ["{broken"])
    Path("answers/notes.txt").write_text("no rows", encoding="utf-8")
    arguments = ["--knowledge", knowledge, "--estimator", "np", "--min-mean", "0.6", "--output", "r.json"]
    assert main(["gate", "answers", *arguments]) == 0
    places = [(one.place.file, one.place.line) for one in read("r.json").generations if one.place]
    assert places == [("answers/b.jsonl", 1), ("answers/more/a.ndjson", 1), ("answers/more/a.ndjson", 2)]


def test_a_folder_without_rows_is_wrong_use(knowledge: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("answers").mkdir()
    assert main(["gate", "answers", "--knowledge", knowledge, "--min-mean", "0"]) == 2
    assert "holds no .jsonl file" in capsys.readouterr().err


def test_the_failing_generations_are_printed_with_their_facts(
    knowledge: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gate([TRUE, FALSE], knowledge, "--threshold", "0.9")
    printed = capsys.readouterr().out
    assert "2. Charles Babbage (rows.jsonl, line 2): score 0.0%, 0 of 2 facts supported" in printed
    assert "not supported" in printed
    assert "[Charles Babbage: " in printed
    assert "1. Ada Lovelace" not in printed


def test_a_ready_report_is_judged_without_scoring(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ready.json").write_text(report("SSSN", "SS").to_json(), encoding="utf-8")
    assert main(["gate", "ready.json", "--min-mean", "0.8", "--output", "out.junit.xml"]) == 0
    assert Path("out.junit.xml").exists()
    assert main(["gate", "ready.json", "--min-mean", "0.9"]) == 1
    assert main(["gate", "ready.json", "--min-mean", "0.9", "--knowledge", "x", "--resume"]) == 2
    assert "--knowledge, --resume would do nothing" in capsys.readouterr().err


def test_a_ready_report_that_is_none_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ready.json").write_text('{"score": 1}', encoding="utf-8")
    assert main(["gate", "ready.json", "--min-mean", "0.8"]) == 2
    assert "'ready.json' is not a report" in capsys.readouterr().err


def test_a_ready_report_that_is_missing_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "ready.json", "--min-mean", "0.8"]) == 2
    assert "'ready.json' cannot be read: No such file" in capsys.readouterr().err


def test_the_report_holds_the_outcome(knowledge: str) -> None:
    gate([TRUE, FALSE], knowledge, "--min-mean", "0.9", "--output", "report.json")
    made = read("report.json")
    assert made.gate is not None
    assert (made.gate.result, made.gate.score, made.gate.below) == ("failed", 0.5, (2,))
    assert sorted(path.name for path in Path().iterdir()) == ["report.json", "rows.jsonl"]


def test_only_failed_scores_what_was_lost_and_keeps_the_rest(
    knowledge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--min-mean", "0.5", "--output", "report.json"]
    assert gate([TRUE, LOST], knowledge, *options) == 3
    before = read("report.json").generations
    mended = {**LOST, "topic": "Ada Lovelace", "output": "Ada Lovelace was born in London."}
    with monkeypatch.context() as patched:
        patched.setattr("factscore_chain.verify.nonparametric.NonparametricVerifier._compute", _no_repetition)
        assert gate([TRUE, LOST], knowledge, *options, "--only-failed") == 3
    assert gate([TRUE, mended], knowledge, *options, "--only-failed") == 0
    after = read("report.json").generations
    assert (after[0], after[1].score) == (before[0], 1.0)


def _no_repetition(self: object, claims: object) -> None:
    raise AssertionError("A fact was verified again.")


def test_only_failed_scores_again_what_another_estimator_had_judged(knowledge: str) -> None:
    options = ["--min-mean", "0.1", "--output", "report.json"]
    assert gate([TRUE], knowledge, *options) == 0
    again = ["--estimator", "embedded", "--only-failed"]
    assert gate([TRUE], knowledge, *options, *again) == 0
    assert read("report.json").facts[0].verifier == "embedded"


def test_an_incomplete_run_leaves_its_journal_for_the_next(knowledge: str) -> None:
    options = ["--min-mean", "0.5", "--output", "report.json"]
    journal = Path(".report.json.unfinished.jsonl")
    assert gate([TRUE, LOST], knowledge, *options) == 3
    assert journal.exists()
    assert gate([TRUE, FALSE], knowledge, *options, "--resume") == 0
    assert not journal.exists()


def test_a_baseline_is_accepted_and_compared_with(knowledge: str, capsys: pytest.CaptureFixture[str]) -> None:
    gate([TRUE, TRUE], knowledge, "--min-mean", "0.5", "--output", "report.json")
    assert main(["baseline", "accept", "report.json", "--to", "base.json"]) == 0
    assert gate([TRUE, TRUE], knowledge, "--baseline", "base.json") == 0
    worse = {**FALSE, "topic": "Ada Lovelace"}
    capsys.readouterr()
    assert gate([TRUE, worse], knowledge, "--baseline", "base.json", "--tolerance", "0.1") == 1
    printed = capsys.readouterr().out
    assert "difference -50.0 points on 2 generations matched by topic" in printed
    assert "beyond the tolerance of 10.0 points" in printed
    assert "Ada" not in Path("base.json").read_text(encoding="utf-8").replace("Ada Lovelace", "")


def test_another_suite_is_found_before_anything_is_asked(
    knowledge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("other.json").write_text(run("S").model_dump_json(), encoding="utf-8")
    monkeypatch.setattr("factscore_chain.verify.nonparametric.NonparametricVerifier._compute", _no_repetition)
    assert gate([TRUE], knowledge, "--baseline", "other.json") == 2


def test_a_broken_row_makes_a_comparison_incomplete_not_wrong(knowledge: str) -> None:
    gate([TRUE, FALSE], knowledge, "--min-mean", "0.1", "--output", "report.json")
    assert main(["baseline", "accept", "report.json", "--to", "base.json"]) == 0
    assert gate([TRUE, "{broken"], knowledge, "--baseline", "base.json") == 3


def test_a_baseline_is_small_and_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    Path("report.json").write_text(report("SSSN", "-").to_json(), encoding="utf-8")
    assert main(["baseline", "accept", "report.json"]) == 0
    content = Path("factscore-baseline.json").read_bytes()
    assert RunRecord.model_validate_json(content) == run("SSSN", "-")
    assert "2 generations" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("letters", "message"),
    [(["SS", "!"], "is incomplete"), (["SF"], "is incomplete"), (["-", ""], "No generation")],
)
def test_what_cannot_be_compared_with_is_no_baseline(
    capsys: pytest.CaptureFixture[str], letters: list[str], message: str
) -> None:
    Path("report.json").write_text(report(*letters).to_json(), encoding="utf-8")
    assert main(["baseline", "accept", "report.json"]) == 3
    assert message in capsys.readouterr().err
    assert not Path("factscore-baseline.json").exists()


def test_a_report_with_repeated_ids_is_no_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    found = report("S", "S", "N", "S")
    ids = ("a", "a", None, "b")
    rows = [one.model_copy(update={"id": name}) for one, name in zip(found.generations, ids, strict=True)]
    path = Path("report.json")
    path.write_text(found.model_copy(update={"generations": tuple(rows)}).to_json(), encoding="utf-8")
    assert main(["baseline", "accept", "report.json"]) == 2
    assert "The id 'a' stands more than once" in capsys.readouterr().err
    assert not Path("factscore-baseline.json").exists()


def compared(capsys: pytest.CaptureFixture[str], first: Report, second: Report, *more: str) -> str:
    Path("a.json").write_text(first.to_json(), encoding="utf-8")
    Path("b.json").write_text(RunRecord.of(second).model_dump_json(), encoding="utf-8")
    assert main(["compare", "a.json", "b.json", *more]) == 0
    return capsys.readouterr().out


def test_compare_prints_both_runs_and_their_difference(capsys: pytest.CaptureFixture[str]) -> None:
    printed = compared(capsys, report("SSSS", "SSNN", "SN"), report("SSSN", "SNNN", "SN"))
    assert "a.json" in printed
    assert "66.7%" in printed
    assert "50.0%" in printed
    assert "difference -16.7 points on 3 generations matched by topic" in printed
    assert "p = 0.5" in printed


def test_compare_as_json_has_no_nan_even_for_one_pair(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(compared(capsys, report("SN"), report("SS"), "--json"))
    assert (found["pairs"], found["difference"], found["p_value"]) == (1, 0.5, None)
    assert (found["interval"], found["detectable"]) == (None, None)


def test_compare_warns_of_other_estimators_and_sources(capsys: pytest.CaptureFixture[str]) -> None:
    other = report("SN", estimator="other", knowledge={"name": "more pages", "content_hash": "x"})
    printed = compared(capsys, report("SN"), other)
    assert "warning: The two runs differ in their estimator" in printed
    assert "8 to 15 points" in printed
    assert "different knowledge sources (pages; more pages)" in printed


@pytest.mark.parametrize(
    ("more", "difference"),
    [([], "+0.0 points on 1"), (["--on-empty", "fail"], "-50.0 points on 2"), (["--gamma", "3"], "+0.0")],
)
def test_compare_counts_as_it_is_told(
    capsys: pytest.CaptureFixture[str], more: list[str], difference: str
) -> None:
    assert difference in compared(capsys, report("SS", "SS"), report("SS", "-"), *more)


def test_compare_refuses_runs_on_other_prompts(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.json").write_text(report("S").to_json(), encoding="utf-8")
    Path("b.json").write_text(report("S", "S").to_json(), encoding="utf-8")
    assert main(["compare", "a.json", "b.json"]) == 2
    assert "'T2' (1) only in the second" in capsys.readouterr().err
    assert main(["compare", "a.json", "a.json", "--significance", "0"]) == 2


def test_in_github_actions_rows_are_annotated_and_texts_cannot_command(
    knowledge: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    row = {**FALSE, "id": "::add-mask::secret", "facts": ["\n::error::planted"]}
    assert gate([row, "{broken"], knowledge, "--min-mean", "0.5") == 3
    lines = capsys.readouterr().out.splitlines()
    word = lines[0].removeprefix("::stop-commands::")
    (end,) = (number for number, line in enumerate(lines) if line == f"::{word}::")
    assert [line.partition(",title")[0] for line in lines[end + 1 :]] == [
        "::error file=rows.jsonl,line=2",
        "::error file=rows.jsonl,line=1",
    ]
    assert "# FActScore gate: incomplete" in Path("summary.md").read_text(encoding="utf-8")
