"""Registration: streaming, restartable, and clear about lines it cannot use."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrievers import prepare, writer
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.passages import cut_many
from factscore_chain.retrievers.plan import Plan
from factscore_chain.values import Passage
from tests.pages import PAGES, write_rows


def _rows(count: int) -> list[dict[str, Any]]:
    return [{"title": f"Town {i}", "text": f"Town {i} has {i} wells."} for i in range(count)]


def _build(folder: Path, rows: Iterable[Any], **options: Any) -> KnowledgeSource:
    return KnowledgeSource.build(write_rows(folder / "rows.jsonl", rows), folder / "source.db", **options)


def _content(source: KnowledgeSource) -> list[Passage]:
    return list(source.all_passages())


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_BATCH_ROWS", 10)


def test_text_is_one_string_or_a_list_of_them(tmp_path: Path) -> None:
    rows = [{"title": "A", "text": "One."}, {"title": "B", "text": ["Two.", "", "  ", "Three."], "x": 1}]
    with _build(tmp_path, rows) as source:
        assert [p.text for p in source.all_passages()] == ["One.", "Two.\nThree."]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{not json", "not JSON"),
        ("[1, 2]", "row"),
        ('"text"', "row"),
        ('{"text": "no title"}', "title"),
        ('{"title": "no text"}', "text"),
        ('{"title": 5, "text": "x"}', "title"),
        ('{"title": "  ", "text": "x"}', "title is empty"),
        ('{"title": "T", "text": []}', "no text"),
        ('{"title": "T", "text": ["", " "]}', "no text"),
        ('{"title": "T", "text": [1]}', "text"),
        ('{"title": "T", "text": {"a": "b"}}', "text"),
        ('{"title": "T", "text": "x", "redirects": 3}', "redirects"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_registered(tmp_path: Path, line: str, problem: str) -> None:
    with _build(tmp_path, [PAGES[0], line, PAGES[1]]) as source:
        assert list(source.titles) == ["Ada Lovelace", "Charles Babbage"]
        assert source.registration is not None
        assert source.registration.bad_lines == 1
        (found,) = source.registration.problems
        assert found.line == 2
        assert problem in found.problem


def test_strict_stops_at_the_bad_line_and_leaves_no_source(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeSourceError, match=r"Line 2 of .*not JSON"):
        _build(tmp_path, [PAGES[0], "{", PAGES[1]], strict=True)
    assert not (tmp_path / "source.db").exists()


def test_bytes_that_are_not_utf8_are_a_bad_line(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", PAGES)
    path.write_bytes(b'{"title": "A\xff", "text": "x"}\n' + path.read_bytes())
    with KnowledgeSource.build(path, tmp_path / "source.db") as source:
        assert source.registration is not None
        assert [p.line for p in source.registration.problems] == [1]


def test_a_line_too_long_for_memory_is_a_bad_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factscore_chain.retrievers.rows.LONGEST_LINE", 200)
    rows = [PAGES[0], {"title": "Long", "text": "word " * 200}, PAGES[2]]
    with _build(tmp_path, rows) as source:
        assert list(source.titles) == [PAGES[0]["title"], PAGES[2]["title"]]
        assert source.registration is not None
        assert source.registration.problems[0].line == 2


def test_the_first_of_two_equal_titles_stays_and_the_other_is_reported(tmp_path: Path) -> None:
    rows = [{"title": "A", "text": "First."}, PAGES[0], {"title": "A", "text": "Second."}]
    with _build(tmp_path, rows) as source:
        assert [p.text for p in source.passages("A")] == ["First."]
        assert source.registration is not None
        assert source.registration.duplicates == 1
        assert source.registration.problems[0].line == 3


def test_equal_titles_in_different_batches_are_found_too(tmp_path: Path, small_batches: None) -> None:
    with _build(tmp_path, [*_rows(25), *_rows(12)]) as source:
        assert source.document_count == 25
        assert source.registration is not None
        assert source.registration.duplicates == 12


def test_marks_blanks_line_ends_and_half_characters_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    lines = [
        '\ufeff{"title": "A_b  c", "text": "x\\u0000y"}',
        "",
        '{"title": "\\ud800", "text": "\\ud83d\\ude00"}',
    ]
    path.write_text("\r\n".join(lines), encoding="utf-8")
    with KnowledgeSource.build(path, tmp_path / "source.db") as source:
        assert [(p.title, p.text) for p in source.all_passages()] == [("A_b c", "x y"), ("\ufffd", "😀")]


@pytest.mark.parametrize("content", ["", "\n\n", "{}\n", "<html>\n"])
def test_a_file_without_documents_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "rows.jsonl").write_text(content)
    with pytest.raises(KnowledgeSourceError, match=r"rows\.jsonl"):
        KnowledgeSource.build(tmp_path / "rows.jsonl", tmp_path / "source.db")
    assert [p.name for p in tmp_path.iterdir() if p.suffix != ".lock"] == ["rows.jsonl"]


@pytest.mark.parametrize(
    ("name", "why"), [("missing.jsonl", "no file"), ("missing.pdf", "nothing at"), (".", "no document")]
)
def test_a_missing_input_is_an_error_that_names_it(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(KnowledgeSourceError, match=why):
        KnowledgeSource.build(tmp_path / name, tmp_path / "source.db")


def test_an_output_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(KnowledgeSourceError, match=r"source\.db"):
        KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", PAGES), tmp_path / "file" / "source.db")


def test_the_hash_follows_content_and_not_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = []
    for size in (1, 7, 100):
        monkeypatch.setattr(writer, "_BATCH_ROWS", size)
        with _build(tmp_path, _rows(30), overwrite=True) as source:
            hashes.append(source.content_hash)
    assert len(set(hashes)) == 1
    with _build(tmp_path, [*_rows(29), {"title": "Town 29", "text": "Other."}], overwrite=True) as other:
        assert other.content_hash not in hashes


class _InterruptedError(Exception):
    pass


def _interrupt(after: int, monkeypatch: pytest.MonkeyPatch, path: Path, out: Path) -> None:
    calls = iter(range(after))

    def cut_or_fail(documents: Any, max_tokens: int) -> list[list[str]]:
        if next(calls, None) is None:
            raise _InterruptedError
        return cut_many(documents, max_tokens)

    with monkeypatch.context() as patch:
        patch.setattr(prepare, "cut_many", cut_or_fail)
        with pytest.raises(_InterruptedError):
            KnowledgeSource.build(path, out)


def test_an_interrupted_build_continues_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_batches: None
) -> None:
    path, out = write_rows(tmp_path / "rows.jsonl", _rows(95)), tmp_path / "source.db"
    _interrupt(4, monkeypatch, path, out)
    seen: list[int] = []

    def count(documents: Any, max_tokens: int) -> list[list[str]]:
        seen.append(len(documents))
        return cut_many(documents, max_tokens)

    monkeypatch.setattr(prepare, "cut_many", count)
    with KnowledgeSource.build(path, out) as continued:
        assert sum(seen) == 55
        (tmp_path / "whole").mkdir()
        with _build(tmp_path / "whole", _rows(95)) as whole:
            assert _content(continued) == _content(whole)
            assert continued.content_hash == whole.content_hash


def test_an_interrupted_build_of_another_file_starts_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_batches: None
) -> None:
    path, out = write_rows(tmp_path / "rows.jsonl", _rows(60)), tmp_path / "source.db"
    _interrupt(3, monkeypatch, path, out)
    write_rows(path, [{"title": "New", "text": "News."}, *_rows(60)])
    with KnowledgeSource.build(path, out) as source:
        assert source.document_count == 61
        assert next(iter(source.titles)) == "New"


def test_an_incomplete_source_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_batches: None
) -> None:
    path, out = write_rows(tmp_path / "rows.jsonl", _rows(60)), tmp_path / "source.db"
    _interrupt(3, monkeypatch, path, out)
    with pytest.raises(KnowledgeSourceError, match="stopped at line 30"):
        KnowledgeSource(Plan(path, out, "rows").partial)
    with pytest.raises(KnowledgeSourceError, match="run the build again"):
        KnowledgeSource(out)


def _build_slowly(path: Path, out: Path) -> None:
    def slow(documents: Any, max_tokens: int) -> list[list[str]]:
        time.sleep(0.02)
        return cut_many(documents, max_tokens)

    patch = pytest.MonkeyPatch()
    patch.setattr(writer, "_BATCH_ROWS", 5)
    patch.setattr(prepare, "cut_many", slow)
    KnowledgeSource.build(path, out)


def test_a_killed_build_continues(tmp_path: Path) -> None:
    path, out = write_rows(tmp_path / "rows.jsonl", _rows(1_000)), tmp_path / "source.db"
    child = multiprocessing.get_context("spawn").Process(target=_build_slowly, args=(path, out))
    child.start()
    partial = Plan(path, out, "rows").partial
    _wait_for_rows(partial, 20)
    child.kill()
    child.join(30)
    assert not out.exists()
    with KnowledgeSource.build(path, out) as source:
        assert [p.title for p in source.all_passages()] == [f"Town {i}" for i in range(1_000)]


def _wait_for_rows(partial: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if partial.exists():
            connection = sqlite3.connect(partial)
            try:
                if connection.execute("SELECT count(*) FROM documents").fetchone()[0] >= count:
                    return
            except sqlite3.Error:
                pass
            finally:
                connection.close()
        time.sleep(0.01)
    raise AssertionError("the build in the other process did not begin")


def test_a_second_process_is_told_that_the_file_is_being_built(tmp_path: Path) -> None:
    path, out = write_rows(tmp_path / "rows.jsonl", PAGES), tmp_path / "source.db"
    with FileLock(tmp_path / ".source.db.lock"), pytest.raises(KnowledgeSourceError, match="another process"):
        KnowledgeSource.build(path, out)


def test_no_progress_bar_where_there_is_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _build(tmp_path, PAGES).close()
    assert capsys.readouterr().err == ""
    _build(tmp_path, PAGES[:2], overwrite=True, progress=True).close()
    assert "rows" in capsys.readouterr().err


def test_the_real_pages_keep_every_word(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "factscore" / "pages.jsonl"
    pages = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with KnowledgeSource.build(path, tmp_path / "pages.db") as source:
        assert list(source.titles) == [page["title"] for page in pages]
        for page in pages:
            registered = " ".join(p.text for p in source.passages(page["title"]))
            assert "".join(registered.split()) == "".join("".join(page["text"]).split())


def test_processes_that_start_at_once_wait_for_each_other(tmp_path: Path) -> None:
    pages = tmp_path / "pages.jsonl"
    pages.write_text("\n".join(map(json.dumps, _rows(200))), encoding="utf-8")
    code = (
        "import sys\nfrom factscore_chain.retrievers.opening import open_knowledge\n"
        "print(open_knowledge(sys.argv[1]).document_count)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "FACTSCORE_CACHE": str(tmp_path / "cache")}
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(pages)], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [one.communicate()[0].strip() for one in started] == ["200"] * 3
