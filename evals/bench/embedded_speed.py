"""How many facts a second the embedded verifier decides, and the memory it takes, against torch.

    python -m factscore_chain.evals.bench.embedded_speed [--data FOLDER] [--system ChatGPT] [--json]

FOLDER holds `pages.jsonl` and `labeled/SYSTEM.jsonl`; by default it is `factscore` in $FACTSCORE_DATA. Each
fact that people made of SYSTEM's texts gets its passages retrieved and is decided by them, generation by
generation; a topic's passages are embedded at the first of its facts. The source is registered, and one
generation decided, before the clock starts. Each row is a process of its own that may use so many cores. The
same networks under sentence-transformers and torch (`torch_engine.py`) follow where these are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from factscore_chain.cores import available_cores
from factscore_chain.encoder import EncoderEmbeddings
from factscore_chain.errors import FactScoreError, MissingExtraError, UsageError
from factscore_chain.evals.bench.machine import machine, machine_line
from factscore_chain.evals.judge import claims_of
from factscore_chain.evals.labeled import LabeledGeneration, read_labeled
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.opening import CACHE_VARIABLE, open_knowledge
from factscore_chain.verify.support import Support

ENGINES = ("onnxruntime", "torch")
HEAD = ("engine", "cores", "facts a second", "a processor second", "peak memory MB", "first generation s")
FIELDS = (
    *("engine", "cores", "facts_per_second", "facts_per_processor_second", "peak_memory_mb"),
    "seconds_of_first_generation",
)
_NOT_INSTALLED = 4
"""Exit code of a process whose engine is not there."""


def measure(
    generations: Sequence[LabeledGeneration], pages: Path, engine: str, k: int, facts: int
) -> dict[str, Any]:
    """Retrieves for and decides facts of whole generations, at least so many, in this process.

    Args:
        generations: The last with a page only loads the models.
        pages: The knowledge source.
        engine: One of `ENGINES`.
        k: Passages a fact.
        facts: After how many to stop.

    Raises:
        UsageError: There are fewer than two generations whose topic has a page.
        MissingExtraError: The engine is not installed.
    """
    support = _support(engine)
    retriever = KnowledgeRetriever(
        source=open_knowledge(pages), embeddings=EncoderEmbeddings(support.reader.encoder)
    )
    retrieval = Retrieval(retriever=retriever, k=k)
    clock = time.perf_counter()
    first = next(_decided(reversed(generations), retrieval, support), None)
    loading = time.perf_counter() - clock
    start, used, counts = time.perf_counter(), time.process_time(), []
    for decided in _decided(generations[:-1], retrieval, support):
        counts.append(decided)
        if sum(counts) >= facts:
            break
    seconds, used = time.perf_counter() - start, time.process_time() - used
    if first is None or not counts:
        raise UsageError(f"Fewer than two topics have a page in {pages}. Give the source of these topics.")
    return {
        "engine": engine,
        "cores": available_cores(),
        "facts": sum(counts),
        "generations": len(counts),
        "facts_per_second": round(sum(counts) / seconds, 1),
        "facts_per_processor_second": round(sum(counts) / used, 1),
        "peak_memory_mb": round(_peak_memory()),
        "seconds_of_first_generation": round(loading, 2),
    }


def _support(engine: str) -> Support:
    if engine == "onnxruntime":
        return Support()
    from factscore_chain.evals.bench.torch_engine import TorchSupport

    return TorchSupport()


def _decided(
    generations: Iterable[LabeledGeneration], retrieval: Retrieval, support: Support
) -> Iterator[int]:
    """Decides generation after generation, each as one batch; yields how many facts were decided."""
    for generation in generations:
        if claims := claims_of(generation, retrieval):
            support.probabilities([read for read in support.read(claims) if read])
            yield len(claims)


def _peak_memory() -> float:
    """Of this process, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def run_apart(engine: str, cores: int, options: argparse.Namespace, cache: Path) -> dict[str, Any] | None:
    """The same in a process that may use so many cores; None where the engine is not installed.

    Raises:
        FactScoreError: The process failed.
    """
    arguments = ["--data", str(options.data), "--system", options.system, "--k", str(options.k)]
    code = (
        "import os, sys; mine = getattr(os, 'sched_getaffinity', lambda _: [])(0); "
        f"mine and os.sched_setaffinity(0, sorted(mine)[:{cores}]); "
        "from factscore_chain.evals.bench.embedded_speed import main; sys.exit(main(sys.argv[1:]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--facts", str(options.facts), "--engine", engine],
        env={**os.environ, CACHE_VARIABLE: str(cache), "OMP_NUM_THREADS": str(cores)},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode == _NOT_INSTALLED:
        print(f"{engine} is left out: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    if run.returncode:
        raise FactScoreError(f"The process of {engine} on {cores} cores failed: {run.stderr[-500:]}")
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def compare(options: argparse.Namespace) -> dict[str, Any]:
    """Every engine on every number of cores."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            row
            for engine in ENGINES
            for cores in options.threads
            if (row := run_apart(engine, cores, options, Path(folder))) is not None
        ]
    return {"machine": machine(), "torch": torch_versions(), "k": options.k, "rows": rows}


def torch_versions() -> dict[str, str]:
    """Of what the engine "torch" runs on, as far as it is installed."""
    names = ("torch", "sentence-transformers", "transformers")
    return {name: version(name) for name in names if find_spec(name.replace("-", "_")) is not None}


def table(found: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    for row in found["rows"]:
        cells = (row[name] for name in FIELDS)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the measurement; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.data = options.data or benchmark_folder()
        if options.engine is not None:
            labeled = read_labeled(options.data / "labeled" / f"{options.system}.jsonl").generations
            pages = options.data / "pages.jsonl"
            print(json.dumps(measure(labeled, pages, options.engine, options.k, options.facts)))
            return 0
        found = compare(options)
    except FactScoreError as error:
        print(f"embedded_speed: {error}", file=sys.stderr)
        return _NOT_INSTALLED if isinstance(error, MissingExtraError) else 2
    if options.json:
        print(json.dumps(found))
        return 0
    first = found["rows"][0]
    print(f"{machine_line()}\n{first['facts']} facts of {first['generations']} generations, k={found['k']}\n")
    print(table(found))
    return 0


def benchmark_folder() -> Path:
    """The folder `factscore` of $FACTSCORE_DATA.

    Raises:
        UsageError: The variable is not set.
    """
    folder = os.environ.get("FACTSCORE_DATA")
    if not folder:
        raise UsageError("FACTSCORE_DATA names no folder of benchmark data. Set it, or give --data.")
    return Path(folder) / "factscore"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Times the embedded verifier on human facts.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl and labeled/")
    parser.add_argument("--system", default="ChatGPT", help="whose facts (default: ChatGPT)")
    parser.add_argument("--k", type=int, default=5, help="passages retrieved a fact (default: 5)")
    parser.add_argument("--facts", type=int, default=300, help="decide at least as many (default: 300)")
    parser.add_argument(
        "--threads", type=int, nargs="+", default=[1, 2], metavar="N", help="cores to use (default: 1 2)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--engine", choices=ENGINES, help="measure only this one, in this process, as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
