"""How long `import factscore_chain` and `factscore --help` take in a fresh process.

    python -m factscore_chain.evals.bench.start_time [--runs 15] [--json]

Every round starts each command once, one after the other, so that a machine that gets busier slows all of
them. The first round, which may write bytecode and fill the disk's cache, is not counted. Processor time is
that of the process with all its threads; the bare interpreter is what no package can save.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from factscore_chain.errors import FactScoreError
from factscore_chain.evals.bench.machine import machine, machine_line

COMMANDS = {
    "python -c pass": ("-c", "pass"),
    "import factscore_chain": ("-c", "import factscore_chain"),
    "import FactScoreChain": ("-c", "from factscore_chain import FactScoreChain"),
    "factscore --help": ("-m", "factscore_chain", "--help"),
    "factscore score --help": ("-m", "factscore_chain", "score", "--help"),
}
"""What is started, as arguments of the interpreter."""
BARE = "python -c pass"


class Start(NamedTuple):
    """What one process took, in seconds."""

    wall: float
    processor: float


def start(arguments: Sequence[str]) -> Start:
    """Starts the interpreter and waits for its end.

    Raises:
        FactScoreError: The process failed.
    """
    clock, used = time.perf_counter(), _used_by_children()
    run = subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
    taken = Start(time.perf_counter() - clock, _used_by_children() - used)
    if run.returncode:
        raise FactScoreError(f"{' '.join(arguments)} failed: {run.stderr.decode(errors='replace')[-300:]}")
    return taken


def _used_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(runs: int) -> dict[str, Any]:
    """Medians of each command, in milliseconds, and of what it takes beyond the bare interpreter."""
    rounds = [{name: start(arguments) for name, arguments in COMMANDS.items()} for _ in range(runs + 1)][1:]
    found = {name: _medians([one[name] for one in rounds]) for name in COMMANDS}
    bare = found[BARE]["median_ms"]
    return {
        "machine": machine(),
        "runs": runs,
        "commands": {
            name: {**figures, "beyond_bare_ms": round(figures["median_ms"] - bare, 1)}
            for name, figures in found.items()
        },
    }


def _medians(starts: Sequence[Start]) -> dict[str, float]:
    walls = [one.wall for one in starts]
    return {
        "median_ms": round(1000 * statistics.median(walls), 1),
        "least_ms": round(1000 * min(walls), 1),
        "processor_ms": round(1000 * statistics.median(one.processor for one in starts), 1),
    }


def table(found: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = ["| command | median ms | beyond bare ms | least ms | processor ms |", "|---|---|---|---|---|"]
    for name, one in found["commands"].items():
        columns = ("median_ms", "beyond_bare_ms", "least_ms", "processor_ms")
        lines.append(f"| `{name}` | {' | '.join(f'{one[column]:.0f}' for column in columns)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the measurement; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        found = measure(options.runs)
    except FactScoreError as error:
        print(f"start_time: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(found))
    else:
        print(f"{machine_line()}, {found['runs']} processes each\n\n{table(found)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Times a cold start, as medians of fresh processes.")
    parser.add_argument("--runs", type=int, default=15, help="processes of each kind (default: 15)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
