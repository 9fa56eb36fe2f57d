"""Registration by several processes: the same source, whatever their number, and whatever ends them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.retrievers import workers, writer
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.pages import PAGES, write_rows

ROWS: list[Any] = [
    {"title": f"Town {i % 90}", "text": [f"Town {i} has {i} wells.", "x " * i]} for i in range(95)
]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_BATCH_ROWS", 10)
    monkeypatch.setattr(writer, "_WORTH_A_PROCESS", 0)


def test_the_number_of_processes_does_not_change_a_byte(
    tmp_path: Path, small_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "now", lambda: "2026-01-01T00:00:00+00:00")
    path = write_rows(tmp_path / "rows.jsonl", [*ROWS[:40], "{bad", *ROWS[40:]])
    made = []
    for count in (1, 2, 3):
        with KnowledgeSource.build(path, tmp_path / f"{count}.db", name="towns", workers=count) as source:
            assert source.registration is not None
            assert (source.document_count, source.registration.duplicates) == (90, 5)
            made.append(source.path.read_bytes())
    assert made[0] == made[1] == made[2]


def test_a_process_that_dies_stops_the_build_which_then_goes_on(
    tmp_path: Path, small_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = write_rows(tmp_path / "rows.jsonl", ROWS), tmp_path / "source.db"
    with monkeypatch.context() as patch:
        patch.setattr(workers, "_PROGRAM", "import os; os._exit(9)")
        with pytest.raises(KnowledgeSourceError, match=r"exit code|failed"):
            KnowledgeSource.build(path, out, workers=2)
    assert not out.exists()
    with KnowledgeSource.build(path, out, workers=2) as source:
        assert source.document_count == 90


def test_what_goes_wrong_in_a_process_is_told(
    tmp_path: Path, small_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "import factscore_chain.retrievers.workers as w; w.prepare = lambda lines: 1 / 0; w.serve()"
    monkeypatch.setattr(workers, "_PROGRAM", broken)
    with pytest.raises(KnowledgeSourceError, match="ZeroDivisionError"):
        KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", ROWS), tmp_path / "s.db", workers=2)


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_of_processes_below_one_is_wrong_use(tmp_path: Path, count: int) -> None:
    with pytest.raises(UsageError, match=f"not {count}"):
        KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", PAGES), tmp_path / "s.db", workers=count)


def test_kb_build_takes_a_number_of_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "in.jsonl", PAGES)
    assert main(["kb", "build", str(path), "--out", str(tmp_path / "kb.db"), "--workers", "2"]) == 0
    assert "4 documents" in capsys.readouterr().out


_LAYOUT_1 = """
PRAGMA application_id = 1179863891; PRAGMA user_version = 1;
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents(id INTEGER PRIMARY KEY, title TEXT NOT NULL, first INTEGER NOT NULL,
                       count INTEGER NOT NULL);
CREATE TABLE passages(id INTEGER PRIMARY KEY, document INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE names(id INTEGER PRIMARY KEY, folded TEXT NOT NULL, name TEXT NOT NULL,
                   document INTEGER NOT NULL, redirect INTEGER NOT NULL);
CREATE TABLE common_terms(term TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE common_grams(term TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE passage_terms USING fts5(title, text, content='');
CREATE VIRTUAL TABLE name_grams USING fts5(grams, content='', detail=none);
INSERT INTO documents VALUES (1, 'Nile', 1, 2), (2, 'Rhine', 3, 1);
INSERT INTO passages VALUES (1, 1, 'The Nile flows north.'), (2, 1, 'It is long.'),
  (3, 2, 'The Rhine flows too.');
INSERT INTO names VALUES (1, 'nile', 'Nile', 1, 0), (2, 'rhine', 'Rhine', 2, 0),
  (3, 'father rhine', 'Father Rhine', 2, 1);
INSERT INTO passage_terms(rowid, title, text) VALUES (1, 'nile', 'the nile flows north'),
  (2, 'nile', 'it is long'), (3, 'rhine', 'the rhine flows too');
INSERT INTO meta VALUES ('complete', 1), ('tokenizer', 1), ('name', 'rivers'),
  ('built', '2025-01-01T00:00:00+00:00'),
  ('content_hash', 'abc'), ('registration',
  '{"documents": 2, "passages": 3, "bad_lines": 0, "duplicates": 0, "problems": []}');
"""


def test_a_source_of_the_layout_before_is_read_and_searched(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_LAYOUT_1)
    with KnowledgeSource(path) as source:
        assert (list(source.titles), source.passage_count) == (["Nile", "Rhine"], 3)
        assert source.resolve("father rhine") == "Rhine"
        assert [p.text for p in source.passages("nile")] == ["The Nile flows north.", "It is long."]
        assert [p.title for p in source.search("Which one flows north?", 2)] == ["Nile", "Rhine"]
        assert [p.text for p in source.all_passages()][2] == "The Rhine flows too."
