"""What a Ray cluster of this machine does for scoring: one process, then 1 and 2 workers, in one run.

    python -m factscore_chain.evals.bench.ray_workers GENERATIONS.jsonl --knowledge SOURCE

The same generations are scored by the embedded estimator three times. The process is warm before its clock
starts; a job's clock holds all of it, and beside that stands when its first partition was back, which is the
start of the cluster and of the workers. The embedded estimator uses all cores of one process too, so what
workers add on one machine is little; what matters is what they cost.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.evals.bench.machine import machine, machine_line
from factscore_chain.generation_files import read_generations
from factscore_chain.ray_engine import RayScoring, Workers
from factscore_chain.report import Report
from factscore_chain.values import Generation

WORKERS = (1, 2)


def measure(
    generations: Sequence[Generation], knowledge: Path, partition: int, workers: Sequence[int] = WORKERS
) -> dict[str, Any]:
    """Scores them here and with each number of workers, and times it."""
    make = partial(FactScoreChain, knowledge.absolute(), gamma=None)
    chain = make()
    chain.score_many(list(generations[:1]))
    start = time.perf_counter()
    here = chain.score_many(list(generations))
    seconds = time.perf_counter() - start
    runs = [
        _run(RayScoring(make, chain, Workers(one), partition), generations, here, seconds) for one in workers
    ]
    return {
        "generations": len(generations),
        "facts": here.counts.facts,
        "bytes_of_a_report": round(len(here.model_dump_json()) / len(generations)),
        "partition": partition,
        "local": {
            "seconds": round(seconds, 1),
            "generations_per_second": round(len(generations) / seconds, 2),
        },
        "ray": runs,
        "machine": {**machine(), "ray": version("ray")},
    }


def _run(
    engine: RayScoring, generations: Sequence[Generation], here: Report, local_seconds: float
) -> dict[str, Any]:
    first: list[float] = []
    start = time.perf_counter()

    def mark(index: int, report: object) -> None:
        if not first:
            first.append(time.perf_counter() - start)

    there = engine.score_many(generations, on_result=mark)
    seconds = time.perf_counter() - start
    after = max(seconds - first[0], 1e-9)
    return {
        "workers": engine.workers.count,
        "seconds": round(seconds, 1),
        "seconds_to_first_partition": round(first[0], 1),
        "generations_per_second_after_it": round(max(len(generations) - engine.partition, 0) / after, 2),
        "times_as_fast_as_local": round(local_seconds / seconds, 2),
        "same_report": there.generations == here.generations,
    }


def lines(found: dict[str, Any]) -> list[str]:
    """The table."""

    def row(where: str, run: dict[str, Any], rate: str, ratio: float, same: object) -> str:
        first = run.get("seconds_to_first_partition", "")
        return f"{where:<12} {run['seconds']:>8} {first:>16} {run[rate]:>14} {ratio:>9}  {same}"

    bytes_each, facts = found["bytes_of_a_report"], found["facts"]
    rows = [
        f"{found['generations']} generations, {facts} facts, {bytes_each} bytes a generation's report",
        "where         seconds  first partition  generations/s  of local  same report",
        row("one process", found["local"], "generations_per_second", 1.0, ""),
    ]
    for one in found["ray"]:
        where, ratio = f"{one['workers']} in Ray", one["times_as_fast_as_local"]
        rows.append(row(where, one, "generations_per_second_after_it", ratio, one["same_report"]))
    return [*rows, f"{machine_line()}, ray {found['machine']['ray']}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the measurement; returns the exit code."""
    parser = argparse.ArgumentParser(prog="ray_workers", description=__doc__.split("\n")[0])
    parser.add_argument(
        "generations", type=Path, metavar="GENERATIONS", help="rows, as for `factscore score`"
    )
    parser.add_argument("--knowledge", type=Path, required=True, metavar="SOURCE")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="times that the rows are taken")
    parser.add_argument(
        "--partition", type=int, default=8, metavar="N", help="generations at a time (default: 8)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the table")
    options = parser.parse_args(arguments)
    try:
        rows = read_generations(options.generations).generations * options.repeat
        found = measure(rows, options.knowledge, options.partition)
    except UsageError as error:
        parser.error(str(error))
    print(json.dumps(found) if options.json else "\n".join(lines(found)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
