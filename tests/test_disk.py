"""A disk that is full, or may not be written: what is said, what goes on, and that nothing good is lost."""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from factscore_chain.answer_cache import AnswerCache
from factscore_chain.chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import FactScoreError, KnowledgeSourceError
from factscore_chain.files import write_whole
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Generation
from tests.pages import PAGES, make_source, write_rows
from tests.scripted import ScriptedChatModel

FACTS = tuple(f"Ada Lovelace wrote note {number}." for number in range(12))
ROWS = tuple(Generation(fact, "Ada Lovelace", facts=(fact,)) for fact in FACTS)
BIG = [{"title": f"Page {n}", "text": f"Page {n} is about {n}. " * 40} for n in range(400)]


def _mount(*arguments: str) -> bool:
    try:
        return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 192 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", "size=192k", "tmpfs", str(folder)):
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> None:
    """Writes until nothing more fits."""
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass


def lock(disk: Path) -> None:
    """Lets nothing more be written."""
    assert _mount("-o", "remount,ro", str(disk))


def chain(folder: Path) -> FactScoreChain:
    return FactScoreChain(make_source(folder), llm=ScriptedChatModel(script=lambda _: "True"))


SPOILS = pytest.mark.parametrize("spoil", [fill, lock])
Spoil = Callable[[Path], None]


@SPOILS
def test_a_report_that_cannot_be_written_leaves_the_earlier_one(
    disk: Path, tmp_path: Path, spoil: Spoil, capsys: pytest.CaptureFixture[str]
) -> None:
    out = disk / "report.json"
    write_whole(out, "the earlier one")
    spoil(disk)
    rows = write_rows(tmp_path / "rows.jsonl", [{"topic": "Ada Lovelace", "output": FACTS[0]}])
    pages = write_rows(tmp_path / "pages.jsonl", PAGES)
    code = main(["score", str(rows), "--knowledge", str(pages), "--estimator", "np", "--out", str(out)])
    assert code == (3 if spoil is fill else 2)
    assert str(out) in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "the earlier one"
    assert not list(disk.glob(".report*"))


@SPOILS
def test_a_cache_that_cannot_be_written_costs_no_answer(
    disk: Path, tmp_path: Path, spoil: Spoil, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(disk)
    model = ScriptedChatModel(script=lambda _: "True")
    made = FactScoreChain(make_source(tmp_path), llm=model, cache=AnswerCache(disk / "answers.db"))
    with caplog.at_level(logging.WARNING):
        assert made.score_many(ROWS).counts.supported == len(ROWS)
    assert caplog.text.count("cannot be used") == 1


def test_a_store_on_a_full_disk_costs_no_result_and_keeps_what_it_has(
    disk: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, made = RunStore(disk / "runs.db"), chain(tmp_path)
    score_rows(made, ROWS[:2], finished=store, journal=store)
    fill(disk)
    with caplog.at_level(logging.WARNING):
        report = score_rows(made, ROWS, finished=store, journal=store)
    store.close()
    assert report.counts.supported == len(ROWS)
    assert caplog.text.count("cannot be written any more") == 1
    (disk / "filler").unlink()
    assert 2 <= len(dict(RunStore(disk / "runs.db"))) < len(ROWS)


@SPOILS
def test_a_store_that_cannot_be_made_is_named_before_the_work(
    disk: Path, tmp_path: Path, spoil: Spoil, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(disk)
    pages = write_rows(tmp_path / "pages.jsonl", PAGES)
    code = main(["score", FACTS[0], "--knowledge", str(pages), "--store", str(disk / "runs.db")])
    assert (code, "runs.db" in capsys.readouterr().err) == (2, True)


@SPOILS
def test_a_source_that_cannot_be_built_is_named_and_never_opened(
    disk: Path, tmp_path: Path, spoil: Spoil
) -> None:
    rows = write_rows(tmp_path / "in.jsonl", BIG)
    if spoil is lock:
        lock(disk)
    with pytest.raises(KnowledgeSourceError, match=r"source\.db"):
        KnowledgeSource.build(rows, disk / "source.db")
    with pytest.raises(KnowledgeSourceError):
        KnowledgeSource(disk / "source.db")


def test_a_source_on_a_disk_that_may_not_be_written_is_read(disk: Path) -> None:
    assert _mount("-o", "remount,size=8m", str(disk))
    make_source(disk).close()
    lock(disk)
    source = KnowledgeSource(disk / "pages.db")
    assert [passage.title for passage in source.search("notes on the Analytical Engine", 1)] == [
        "Ada Lovelace"
    ]


def test_what_was_written_last_is_whole(disk: Path) -> None:
    out = disk / "report.json"
    for size in (10, 5_000, 40_000):
        write_whole(out, json.dumps(["x" * size]))
    with pytest.raises(FactScoreError, match="No space"):
        write_whole(out, json.dumps(["x" * 400_000]))
    assert len(json.loads(out.read_text(encoding="utf-8"))[0]) == 40_000
