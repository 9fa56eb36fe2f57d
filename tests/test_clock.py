"""A clock that is set, by a day to and fro: no result changes, no wait goes wrong, nothing expires.

Processes run under Debian's `faketime`, which changes the time of day and leaves the clocks that only run on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import serving
from tests.openai_server import KEY, Behaviour, OpenAIServer, Status
from tests.pages import PAGES, write_rows

FACTS = [f"Ada Lovelace wrote note {number}." for number in range(6)]
DAYS = ("+1d", "-1d")


@pytest.fixture
def clock(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Sets the clock of processes that are started with the variables it gives, also while they run."""
    libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not libraries:
        pytest.skip("faketime is not installed")
    file = tmp_path / "clock"

    def set_to(offset: str) -> dict[str, str]:
        file.with_suffix(".new").write_text(offset)
        os.replace(file.with_suffix(".new"), file)
        return {
            "LD_PRELOAD": str(libraries[0]),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    return set_to


@contextmanager
def jumping(set_to: Callable[[str], dict[str, str]]) -> Iterator[dict[str, str]]:
    """Sets the clock forth and back as long as the block lasts."""
    ended = threading.Event()

    def jump() -> None:
        turn = 0
        while not ended.wait(0.05):
            set_to(DAYS[turn := 1 - turn])

    thread = threading.Thread(target=jump)
    variables = set_to(DAYS[0])
    thread.start()
    try:
        yield variables
    finally:
        ended.set()
        thread.join()


def score(folder: Path, server: OpenAIServer, name: str, variables: dict[str, str]) -> Any:
    """The report of a run of the command without its manifest, which has times. Its store is runs.db."""
    rows = [{"output": fact, "topic": "Ada Lovelace", "facts": [fact]} for fact in FACTS]
    command = [
        *("score", str(write_rows(folder / "rows.jsonl", rows))),
        *("--knowledge", str(write_rows(folder / "pages.jsonl", PAGES))),
        *("--llm", "openai:scripted", "--base-url", server.url, "--no-cache"),
        *("--store", str(folder / "runs.db"), "--out", str(folder / name)),
    ]
    subprocess.run(
        [sys.executable, "-m", "factscore_chain", *command],
        env={**os.environ, "OPENAI_API_KEY": KEY, **variables},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    report = json.loads((folder / name).read_text(encoding="utf-8"))
    return {**report, "manifest": None}


def busy_at_first() -> Callable[[str], Behaviour]:
    """Turns each fact away once, up to a moment by this process's own clock."""
    lock, known = threading.Lock(), set[str]()

    def reply(question: str) -> Behaviour:
        fact = next(fact for fact in FACTS if fact in question)
        with lock:
            if fact in known:
                return "True" if fact != FACTS[0] else "False"
            known.add(fact)
        moment = datetime.now(timezone.utc) + timedelta(seconds=1)
        return Status(429, headers={"Retry-After": format_datetime(moment, usegmt=True)})

    return reply


def test_a_clock_that_jumps_changes_no_result_and_wedges_no_retry(tmp_path: Path, clock: Any) -> None:
    with OpenAIServer(busy_at_first()) as server, jumping(clock) as variables:
        report = score(tmp_path, server, "report.json", variables)
        assert server.calls == 2 * len(FACTS)
    assert report["counts"]["supported"] == len(FACTS) - 1
    assert report["coverage"] == 1.0


def test_a_run_that_goes_on_on_another_day_takes_over_what_was_done(tmp_path: Path, clock: Any) -> None:
    with OpenAIServer(["True"]) as server:
        reports = [score(tmp_path, server, f"{day}.json", clock(day)) for day in DAYS]
        assert server.calls == len(FACTS)
    assert reports[0] == reports[1]
    created = [json.loads((tmp_path / f"{day}.json").read_text())["manifest"]["created"] for day in DAYS]
    assert created[0] > created[1]  # the clock was set back indeed


def test_a_server_whose_clock_jumps_answers_and_stops_as_ever(tmp_path: Path, clock: Any) -> None:
    pages = write_rows(tmp_path / "pages.jsonl", PAGES)
    body = {"text": "Ada Lovelace was born in London.", "topic": "Ada Lovelace"}
    with (
        jumping(clock) as variables,
        serving.process(
            "--knowledge", str(pages), "--timeout", "60", log=tmp_path / "log", variables=variables
        ) as server,
        httpx.Client(base_url=server.url, timeout=60) as asking,
    ):
        answers = [asking.post("/score", json=body) for _ in range(12)]
        assert [one.status_code for one in answers] == [200] * 12
        assert len({one.json()["score"] for one in answers}) == 1
        assert len({one.json()["manifest"]["created"][:10] for one in answers}) > 1
        server.ask_to_stop()
        assert server.exit_code() == 0
