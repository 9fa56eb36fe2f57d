"""Scoring in the workers of a Ray cluster of this machine: the same report, and little lost with a worker."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import FatalModelError
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.ray_engine import RayScoring, Workers
from factscore_chain.report import GenerationReport, Report
from factscore_chain.values import Generation
from tests.openai_server import KEY, OpenAIServer
from tests.pages import PAGES, write_rows
from tests.ray_chains import HOLD, judged, make_tracing_chain
from tests.ray_cluster import cluster

ray = pytest.importorskip("ray", reason="Ray is not installed (extra ray)")

# Ray's own settings warn of themselves, and what it opens is closed by its end.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

__all__ = ["cluster"]

TWO = Workers(2)
ROWS = tuple(Generation(f"Town {n} has wells. Town {n} has walls.", id=str(n)) for n in range(8))


def scoring(folder: Path, partition: int = 2) -> RayScoring:
    folder.mkdir(exist_ok=True)
    make = partial(make_tracing_chain, folder)
    return RayScoring(make, make(), TWO, partition)


def test_a_report_is_to_the_byte_that_of_one_process_but_for_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    write_rows(tmp_path / "pages.jsonl", PAGES)
    topics = ("Ada Lovelace", "Charles Babbage", "Mercury (planet)", "Nobody")
    write_rows(
        tmp_path / "rows.jsonl", [{"topic": one, "output": f"{one} is known. It is."} for one in topics]
    )

    def answer(asked: str) -> str:
        return "True" if "<statement" in asked else "- It is known.\n- It is."

    with OpenAIServer(answer) as server:
        model = ["--llm", "openai:m", "--base-url", server.url, "--no-cache"]
        command = ["score", "rows.jsonl", "--knowledge", "pages.jsonl", *model, "--out"]
        assert main([*command, "local.json"]) == 3
        assert main([*command, "ray.json", "--engine", "ray", "--workers", "2", "--partition", "1"]) == 3
    here, there = (Report.model_validate_json(Path(name).read_bytes()) for name in ("local.json", "ray.json"))
    timeless = {"manifest": here.manifest.model_copy(update={"created": there.manifest.created})}
    assert here.model_copy(update=timeless).to_json() == there.to_json()
    assert here.manifest.usage["calls"] > 0


def _kill_the_holder(folder: Path) -> None:
    deadline = time.monotonic() + 300
    holders: list[int] = []
    while time.monotonic() < deadline and not holders:
        holders = [pid for words, pid in judged(folder) if HOLD in words]
        time.sleep(0.02)
    os.kill(holders[0], signal.SIGKILL)
    (folder / "go").touch()


def test_a_worker_that_is_killed_costs_its_partition_alone(tmp_path: Path) -> None:
    engine = scoring(tmp_path / "work")
    # First, so that whoever takes it has finished nothing whose result could still be under way.
    rows = (Generation(f"Town 0 has {HOLD}.", id="0"), *ROWS[1:])
    killer = threading.Thread(target=_kill_the_holder, args=(tmp_path / "work",))
    killer.start()
    report = engine.score_many(rows)
    killer.join()
    work = judged(tmp_path / "work")
    again = {words for words, _ in work if [one for one, _ in work].count(words) > 1}
    assert {words.split("-")[1] for words in again} <= {"0", "1"}
    assert f"Town-0-has-{HOLD}" in again
    assert len({pid for words, pid in work if HOLD in words}) == 2
    whole = make_tracing_chain(tmp_path / "work").score_many(rows)
    assert report.generations == whole.generations


def test_a_run_that_broke_off_sends_no_finished_partition_again(tmp_path: Path) -> None:
    engine, store = scoring(tmp_path / "work"), RunStore(tmp_path / "runs.db")

    def break_off(done: GenerationReport) -> None:
        if len(store) >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_rows(engine.chain, ROWS, journal=store, on_done=break_off, score_many=engine.score_many)
    kept = len(store)
    (tmp_path / "again").mkdir()
    rest = scoring(tmp_path / "again")
    report = score_rows(engine.chain, ROWS, finished=store, journal=store, score_many=rest.score_many)
    assert (kept, len(judged(tmp_path / "again"))) == (2, 2 * (len(ROWS) - kept))
    assert report.generations == make_tracing_chain(tmp_path / "work").score_many(ROWS).generations


def test_a_model_that_cannot_be_used_ends_the_job(tmp_path: Path) -> None:
    with pytest.raises(FatalModelError, match="the key was refused"):
        scoring(tmp_path / "work").score_many([Generation("KEY")] * 4)


def test_a_model_that_becomes_unusable_keeps_what_was_scored(tmp_path: Path) -> None:
    engine = scoring(tmp_path / "work", partition=1)
    report = engine.score_many([Generation("Town 1 has wells."), *[Generation("KEY")] * 3])
    assert [one.status for one in report.generations if "KEY" in one.text] == ["failed"] * 3
    assert all("the key was refused" in (one.error or "") for one in report.generations if "KEY" in one.text)
