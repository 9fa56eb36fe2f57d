"""`factscore score --store`: ended by force or by a word, it goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from factscore_chain.cli.main import main
from factscore_chain.gate.store import RunStore
from factscore_chain.report import GenerationReport, Report
from tests.test_gate_interrupted import ANSWERED, FACTS, Gatekeeper, server

__all__ = ["server"]

STORE = Path("runs.db")
HEEDING = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "runpy.run_module('factscore_chain', run_name='__main__', alter_sys=True)"
)
"""Runs the command so that it heeds an interrupt, as one does that was not started by a shell with "&"."""


def command(server: Gatekeeper) -> list[str]:
    model = ["--llm", "openai:scripted", "--base-url", server.url, "--no-cache"]
    return [
        "score",
        "rows.jsonl",
        "--knowledge",
        "pages.jsonl",
        *model,
        "--store",
        str(STORE),
        "--out",
        "r.json",
    ]


def kept() -> int:
    return len(RunStore(STORE)) if STORE.exists() else 0


def test_generations_are_printed_in_order_as_soon_as_they_are_scored(
    server: Gatekeeper, repository: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "factscore_chain", *command(server), "--format", "jsonl"],
        env={**os.environ, "PYTHONPATH": str(repository)},
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        early = [run.stdout.readline() for _ in range(ANSWERED)]
        server.opened.set()
        lines = [*early, *run.stdout]
    assert run.returncode == 0
    assert [GenerationReport.model_validate_json(line).text for line in lines] == FACTS


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda one: one.name)
def test_a_run_that_was_ended_asks_nothing_twice(
    server: Gatekeeper, repository: Path, number: signal.Signals
) -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", HEEDING, *command(server)],
        env={**os.environ, "PYTHONPATH": str(repository)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while kept() < ANSWERED and run.poll() is None:
        time.sleep(0.05)
    run.send_signal(number)
    said = run.communicate(timeout=300)[1]
    assert run.returncode == (-number if number is signal.SIGKILL else 3)
    assert ("the same command goes on" in said) is (number is not signal.SIGKILL)
    before = server.asked
    server.opened.set()
    assert main(command(server)) == 0
    assert set(server.asked - before) == set(FACTS[ANSWERED:])
    report = Report.model_validate_json(Path("r.json").read_text(encoding="utf-8"))
    assert (report.counts.supported, kept()) == (len(FACTS), len(FACTS))
