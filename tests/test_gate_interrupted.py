"""A gate that is killed, or runs out of money, while a real client asks a real server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from factscore_chain.cli.main import main
from factscore_chain.gate.run_record import read_report
from tests.openai_server import KEY, OpenAIServer
from tests.pages import PAGES, write_rows

FACTS = [f"Ada Lovelace wrote note {number}." for number in range(12)]
JOURNAL = Path(".report.json.unfinished.jsonl")
ANSWERED = 5
"""Facts that the server answers before it keeps everybody waiting."""


class Gatekeeper(OpenAIServer):
    """Answers a few facts, and the others only once it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        super().__init__(self._reply)

    def _reply(self, question: str) -> str:
        if _fact(question) not in FACTS[:ANSWERED]:
            self.wait_for(self.opened)
        return "True"

    @property
    def asked(self) -> Counter[str]:
        return Counter(_fact(request.question) for request in self.requests)


def _fact(question: str) -> str:
    (found,) = re.findall(r"Ada Lovelace wrote note \d+\.", question.rpartition("<statement>")[2])
    return str(found)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gatekeeper]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    write_rows(Path("pages.jsonl"), PAGES)
    write_rows(
        Path("rows.jsonl"), [{"output": one, "topic": "Ada Lovelace", "facts": [one]} for one in FACTS]
    )
    made = Gatekeeper()
    with made:
        yield made


def arguments(server: OpenAIServer, *more: str) -> list[str]:
    model = ["--llm", "openai:scripted", "--base-url", server.url, "--no-cache"]
    return ["gate", "rows.jsonl", "--knowledge", "pages.jsonl", "--min-mean", "0.9", *model, *more]


def _lines(path: Path) -> int:
    content = path.read_bytes().splitlines() if path.exists() else []
    return sum(1 for line in content if line.endswith(b"}"))


def test_a_killed_run_asks_nothing_twice(server: Gatekeeper, repository: Path) -> None:
    command = arguments(server, "--output", "report.json")
    run = subprocess.Popen(
        [sys.executable, "-m", "factscore_chain", *command],
        env={**os.environ, "PYTHONPATH": str(repository)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while _lines(JOURNAL) < ANSWERED and run.poll() is None:
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.wait()
    before = server.asked
    server.opened.set()
    assert main([*command, "--resume"]) == 0
    again = server.asked - before
    assert set(again) == set(FACTS[ANSWERED:])
    assert read_report(Path("report.json")).counts.supported == len(FACTS)
    assert not JOURNAL.exists()


def test_a_budget_that_runs_out_is_incomplete_and_can_be_raised(
    server: Gatekeeper, capsys: pytest.CaptureFixture[str]
) -> None:
    server.opened.set()
    Path("prices.yaml").write_text(
        f"as_of: 2026-01-01\nprices:\n  scripted@{server.url}: {{input: 1000000, output: 1000000}}\n",
        encoding="utf-8",
    )
    options = ["--prices", "prices.yaml", "--output", "report.json"]
    assert main(arguments(server, *options, "--max-cost", "1")) == 3
    assert "budget of $1 is used up" in capsys.readouterr().err
    done = len(server.requests)
    assert done < len(FACTS)
    assert main(arguments(server, *options, "--max-cost", "1e9", "--only-failed")) == 0
    assert len(server.requests) == len(FACTS)
