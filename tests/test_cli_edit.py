"""`factscore edit`: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.edited_files import rewritten
from factscore_chain.cli.inputs import Given
from factscore_chain.cli.main import main
from factscore_chain.edit.report import EditedGeneration, EditReport
from factscore_chain.values import Place
from tests.editing import NOTES, TOPIC, TRUE, WRONG, sentence_in
from tests.pages import PAGES, write_rows
from tests.scripted import ScriptedChatModel

TEXT = f"{NOTES}\n\n{WRONG}  {NOTES}\n"
MENDED = TEXT.replace(WRONG, TRUE)
Run = Callable[..., int]


def _reply(question: str) -> str:
    """Mends the one sentence that is wrong, takes each sentence as one fact, and knows which is false."""
    if "True or False?" in question:
        return str(WRONG not in question.split("<statement>")[1])
    sentence = sentence_in(question)
    if "Task:" in question:
        return TRUE if sentence == WRONG else sentence
    return f"- {sentence.replace('She', TOPIC)}"


@pytest.fixture
def run(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs the command with a model that decomposes, verifies and edits."""
    pages = write_rows(tmp_path_factory.mktemp("knowledge") / "pages.jsonl", PAGES)
    monkeypatch.setattr(
        "langchain.chat_models.init_chat_model", lambda name, **options: ScriptedChatModel(script=_reply)
    )
    model = ("--llm", "openai:test", "--no-cache", "--gamma", "0")

    def command(file: Path | str, *more: str) -> int:
        return main(["edit", str(file), "--knowledge", str(pages), "--topic", TOPIC, *model, *more])

    return command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "text.md"
    path.write_bytes(TEXT.encode())
    return path


def test_the_edited_text_is_printed_and_the_file_left(
    run: Run, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(file) == 0
    printed = capsys.readouterr()
    assert printed.out == MENDED
    assert "FActScore 50.0% → 100.0%" in printed.err
    assert file.read_text() == TEXT


def test_a_diff_can_be_printed_instead(run: Run, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, "--diff") == 0
    assert capsys.readouterr().out.splitlines()[3:] == [
        f" {NOTES}",
        " ",
        f"-{WRONG}  {NOTES}",
        f"+{TRUE}  {NOTES}",
    ]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_in_place_every_other_byte_stays(
    run: Run, file: Path, capsys: pytest.CaptureFixture[str], mark: bytes, end: str
) -> None:
    file.write_bytes(mark + TEXT.replace("\n", end).encode())
    file.chmod(0o640)
    assert run(file, "--in-place") == 0
    assert file.read_bytes() == mark + MENDED.replace("\n", end).encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert capsys.readouterr().out == ""


def test_rows_that_did_not_change_stay_as_they_are_written(run: Run, tmp_path: Path) -> None:
    untouched = f'{{"output":"{NOTES}",   "n": 1.50}}'
    rows = [untouched, "{broken", {"output": WRONG + " " + NOTES, "cat": ["é"]}, ""]
    path = write_rows(tmp_path / "rows.jsonl", rows)
    assert run(path, "--in-place") == 3
    lines = path.read_text(encoding="utf-8").split("\n")
    assert (lines[:2], lines[3:]) == ([untouched, "{broken"], ["", ""])
    assert json.loads(lines[2]) == {"output": f"{TRUE} {NOTES}", "cat": ["é"]}


@pytest.mark.parametrize(
    "row",
    [
        '{"id":7,"output":"TEXT","topic":"Ada Lovelace","x":[1.50,1E3]}',
        ' { "output" : "TEXT" ,\t"note" : "caf\\u00e9 \\/ \u00e9" }  ',
        '{"a":{"output":"inner"},"output":"old","output":"TEXT \\u2013 \\ud83d\\ude00 a\\/b \\"q\\""}',
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_of_an_edited_row_everything_else_stays_as_it_is_written(
    run: Run, tmp_path: Path, row: str, end: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes((row.replace("TEXT", WRONG) + end).encode())
    assert run(path, "--in-place") == 0
    assert path.read_bytes() == (row.replace("TEXT", TRUE) + end).encode()


def test_what_an_edit_adds_is_spelled_as_the_row_spells_the_like() -> None:
    row = Given('{"output":"caf\\u00E9","n":1}', None, has_rows=True)
    edited = EditedGeneration(
        before="caf\u00e9", text='\u00e9 "\u00fc"', status="edited", place=Place("f", 1)
    )
    assert rewritten(row, [edited]) == '{"output":"\\u00E9 \\"\\u00fc\\"","n":1}'


def test_rows_on_standard_input_come_out_as_rows(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"output": f"{WRONG} {NOTES}"}) + "\n"))
    assert run("-") == 0
    assert json.loads(capsys.readouterr().out) == {"output": f"{TRUE} {NOTES}"}


@pytest.mark.parametrize(
    ("name", "sign"), [("r.json", '"manifest"'), ("r.md", "# Edits"), ("r.html", "<!doctype html>")]
)
def test_the_report_is_written_as_its_name_says(run: Run, file: Path, name: str, sign: str) -> None:
    out = file.parent / name
    assert run(file, "--out", str(out)) == 0
    assert sign in out.read_text(encoding="utf-8")


def test_a_second_estimator_scores_both_versions(run: Run, file: Path) -> None:
    out = file.parent / "report.json"
    assert run(file, "--second", "embedded", "--out", str(out)) == 0
    report = EditReport.model_validate_json(out.read_text(encoding="utf-8"))
    assert report.second is not None
    assert report.second.after.manifest.estimator == "embedded"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--second", "retrieval+llm"), "estimator that scores already"),
        (("--editor", "embedded", "--variant", "facts"), "for editing by a model"),
        (("--max-rounds", "0"), "max_rounds"),
        (("--out", "/nowhere/report.json"), "cannot be written"),
    ],
)
def test_wrong_use_ends_with_two(
    run: Run, file: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], message: str
) -> None:
    assert run(file, *more) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("more", [("--variant", "facts"), ("--editor", "llm")])
def test_what_only_a_model_can_use_asks_for_one(
    file: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, str]
) -> None:
    assert main(["edit", str(file), "--knowledge", "nowhere.jsonl", *more]) == 2
    assert f"{' '.join(more)} asks a model. Name one with --llm" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["-", f"{WRONG} {NOTES}"])
def test_in_place_needs_a_file(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(WRONG))
    assert run(given, "--in-place") == 2
    assert "--in-place needs a file" in capsys.readouterr().err


def test_a_missing_topic_ends_with_three_and_leaves_the_text(
    run: Run, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(file, "--topic", "Grace Hopper") == 3
    printed = capsys.readouterr()
    assert printed.out == TEXT
    assert "No document is titled 'Grace Hopper'" in printed.err


def test_a_refused_edit_ends_with_three(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(question: str) -> str:
        return "I'm sorry, I can't." if "Task:" in question else _reply(question)

    model: Any = lambda name, **options: ScriptedChatModel(script=refuse)  # noqa: E731
    monkeypatch.setattr("langchain.chat_models.init_chat_model", model)
    assert run(file) == 3
    assert "refused" in capsys.readouterr().err
