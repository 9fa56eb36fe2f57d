"""What it costs to keep a run's work as it goes on, and what a killed run asks for again.

    python -m factscore_chain.evals.bench.resume [--data FOLDER] [--system ChatGPT] [--limit 8] [--repeats 3]

The data and the model server are those of `run_speed`. The same generations are scored without a store, with
one, and over a store in which all is done already, in turns; the medians are told. Then a command is killed
(SIGKILL) once half of the calls were made, and started again; what the server was asked in all is compared
with what an undisturbed run asks.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import FactScoreError
from factscore_chain.evals.bench.machine import machine, machine_line
from factscore_chain.evals.bench.run_speed import (
    ModelServer,
    Task,
    add_task_arguments,
    model_server,
    run_task,
)
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.retrievers.opening import as_retriever

_GLANCE = 0.05
"""Seconds between looks at how far a command is."""


def timed(task: Task, server: ModelServer, concurrency: int, store: Path | None) -> tuple[float, int]:
    """Seconds and calls of one run.

    Args:
        task: What is scored.
        server: Whose model is asked.
        concurrency: Calls in flight at most.
        store: Keeps what is done; None keeps nothing.
    """
    server.begin_anew()
    began = time.perf_counter()
    runs = None if store is None else RunStore(store)
    chain = FactScoreChain(
        as_retriever(task.pages), llm=server.model(concurrency), store=None if runs is None else runs.store
    )
    score_rows(chain, task.generations, finished=runs, journal=runs)
    seconds = time.perf_counter() - began
    if runs is not None:
        runs.close()
    return seconds, server.counts()["calls"]


def in_turns(task: Task, server: ModelServer, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Medians of runs without a store, with a new one, and with one where all is done."""
    # What the first run has to load and embed is no part of any.
    timed(task, server, options.concurrency, None)
    seconds: dict[str, list[float]] = {"without": [], "with": [], "again": []}
    calls: dict[str, int] = {}
    for number in range(options.repeats):
        store = scratch / f"runs-{number}.db"
        for way, place in (("without", None), ("with", store), ("again", store)):
            took, calls[way] = timed(task, server, options.concurrency, place)
            seconds[way].append(took)
    medians = {way: statistics.median(found) for way, found in seconds.items()}
    return {
        "seconds": {way: round(value, 3) for way, value in medians.items()},
        "spread": {way: [round(min(found), 3), round(max(found), 3)] for way, found in seconds.items()},
        "calls": calls,
        "keeping": round(medians["with"] / medians["without"] - 1, 4),
        "going_over_what_is_done": round(medians["again"] / medians["without"], 4),
        "stored_kilobytes": round(store.stat().st_size / 1024),
    }


def killed(
    task: Task, server: ModelServer, options: argparse.Namespace, scratch: Path, calls: int
) -> dict[str, int]:
    """What a command that was killed halfway and started again asks in all.

    Raises:
        FactScoreError: The second command did not come to its end.
    """
    rows = scratch / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"topic": one.topic, "output": one.text}) + "\n" for one in task.generations),
        encoding="utf-8",
    )
    model = ["--llm", "openai:stand-in", "--base-url", server.url, "--no-cache"]
    kept = ["--store", str(scratch / "killed.db"), "--concurrency", str(options.concurrency)]
    command = [sys.executable, "-m", "factscore_chain", "score", str(rows), "--knowledge", str(task.pages)]
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    server.begin_anew()
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(
        [*command, *model, *kept], env=environment, stdout=nowhere, stderr=nowhere
    ) as process:
        while process.poll() is None and server.counts()["calls"] < calls // 2:
            time.sleep(_GLANCE)
        process.send_signal(signal.SIGKILL)
    before = server.counts()["calls"]
    again = subprocess.run([*command, *model, *kept], env=environment, check=False, capture_output=True)
    if again.returncode != 0:
        raise FactScoreError(f"The command ended in {again.returncode} when it was started again.")
    total = server.counts()["calls"]
    return {"before": before, "after": total - before, "asked_again": total - calls}


def measure(task: Task, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """All figures."""
    with model_server(task.facts, options.read, options.write) as server:
        found = in_turns(task, server, options, scratch)
        found["killed"] = killed(task, server, options, scratch, found["calls"]["without"])
    return {
        "generations": len(task.generations),
        "repeats": options.repeats,
        "concurrency": options.concurrency,
        **found,
        "machine": machine(),
    }


def lines(found: dict[str, Any]) -> list[str]:
    """The figures for people."""
    killed_run, spread = found["killed"], found["spread"]

    def row(name: str, way: str) -> str:
        low, high = spread[way]
        return (
            f"{name:28}{found['seconds'][way]:>8.2f} s  [{low:.2f}, {high:.2f}]{found['calls'][way]:>7} calls"
        )

    return [
        f"{found['generations']} generations, {found['concurrency']} calls at once, medians of "
        f"{found['repeats']}; {machine_line()}",
        row("keeping nothing", "without"),
        row("keeping every stage", "with") + f"  {found['keeping']:+.1%}, {found['stored_kilobytes']} kB",
        row("over what is done already", "again") + f"  {found['going_over_what_is_done']:.1%} of a run",
        f"killed after {killed_run['before']} calls and started again: {killed_run['after']} more, of which "
        f"{killed_run['asked_again']} had been asked before",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; returns the exit code."""
    return run_task("resume", _parser().parse_args(arguments), measure, lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="What keeping a run's work costs, and what it saves.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl and labeled/")
    add_task_arguments(parser)
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each kind (default: 3)")
    parser.add_argument("--concurrency", type=int, default=16, metavar="N", help="calls at once (16)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
