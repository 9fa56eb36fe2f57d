"""How long a search takes among 10 thousand, 100 thousand and a million passages, and whether it is exact.

    python -m factscore_chain.evals.bench.search [--sizes 10000 100000 1000000] [--folder FOLDER] [--json]

Passages are made, with words as frequent as in real text (`corpus.py`). A query is twelve neighbouring words
of some passage, two of them replaced by other ones, as a fact is nearly what a page says; one in two of those
over the whole source names the page's title too. No query comes twice. With a topic, the page is one that was
not asked about before, so nothing of it is in memory.

Exactness: the five best by the search against the five best by scores of all passages, without any pruning.
Growth is the slope of the logarithm of the median over that of the number of passages. Where other work runs
on the machine, the processor's time is what the search takes, and the clock's what it had to wait as well.
With `--folder` the sources are kept, and not made again.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from factscore_chain.evals.bench.corpus import Corpus
from factscore_chain.evals.bench.machine import machine, machine_line
from factscore_chain.evals.bench.memory import peak_memory_mb
from factscore_chain.retrievers import schema
from factscore_chain.retrievers.documents import passage_id
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.postings import unpack
from factscore_chain.retrievers.tokenize import tokens
from factscore_chain.retrievers.word_search import K1, B

_SIZES = (10_000, 100_000, 1_000_000)
_K = 5
_FACT = 12


def make_source(passages: int, folder: Path) -> Path:
    """Registers made documents; a source that is there already is left as it is."""
    out = folder / f"made-{passages}.db"
    if not out.exists():
        rows = folder / f"made-{passages}.jsonl"
        with rows.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in Corpus().documents(passages))
        KnowledgeSource.build(rows, out, progress=False).close()
        rows.unlink()
    return out


def make_queries(path: Path, count: int, seed: int) -> list[tuple[str, str]]:
    """Queries with the titles of the pages that they are about, each page once."""
    rng, corpus, found = random.Random(seed), Corpus(seed), []
    with closing(sqlite3.connect(path)) as connection:
        documents = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
        for number in rng.sample(range(1, documents + 1), min(count, documents)):
            sql = "SELECT title, first, count FROM documents WHERE id = ?"
            title, first, size = connection.execute(sql, (number,)).fetchone()
            chosen = first + rng.randrange(size)
            text = connection.execute("SELECT text FROM passages WHERE id = ?", (chosen,)).fetchone()[0]
            words = text.split()
            start = rng.randrange(max(1, len(words) - _FACT))
            fact = words[start : start + _FACT]
            for place in rng.sample(range(len(fact)), 2):
                fact[place] = corpus.words(corpus.ranks(1))[0]
            found.append((" ".join(fact), title))
    return found


def exhaustive(path: Path, query: str, k: int) -> list[tuple[str, float]]:
    """Ids and scores of the best passages by scores of all of them."""
    with closing(sqlite3.connect(path)) as connection:
        meta = schema.read_meta(connection)
        blocks = connection.execute("SELECT block, data FROM lengths ORDER BY block").fetchall()
        lengths = np.concatenate([np.frombuffer(data, dtype="<u2") for _, data in blocks]).astype(float)
        norms = K1 * (1 - B + B * lengths / (int(meta["words"]) / len(lengths)))
        scores = np.zeros(len(lengths))
        for term in dict.fromkeys(tokens(query)):
            sql = "SELECT block, size, data FROM postings WHERE block = ? AND word = ?"
            rows = [row for block, _ in blocks for row in connection.execute(sql, (block, term))]
            having = sum(size for _, size, _ in rows)
            weight = math.log1p((len(lengths) - having + 0.5) / (having + 0.5)) * (K1 + 1)
            for block, size, data in rows:
                local, counts = unpack(size, data)
                places = local.astype(np.int64) + block * schema.BLOCK
                scores[places] += weight * counts / (counts + norms[places])
        best = np.argsort(-scores, kind="stable")[:k]
        sql = "SELECT d.title, p.text FROM passages p JOIN documents d ON d.id = p.document WHERE p.id = ?"
        found = [(connection.execute(sql, (int(i),)).fetchone(), float(scores[i])) for i in best]
        return [(passage_id(*row), score) for row, score in found if score > 0]


def measure(path: Path, asked: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Times searches in this process, which should do nothing else."""
    before = peak_memory_mb()
    whole, within = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    with KnowledgeSource(path) as source:
        retriever = KnowledgeRetriever(source=source, mode="bm25", k=_K)
        everywhere = [f"{title} {fact}" if i % 2 else fact for i, (fact, title) in enumerate(whole)]
        times = _timed([partial(source.search, query, _K) for query in everywhere])
        of_topic = _timed([partial(retriever.rank_many, [fact], title) for fact, title in within])
        peak = peak_memory_mb()
        same = _agreement(path, source, everywhere[:: max(1, len(everywhere) // 40)])
        return {
            "passages": source.passage_count,
            "documents": source.document_count,
            "source_megabytes": round(path.stat().st_size / 1e6, 1),
            "whole_source_ms": times,
            "topic_ms": of_topic,
            "top_5_overlap_with_exhaustive": same,
            "start_memory_mb": round(before, 1),
            "peak_memory_mb": round(peak, 1),
        }


def _timed(searches: Sequence[Callable[[], object]]) -> dict[str, float]:
    taken, used = [], []
    for search in searches:
        start, began = time.perf_counter(), time.process_time()
        search()
        taken.append(1000 * (time.perf_counter() - start))
        used.append(1000 * (time.process_time() - began))
    ordered = sorted(taken)
    return {
        "first": round(taken[0], 2),
        "median": round(statistics.median(taken), 2),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 2),
        "processor_median": round(statistics.median(used), 2),
        "searches": len(taken),
    }


def _agreement(path: Path, source: KnowledgeSource, queries: Sequence[str]) -> float:
    shares = []
    for query in queries:
        expected = {key for key, _ in exhaustive(path, query, _K)}
        found = {passage.id for passage in source.search(query, _K)}
        shares.append(len(found & expected) / max(1, len(expected)))
    return round(statistics.fmean(shares), 4)


def growth(sizes: Sequence[int], medians: Sequence[float]) -> float | None:
    """The exponent by which a time grows with the number of passages; None for fewer than two sizes."""
    if len(set(sizes)) < 2:
        return None
    slope, _ = statistics.linear_regression([math.log(n) for n in sizes], [math.log(ms) for ms in medians])
    return round(slope, 3)


def run(sizes: Sequence[int], queries: int, folder: Path) -> dict[str, Any]:
    """Measures each size in a process of its own."""
    found = []
    for size in sizes:
        path = make_source(size, folder)
        asked = json.dumps(make_queries(path, 2 * queries, seed=1))
        name = __spec__.name if __spec__ else __name__
        command = [sys.executable, "-m", name, "--measure", str(path)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, input=asked)
        found.append(json.loads(done.stdout))
    counts = [one["passages"] for one in found]
    exponents = {
        f"growth_{kind}_by_{clock}": growth(counts, [one[f"{kind}_ms"][clock] for one in found])
        for kind in ("whole_source", "topic")
        for clock in ("median", "processor_median")
    }
    return {"machine": machine(), "sqlite": sqlite3.sqlite_version, "sources": found, **exponents}


def table(found: dict[str, Any]) -> str:
    """The figures as a table."""
    lines = [
        "| passages | documents | whole source: median ms | processor ms | p95 ms "
        "| with a topic: median ms | processor ms | p95 ms | top 5 as exhaustive | peak memory, MB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in found["sources"]:
        times = " | ".join(
            f"{one[kind]['median']} | {one[kind]['processor_median']} | {one[kind]['p95']}"
            for kind in ("whole_source_ms", "topic_ms")
        )
        lines.append(
            f"| {one['passages']:,} | {one['documents']:,} | {times} "
            f"| {one['top_5_overlap_with_exhaustive']:.1%} | {one['peak_memory_mb']:.0f} |"
        )
    growths = ", ".join(
        f"{kind.replace('_', ' ')} n^{found[f'growth_{kind}_by_median']} by the clock and "
        f"n^{found[f'growth_{kind}_by_processor_median']} by the processor"
        for kind in ("whole_source", "topic")
    )
    return "\n".join([*lines, "", f"growth: {growths}", f"{machine_line()}, SQLite {sqlite3.sqlite_version}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Times searches in sources of growing size.")
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES, metavar="N", help="passages")
    parser.add_argument("--queries", type=int, default=200, help="of each kind (default: 200)")
    parser.add_argument("--folder", type=Path, help="keep the sources here (default: none is kept)")
    parser.add_argument("--json", action="store_true", help="print an object instead of a table")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(options.measure, json.load(sys.stdin))))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        found = run(options.sizes, options.queries, folder)
    print(json.dumps(found, indent=2) if options.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
