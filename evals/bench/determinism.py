"""Whether the embedded estimator writes the same report, to the byte but for times, whatever runs it.

    python -m factscore_chain.evals.bench.determinism GENERATIONS --knowledge SOURCE [--seeds 0 1 4711]

The command scores the same rows in processes of their own, with every hash seed given and with one core and
all that there are. Exit code 1 if two reports differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

_INCOMPLETE = 3
"""Exit code of a run some of whose rows have no page: as good for comparing as any other."""


def report_bytes(path: Path) -> bytes:
    """A report as it was written, with its two times blanked."""
    content = path.read_text(encoding="utf-8")
    manifest = json.loads(content)["manifest"]
    for time in {manifest["created"], manifest["knowledge"].get("built")} - {None}:
        content = content.replace(json.dumps(time), '"-"')
    return content.encode("utf-8", "surrogatepass")


def score(generations: Path, knowledge: Path, folder: Path, seed: int, cores: int) -> bytes:
    """Scores in a process of its own; gives the report.

    Raises:
        RuntimeError: The command did not end well.
    """
    out = folder / f"{seed}-{cores}.json"
    command = ["score", str(generations), "--knowledge", str(knowledge), "--out", str(out)]
    limit = f"import os; hasattr(os, 'sched_setaffinity') and os.sched_setaffinity(0, range({cores}))"
    code = f"{limit}; import sys; from factscore_chain.cli.main import main; sys.exit(main(sys.argv[1:]))"
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(seed),
        "OMP_NUM_THREADS": str(cores),
        "FACTSCORE_CACHE": str(folder / f"cache-{seed}-{cores}"),
    }
    run = subprocess.run(
        [sys.executable, "-c", code, *command], env=environment, capture_output=True, check=False
    )
    if run.returncode not in {0, _INCOMPLETE}:
        raise RuntimeError(f"the command ended with {run.returncode}: {run.stderr.decode()[-300:]}")
    return report_bytes(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Compares reports of the same rows, byte for byte.")
    parser.add_argument("generations", type=Path, metavar="GENERATIONS", help="a .jsonl file of rows")
    parser.add_argument("--knowledge", type=Path, required=True, metavar="SOURCE", help="a JSONL file")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 4711], metavar="N", help="hash seeds")
    options = parser.parse_args(arguments)
    counts = sorted({1, os.cpu_count() or 1})
    with tempfile.TemporaryDirectory() as folder:
        found = {
            (seed, cores): score(options.generations, options.knowledge, Path(folder), seed, cores)
            for seed in options.seeds
            for cores in counts
        }
    for (seed, cores), content in found.items():
        print(f"hash seed {seed}, cores {cores}: {sha256(content).hexdigest()[:16]}, {len(content)} bytes")
    different = len(set(found.values()))
    print(f"{len(found)} runs, {different} different report{'s' if different > 1 else ''}")
    return 0 if different == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
