"""How fast a knowledge source is registered, and in how much memory.

    python -m factscore_chain.evals.bench.register [--passages 100000] [--json]
    python -m factscore_chain.evals.bench.register --jsonl FILE

Without a file of documents it makes one: articles of some thirty passages, whose paragraphs are sentences
drawn at random from real summaries (`vital_articles/summaries_en-us.json.gz` in $FACTSCORE_DATA). Sentences
repeat, so such text is easier on the disk than real text of that size; it is no easier to tokenize. A tenth
of it is registered first: memory is flat if both take about the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from factscore_chain.errors import UsageError
from factscore_chain.retrievers.knowledge import KnowledgeSource

SUMMARIES = Path("vital_articles") / "summaries_en-us.json.gz"
_PARAGRAPHS = 40
_PASSAGES = 30.7
"""Of an article of so many paragraphs, on average."""
_SENTENCES = (2, 8)


def articles(summaries: Path, passages: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Makes articles that hold about so many passages in all."""
    from sentencex import segment

    with gzip.open(summaries, "rt", encoding="utf-8") as file:
        texts = [row["extract"] for row in json.load(file).values()]
    sentences = [part.strip() for text in texts for part in segment("en", text) if part.strip()]
    rng = random.Random(seed)
    for i in range(max(1, round(passages / _PASSAGES))):
        paragraphs = [
            " ".join(rng.choices(sentences, k=rng.randint(*_SENTENCES))) for _ in range(_PARAGRAPHS)
        ]
        yield {"title": f"{' '.join(sentences[i % len(sentences)].split()[:3])} ({i})", "text": paragraphs}


def measure(jsonl: Path, out: Path) -> dict[str, float]:
    """Registers a file in this process, which should do nothing else."""
    before = _peak_memory()
    start = time.perf_counter()
    with KnowledgeSource.build(jsonl, out, progress=False) as source:
        seconds = time.perf_counter() - start
        megabytes = jsonl.stat().st_size / 1e6
        passages = source.passage_count or 0
        return {
            "documents": source.document_count,
            "passages": passages,
            "megabytes": round(megabytes, 1),
            "seconds": round(seconds, 1),
            "passages_per_second": round(passages / seconds, 1),
            "megabytes_per_second": round(megabytes / seconds, 2),
            "source_megabytes": round(out.stat().st_size / 1e6, 1),
            "start_memory_mb": round(before, 1),
            "peak_memory_mb": round(_peak_memory(), 1),
        }


def measure_apart(jsonl: Path, out: Path) -> dict[str, float]:
    """Registers a file in a process of its own, whose peak memory is nobody else's."""
    command = [
        sys.executable,
        "-m",
        __spec__.name if __spec__ else __name__,
        "--measure",
        str(jsonl),
        str(out),
    ]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def run(jsonl: Path | None, passages: int) -> list[dict[str, float]]:
    """Measures one file, or two made ones of a tenth of the passages and of all."""
    with tempfile.TemporaryDirectory() as folder:
        if jsonl is not None:
            return [measure_apart(jsonl, Path(folder) / "source.db")]
        summaries = _summaries()
        results = []
        for count in (passages // 10, passages):
            made, out = Path(folder) / f"{count}.jsonl", Path(folder) / f"{count}.db"
            with made.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in articles(summaries, count))
            results.append(measure_apart(made, out))
        return results


def _line(found: dict[str, float]) -> str:
    return (
        f"{found['passages']:,.0f} passages of {found['documents']:,.0f} documents, "
        f"{found['megabytes']:.1f} MB: {found['seconds']:.1f} s, "
        f"{found['passages_per_second']:,.0f} passages/s, {found['megabytes_per_second']:.2f} MB/s, "
        f"peak memory {found['peak_memory_mb']:.0f} MB ({found['start_memory_mb']:.0f} MB before), "
        f"source {found['source_megabytes']:.1f} MB"
    )


def _summaries() -> Path:
    folder = os.environ.get("FACTSCORE_DATA")
    if not folder:
        raise UsageError("Set FACTSCORE_DATA to the folder of benchmark data, or give --jsonl FILE.")
    path = Path(folder) / SUMMARIES
    if not path.is_file():
        raise UsageError(f"There is no file {path} to make text from. Give --jsonl FILE.")
    return path


def _peak_memory() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Measures the registration of a knowledge source.")
    parser.add_argument(
        "--passages", type=int, default=100_000, help="about how many to make (default: 100000)"
    )
    parser.add_argument("--jsonl", type=Path, help="documents to register instead of made ones")
    parser.add_argument("--json", action="store_true", help="print an object instead of lines")
    parser.add_argument("--measure", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return 0
    try:
        results = run(options.jsonl, options.passages)
    except UsageError as error:
        print(f"register: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({"registrations": results}, indent=2))
        return 0
    for found in results:
        print(_line(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
