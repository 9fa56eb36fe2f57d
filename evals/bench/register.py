"""How fast a knowledge source is registered, and in how much memory; and the published way on the same file.

    python -m factscore_chain.evals.bench.register [--passages 20000] [--workers 1 2] [--published] [--json]
    python -m factscore_chain.evals.bench.register --jsonl FILE

Without a file of documents it makes one: articles of some thirty passages, whose paragraphs are sentences
drawn at random from real summaries (`vital_articles/summaries_en-us.json.gz` in $FACTSCORE_DATA). Sentences
repeat, so such text is easier on the disk than real text of that size, and its words are soon all known; the
tokenizer of the published way remembers words as well. Every registration has processes of its own. Memory is
flat if a file of a tenth of the size, which is registered first, takes about as much.

`--published` needs transformers before version 5 (`published_registration.py`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from factscore_chain.errors import FactScoreError, UsageError
from factscore_chain.evals.bench.machine import machine, machine_line
from factscore_chain.evals.bench.memory import peak_memory_mb
from factscore_chain.evals.bench.published_registration import load_tokenizer, train_tokenizer
from factscore_chain.evals.bench.published_registration import register as register_published
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.workers import checked_workers

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


def measure(jsonl: Path, out: Path, workers: int) -> dict[str, Any]:
    """Registers a file in this process, which should do nothing else; by 0 workers, in the published way."""
    tokenizer = load_tokenizer(jsonl.parent) if workers == 0 else None
    before, used, start = peak_memory_mb(), _processor_seconds(), time.perf_counter()
    if tokenizer is not None:
        passages = register_published(jsonl, out, tokenizer)
    else:
        with KnowledgeSource.build(jsonl, out, progress=False, workers=workers) as source:
            passages = source.passage_count or 0
    seconds = time.perf_counter() - start
    processor = _processor_seconds() - used
    megabytes = jsonl.stat().st_size / 1e6
    return {
        "way": "published" if workers == 0 else f"{workers} workers",
        "passages": passages,
        "megabytes": round(megabytes, 1),
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "megabytes_per_second": round(megabytes / seconds, 2),
        "megabytes_per_processor_second": round(megabytes / processor, 2),
        "source_megabytes": round(out.stat().st_size / 1e6, 1),
        "start_memory_mb": round(before, 1),
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "peak_memory_of_a_worker_mb": round(peak_memory_mb(resource.RUSAGE_CHILDREN), 1),
    }


def _processor_seconds() -> float:
    """What this process and those that it started and saw end have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure_apart(jsonl: Path, out: Path, workers: int) -> dict[str, Any]:
    """Registers a file in a process of its own, whose peak memory is nobody else's."""
    name = __spec__.name if __spec__ else __name__
    command = [sys.executable, "-m", name, "--measure", str(jsonl), str(out), "--workers", str(workers)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def run(jsonl: Path | None, passages: int, workers: Sequence[int], published: bool) -> dict[str, Any]:
    """Measures one file by each number of workers, and if asked in the published way.

    A made file is preceded by one of a tenth of its size.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [jsonl] if jsonl is not None else _made(Path(folder), passages)
        if published:
            train_tokenizer(files[-1], Path(folder))
            copy = Path(folder) / "documents.jsonl"
            if files[-1].parent != copy.parent:
                files = [copy.parent / shutil.copyfile(files[-1], copy).name]
        results = [
            measure_apart(file, Path(folder) / f"{number}-{count}.db", count)
            for number, file in enumerate(files)
            for count in workers
        ]
        if published:
            results.append(measure_apart(files[-1], Path(folder) / "published.db", 0))
        used = {name: version(name) for name in ("tokenizers", *(["transformers"] if published else []))}
        return {"machine": machine(), "versions": used, "registrations": results, **_ratios(results)}


def _made(folder: Path, passages: int) -> list[Path]:
    files = []
    for count in (passages // 10, passages):
        files.append(folder / f"{count}.jsonl")
        with files[-1].open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in articles(_summaries(), count))
    return files


def _ratios(results: Sequence[dict[str, Any]]) -> dict[str, float]:
    """How many times as fast as the published way the fastest of ours is, by clock and by processor."""
    published = [one for one in results if one["way"] == "published"]
    if not published:
        return {}
    ours = [one for one in results[:-1] if one["megabytes"] == published[0]["megabytes"]]
    return {
        f"times_{measure}": round(max(one[measure] for one in ours) / published[0][measure], 1)
        for measure in ("megabytes_per_second", "megabytes_per_processor_second")
    }


def table(found: dict[str, Any]) -> str:
    """The figures as a table."""
    lines = [
        "| way | MB | passages | s | MB/s | MB per processor second | peak memory, MB | of a worker, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one['way']} | {one['megabytes']} | {one['passages']:,} | {one['seconds']} "
        f"| {one['megabytes_per_second']} | {one['megabytes_per_processor_second']} "
        f"| {one['peak_memory_mb']:.0f} | {one['peak_memory_of_a_worker_mb']:.0f} |"
        for one in found["registrations"]
    ]
    if "times_megabytes_per_second" in found:
        lines += [
            "",
            f"against the published way: {found['times_megabytes_per_second']} times by the clock, "
            f"{found['times_megabytes_per_processor_second']} times by the processor",
        ]
    return "\n".join([*lines, "", f"{machine_line()}, {found['versions']}"])


def _summaries() -> Path:
    folder = os.environ.get("FACTSCORE_DATA")
    if not folder:
        raise UsageError("Set FACTSCORE_DATA to the folder of benchmark data, or give --jsonl FILE.")
    path = Path(folder) / SUMMARIES
    if not path.is_file():
        raise UsageError(f"There is no file {path} to make text from. Give --jsonl FILE.")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Measures the registration of a knowledge source.")
    parser.add_argument(
        "--passages", type=int, default=20_000, help="about how many to make (default: 20000)"
    )
    parser.add_argument("--jsonl", type=Path, help="documents to register instead of made ones")
    parser.add_argument("--workers", type=int, nargs="+", help="processes (default: 1, and one a core)")
    parser.add_argument("--published", action="store_true", help="measure the published way as well")
    parser.add_argument("--json", action="store_true", help="print an object instead of a table")
    parser.add_argument("--measure", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    workers = options.workers or sorted({1, checked_workers(None)})
    try:
        if options.measure:
            jsonl, out = options.measure
            print(json.dumps(measure(jsonl, out, workers[0])))
            return 0
        found = run(options.jsonl, options.passages, workers, options.published)
    except FactScoreError as error:
        print(f"register: {error}", file=sys.stderr)
        return 2
    print(json.dumps(found, indent=2) if options.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
