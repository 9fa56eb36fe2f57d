"""What `factscore score` reads: rows, files, plain text; a bad row costs only itself."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from factscore_chain.cli.inputs import read_rows
from factscore_chain.errors import UsageError
from factscore_chain.values import Generation
from tests.pages import write_rows

GOOD = {"topic": "Ada", "output": "Ada wrote notes."}


def test_rows_keep_their_topic_id_and_facts(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "in.jsonl", [{**GOOD, "id": 7, "facts": ["Ada wrote."]}])
    assert read_rows(str(path)).generations == (Generation("Ada wrote notes.", "Ada", ("Ada wrote.",), "7"),)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{not json", "line 2: not JSON"),
        ("[1]", "line 2: Not a generation: a list"),
        ('{"topic": "x"}', "line 2: Not a generation: 'output'"),
        ('{"output": 5}', "line 2: Not a generation: 'output'"),
        ("[" * 100_000, "line 2: JSON nested too deeply"),
    ],
)
def test_a_bad_row_is_named_and_the_others_are_read(tmp_path: Path, bad: str, message: str) -> None:
    rows = read_rows(str(write_rows(tmp_path / "in.jsonl", [GOOD, bad, "", GOOD])))
    assert len(rows.generations) == 2
    assert len(rows.rejected) == 1
    assert message in str(rows.rejected[0])


def test_a_topic_given_beside_fills_only_what_is_missing(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "in.jsonl", [GOOD, {"output": "She wrote."}])
    assert [one.topic for one in read_rows(str(path), "Grace").generations] == ["Ada", "Grace"]


def test_another_file_is_one_text(tmp_path: Path) -> None:
    path = tmp_path / "answer.txt"
    path.write_text("Ada wrote.\nMuch.", encoding="utf-8")
    assert read_rows(str(path), "Ada").generations == (Generation("Ada wrote.\nMuch.", "Ada"),)


@pytest.mark.parametrize("text", ["Ada wrote notes.", "Ada " * 3000, "nul \x00 byte", "", " "])
def test_words_that_are_no_file_are_the_text(text: str) -> None:
    assert read_rows(text).generations == (Generation(text),)


@pytest.mark.parametrize(
    ("given", "texts"),
    [('{"output": "A."}\n{"output": "B."}\n', ["A.", "B."]), ("A plain text.\n", ["A plain text.\n"])],
)
def test_standard_input_holds_rows_or_a_text(
    monkeypatch: pytest.MonkeyPatch, given: str, texts: list[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(given))
    assert [one.text for one in read_rows("-").generations] == texts


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.jsonl", None, "cannot be read: No such file"),
        ("empty.jsonl", b"", "holds no generation"),
        ("bad.jsonl", b"{\n", "line 1"),
        ("latin.jsonl", b'{"output": "caf\xe9"}\n', "cannot be read"),
    ],
)
def test_a_file_without_generations_is_wrong_use(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_rows(str(path))
