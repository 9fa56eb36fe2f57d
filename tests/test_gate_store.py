"""The file of finished generations: what it keeps, and what happens where it cannot."""

from __future__ import annotations

import logging
import sqlite3
import stat
from pathlib import Path

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.report import GenerationReport
from factscore_chain.values import Generation
from tests.gates import report
from tests.pages import make_source
from tests.scripted import ScriptedChatModel

TEXTS = ("Ada Lovelace was born in London.", "Ada Lovelace wrote notes.", "Ada Lovelace wrote letters.")
ROWS = tuple(Generation(text, "Ada Lovelace", facts=(text,)) for text in TEXTS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def one(text: str = "Łódź \u2028 東京 🗼") -> GenerationReport:
    return report("S").generations[0].model_copy(update={"text": text})


def test_what_is_kept_comes_back_whole_and_what_was_lost_is_not_kept(path: Path) -> None:
    store = RunStore(path)
    for key, kept in zip("abc", (one(), *report("!", "SF").generations), strict=True):
        store.add(key, kept)
    assert dict(RunStore(path)) == {"a": one()}
    assert len(store) == 1


def test_a_second_run_asks_only_what_the_first_did_not(tmp_path: Path, path: Path) -> None:
    model = ScriptedChatModel(script=lambda _: "True")
    chain = FactScoreChain(make_source(tmp_path), llm=model, gamma=None)
    score_rows(chain, ROWS[:2], finished=RunStore(path), journal=RunStore(path))
    again = score_rows(chain, ROWS, finished=RunStore(path), journal=RunStore(path))
    assert len(model.prompts) == len(ROWS)
    assert again.generations == score_rows(chain, ROWS).generations


def test_a_change_of_what_recall_reads_is_scored_anew(tmp_path: Path, path: Path) -> None:
    source, store = make_source(tmp_path), RunStore(path)
    for most in (1, 2, 2):
        model = ScriptedChatModel(script=lambda _: "True", number=1)
        chain = FactScoreChain(source, llm=model, recall="page", max_reference_facts=most)
        score_rows(chain, ROWS[:1], finished=store, journal=store)
    assert len(store) == 2


def test_the_file_is_its_users_alone(path: Path) -> None:
    RunStore(path).add("a", one())
    files = [stat.S_IMODE(found.stat().st_mode) for found in path.parent.glob("runs.db*")]
    assert set(files) == {0o600}


def test_a_damaged_row_is_scored_again(path: Path) -> None:
    store = RunStore(path)
    store.add("a", one())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE finished SET report = substr(report, 1, 30)")
    connection.close()
    assert store.get("a") is None


@pytest.mark.parametrize("content", [b"<html>", b"x" * 9000, b"SQLite format 3\0" + b"x" * 4000])
def test_a_file_that_is_none_is_named_before_the_work(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"runs\.db.*cannot be used"):
        RunStore(path)
    assert path.read_bytes() == content


def test_a_store_cut_short_is_named_and_not_written_to(path: Path) -> None:
    store = RunStore(path)
    for number in range(40):
        store.add(str(number), one("x" * 2000))
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(UsageError, match="cannot be used"):
        dict(RunStore(path))


def test_a_database_of_something_else_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (name TEXT)")
    connection.close()
    with pytest.raises(UsageError, match="something else"):
        RunStore(path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be used"):
        RunStore(tmp_path / "file" / "runs.db")


def test_a_store_that_another_process_holds_costs_no_result(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("factscore_chain.storage.BUSY_SECONDS", 0.05)
    store = RunStore(path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    chain = FactScoreChain(make_source(tmp_path), llm=ScriptedChatModel(script=lambda _: "True"))
    with caplog.at_level(logging.WARNING):
        done = score_rows(chain, ROWS, finished=store, journal=store)
    holder.close()
    assert done.counts.supported == len(ROWS)
    assert caplog.text.count("cannot be written any more") == 1
