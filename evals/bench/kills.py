"""Kills scoring runs at random points, lets the same command go on, and compares what comes out in the end.

    python -m factscore_chain.evals.bench.kills [--kills 100] [--generations 8] [--seed 0]

Each round is `factscore score --store` on a fresh folder: knowledge registered, generations broken into
facts, judged by the embedded estimator, kept, the report written. A run is ended after a random part of the
time that an unbroken one takes, mostly by SIGKILL, else by SIGTERM or SIGINT, and started again until one
comes to its end. Then its report has to be that of the unbroken run, but for times; and after every kill, no
file may be damaged. Exit code 1 if any of it does not hold.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import runpy
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_PRELOADED = ["factscore_chain.cli.main", "factscore_chain.chain"]
_PAGES = 200
_LONGEST_RUN = 300.0
_FORKS = multiprocessing.get_context("forkserver")


@dataclass
class Outcome:
    """What was done, and what came of it."""

    kills: Counter[str] = field(default_factory=Counter)
    """By signal."""
    rounds: int = 0
    """Runs that came to their end, each on a folder of its own."""
    equal: int = 0
    """Of these, reports like the unbroken run's."""
    taken_over: int = 0
    """Generations that a run found finished by the killed ones before it."""
    damaged: list[str] = field(default_factory=list)
    """Files that could not be read after a kill."""
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether nothing was lost and nothing differs."""
        return self.equal == self.rounds and not self.damaged


def prepare(folder: Path, generations: int) -> None:
    """Writes a small knowledge source and generations about it, half of whose facts are false."""
    pages = ({"title": f"Town {i}", "text": f"Town {i} has {i + 2} wells and a mill."} for i in range(_PAGES))
    rows = (
        {"topic": f"Town {i}", "output": f"Town {i} has {i + 2} wells. It has a harbour. It has a mill."}
        for i in range(generations)
    )
    for name, lines in (("pages.jsonl", pages), ("rows.jsonl", rows)):
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")


def start(folder: Path) -> BaseProcess:
    """Starts the command in a process of its own."""
    process = _FORKS.Process(target=_command, args=(str(folder),))
    process.start()
    return process


def _command(folder: str) -> None:
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts with "&" ignore it
    os.environ["FACTSCORE_CACHE"] = str(Path(folder) / "cache")
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    arguments = ["rows.jsonl", "--knowledge", "pages.jsonl", "--store", "runs.db", "--out", "report.json"]
    sys.argv = ["factscore", "score", *arguments]
    runpy.run_module("factscore_chain", run_name="__main__")


def report_of(folder: Path) -> dict[str, Any]:
    """The report of a finished run without its times."""
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    report["manifest"].pop("created")
    report["manifest"]["knowledge"].pop("built")
    return report


def damage(folder: Path) -> list[str]:
    """What cannot be read of the files that a killed run left; the databases are only looked at."""
    files = (folder / "report.json", folder / "runs.db", *folder.glob("cache/**/*.db"))
    faults = ((path.name, _fault(path)) for path in files if path.exists())
    return [f"{name}: {fault}" for name, fault in faults if fault]


def _fault(path: Path) -> str | None:
    try:
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
            return None
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check").fetchone()
            return None if verdict == "ok" else str(verdict)
    except (ValueError, sqlite3.Error) as error:
        return str(error)


def kept(folder: Path) -> int:
    """How many generations stand in the store."""
    if not (folder / "runs.db").exists():
        return 0
    with closing(sqlite3.connect(folder / "runs.db", timeout=30)) as connection:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'finished'").fetchone()
        return int(connection.execute("SELECT count(*) FROM finished").fetchone()[0]) if tables[0] else 0


def run(kills: int, generations: int, seed: int) -> Outcome:
    """Kills so many runs.

    Raises:
        RuntimeError: A run that was left alone did not end well.
    """
    chance, outcome, began = random.Random(seed), Outcome(), time.monotonic()
    _FORKS.set_forkserver_preload(_PRELOADED)
    with tempfile.TemporaryDirectory() as root:
        unbroken = _folder(Path(root) / "unbroken", generations)
        _to_its_end(unbroken)  # the first loads what later ones find loaded
        shutil.rmtree(unbroken)
        started = time.monotonic()
        _to_its_end(_folder(unbroken, generations))
        lasts, wanted = time.monotonic() - started, report_of(unbroken)
        while outcome.kills.total() < kills:
            folder = _folder(Path(root) / "round", generations)
            _one_round(folder, outcome, kills, lasts, chance)
            outcome.rounds += 1
            outcome.equal += report_of(folder) == wanted
            shutil.rmtree(folder)
    outcome.seconds = time.monotonic() - began
    return outcome


def _folder(path: Path, generations: int) -> Path:
    path.mkdir()
    prepare(path, generations)
    return path


def _one_round(folder: Path, outcome: Outcome, kills: int, lasts: float, chance: random.Random) -> None:
    while outcome.kills.total() < kills:
        outcome.taken_over += kept(folder)
        process = start(folder)
        process.join(chance.uniform(0, lasts))
        if process.exitcode is not None:
            _check_exit(process)
            return
        number = chance.choice(_SIGNALS)
        os.kill(int(process.pid or 0), number)
        process.join(_LONGEST_RUN)
        outcome.kills[number.name] += 1
        outcome.damaged += damage(folder)
    outcome.taken_over += kept(folder)
    _to_its_end(folder)


def _to_its_end(folder: Path) -> None:
    process = start(folder)
    process.join(_LONGEST_RUN)
    _check_exit(process)


def _check_exit(process: BaseProcess) -> None:
    if process.exitcode != 0:
        process.kill()
        raise RuntimeError(f"a run that was left alone ended with {process.exitcode}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Kills scoring runs at random points and resumes them.")
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="runs to end (default: 100)")
    parser.add_argument("--generations", type=int, default=8, metavar="N", help="of each run (default: 8)")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and signals (default: 0)")
    options = parser.parse_args(arguments)
    found = run(options.kills, options.generations, options.seed)
    signals = ", ".join(f"{name} {count}" for name, count in sorted(found.kills.items()))
    print(f"kills: {found.kills.total()} ({signals}) in {found.seconds:.0f} s")
    print(f"runs that came to their end: {found.rounds}, reports equal to the unbroken run's: {found.equal}")
    print(f"generations taken over from killed runs: {found.taken_over}")
    print(f"damaged files: {len(found.damaged)}", *found.damaged, sep="\n  ")
    return 0 if found.holds else 1


if __name__ == "__main__":
    sys.exit(main())
