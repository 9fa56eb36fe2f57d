"""Time, calls and tokens of a generation, against the published protocol that makes one call at a time.

    python -m factscore_chain.evals.bench.run_speed [--data FOLDER] [--system ChatGPT] [--limit 8]

FOLDER holds `pages.jsonl`, `demons.json` (the published demonstrations) and `labeled/SYSTEM.jsonl`; by
default it is `factscore` in $FACTSCORE_DATA. Every way asks the same model server, in a process of its own,
that takes a fixed time for each token, keeps what prompts begin with, and gives the facts that people found
in a sentence (`model_server.py`). It begins anew for every way. Knowledge is registered before the clock
starts, and the pages' passages are embedded; nothing that was asked is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import FactScoreError
from factscore_chain.evals.bench.machine import machine, machine_line
from factscore_chain.evals.decomposition import read_human_sentences
from factscore_chain.generation_files import parse_rows
from factscore_chain.language_model import LanguageModel, init_model
from factscore_chain.original.documents import DocDB
from factscore_chain.original.passages import BM25
from factscore_chain.original.published import published_chain, published_decomposer
from factscore_chain.original.setup import Setup, open_knowledge
from factscore_chain.original.store import AnswerStore
from factscore_chain.published_names import parse_model_name
from factscore_chain.report import Report
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.values import Generation

ORIGINAL = "original, 1 at a time"
AT_ONCE = (1, 4, 16)


class ModelServer:
    """The server's process."""

    def __init__(self, url: str) -> None:
        self.url = url

    def counts(self) -> dict[str, int]:
        """What was asked since it began anew."""
        with urllib.request.urlopen(self._counts, timeout=60) as reply:  # noqa: S310  on this machine
            found: dict[str, int] = json.load(reply)
        return found

    def begin_anew(self) -> None:
        """Has it forget everything."""
        request = urllib.request.Request(self._counts, data=b"", method="POST")  # noqa: S310
        urllib.request.urlopen(request, timeout=60).close()  # noqa: S310

    @property
    def _counts(self) -> str:
        return self.url.removesuffix("/v1") + "/counts"

    def model(self, concurrency: int) -> LanguageModel:
        """A model that answers there."""
        chat = init_model("openai:stand-in", base_url=self.url, api_key="none")
        return LanguageModel(chat, concurrency=concurrency)


@contextmanager
def model_server(facts: Path, read: float, write: float) -> Iterator[ModelServer]:
    """Starts a server, and ends it.

    Args:
        facts: JSON, sentence to facts.
        read: Seconds for a token of a prompt.
        write: Seconds for a token of a reply.
    """
    command = [sys.executable, "-m", "factscore_chain.evals.bench.model_server"]
    options = ["--facts", str(facts), "--read", str(read), "--write", str(write)]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise AssertionError("its output is a pipe")
            yield ModelServer(process.stdout.readline().strip())
        finally:
            process.terminate()


@dataclass(frozen=True)
class Task:
    """What is scored, by what."""

    generations: tuple[Generation, ...]
    pages: Path
    demonstrations: Path
    facts: Path


def read_task(folder: Path, system: str, limit: int, scratch: Path) -> Task:
    """Reads generations, and writes the facts that the server is to give.

    Raises:
        UsageError: A file is missing, or is something else.
    """
    labeled = folder / "labeled" / f"{system}.jsonl"
    sentences, _ = read_human_sentences(labeled)
    with_facts = {one.topic for one in sentences}
    rows = parse_rows(labeled.name, labeled.read_text(encoding="utf-8").splitlines())
    chosen = [one for one in rows.generations if one.topic in with_facts][:limit]
    facts: dict[str, list[str]] = {}
    for sentence in sentences:
        facts.setdefault(" ".join(sentence.text.split()), []).extend(sentence.human)
    kept = scratch / "facts.json"
    kept.write_text(json.dumps(facts), encoding="utf-8")
    return Task(
        tuple(Generation(one.text, one.topic) for one in chosen),
        folder / "pages.jsonl",
        folder / "demons.json",
        kept,
    )


def run_task(
    name: str,
    options: argparse.Namespace,
    measure: Callable[[Task, argparse.Namespace, Path], dict[str, Any]],
    lines: Callable[[dict[str, Any]], list[str]],
) -> int:
    """Reads the task that the arguments name, measures and prints; returns the exit code.

    Args:
        name: The command's, before what goes wrong.
        options: Its arguments, among them those of `add_task_arguments`, and `data`.
        measure: Given the task, the arguments and a folder for files.
        lines: What was measured, for people.
    """
    folder = options.data or Path(os.environ.get("FACTSCORE_DATA", "."), "factscore")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            task = read_task(folder, options.system, options.limit, Path(scratch))
            found = measure(task, options, Path(scratch))
        except (FactScoreError, OSError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
    print(json.dumps(found) if options.json else "\n".join(lines(found)))
    return 0


def add_task_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares which generations are scored, how fast the server is, and how figures are printed."""
    parser.add_argument("--system", default="ChatGPT", help="whose generations (default: ChatGPT)")
    parser.add_argument("--limit", type=int, default=8, metavar="N", help="generations (default: 8)")
    parser.add_argument("--read", type=float, default=0.0002, metavar="SECONDS", help="for a token read anew")
    parser.add_argument("--write", type=float, default=0.02, metavar="SECONDS", help="for a token written")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def original(task: Task, server: ModelServer, scratch: Path) -> Callable[[], Report]:
    """The published protocol with BM25, one call at a time, made ready before the clock starts."""
    data = scratch / "original"
    (data / "demos").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(task.demonstrations, data / "demos/demons.json")
    cache = Path(tempfile.mkdtemp(dir=scratch))
    setup = Setup(
        parse_model_name("retrieval+ChatGPT"),
        data_dir=data,
        model_dir=data,
        cache_dir=cache,
        key_path="",
        store=AnswerStore(cache / "answers.db"),
        llm=server.model(1),
        retrieval_type=BM25,
    )
    knowledge = open_knowledge("pages", DocDB(data / "pages.db", task.pages), setup)
    chain = published_chain(setup, knowledge, "pages", published_decomposer(setup), gamma=10)
    return lambda: chain.score_many(task.generations)


def ours(task: Task, server: ModelServer, concurrency: int) -> Callable[[], Report]:
    """The default estimator with a chat model."""
    retriever = as_retriever(task.pages)
    for topic in dict.fromkeys(one.topic for one in task.generations):
        retriever.invoke("born", topic=topic)
    chain = FactScoreChain(retriever, llm=server.model(concurrency))
    return lambda: chain.score_many(task.generations)


def measure(run: Callable[[], Report], server: ModelServer) -> dict[str, Any]:
    """One way's figures, all but the last of a generation."""
    server.begin_anew()
    began, used = time.perf_counter(), time.process_time()
    report = run()
    seconds, used = time.perf_counter() - began, time.process_time() - used
    counts, number = server.counts(), len(report.generations)
    uncached = counts["prompt_tokens"] - counts["cached_tokens"]
    return {
        "seconds": round(seconds / number, 3),
        "own_cpu_seconds": round(used / number, 3),
        "calls": round(counts["calls"] / number, 1),
        "facts": round(report.counts.facts / number, 1),
        "prompt_tokens": round(counts["prompt_tokens"] / number),
        "uncached_tokens": round(uncached / number),
        "completion_tokens": round(counts["completion_tokens"] / number),
        "most_in_flight": counts["most_in_flight"],
    }


def compare(task: Task, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """The figures of every way, and how the others compare with the published protocol."""
    with model_server(task.facts, options.read, options.write) as server:
        ways = {ORIGINAL: measure(original(task, server, scratch), server)}
        for number in options.concurrency:
            ways[f"ours, {number} at once"] = measure(ours(task, server, number), server)
    first = ways[ORIGINAL]
    for way in ways.values():
        way["times_faster"] = round(first["seconds"] / way["seconds"], 1)
        way["uncached_of_original"] = round(way["uncached_tokens"] / first["prompt_tokens"], 3)
        way["uncached_share"] = round(way["uncached_tokens"] / way["prompt_tokens"], 3)
    return {
        "generations": len(task.generations),
        "seconds_a_token": {"read": options.read, "write": options.write},
        "ways": ways,
        "machine": machine(),
    }


def lines(found: dict[str, Any]) -> list[str]:
    """The figures as a table."""
    second = found["seconds_a_token"]
    return [
        f"{found['generations']} generations; {1000 * second['read']:g} ms a token that is read anew, "
        f"{1000 * second['write']:g} ms a token that is written; {machine_line()}",
        f"{'':22}{'seconds':>8}{'faster':>8}{'calls':>7}{'facts':>7}{'prompt':>9}{'anew':>8}{'of own':>8}"
        f"{'of original':>12}{'written':>9}",
        *(
            f"{name:22}{way['seconds']:>8.2f}{way['times_faster']:>7.1f}x{way['calls']:>7.1f}{way['facts']:>7.1f}"
            f"{way['prompt_tokens']:>9}{way['uncached_tokens']:>8}{way['uncached_share']:>8.0%}"
            f"{way['uncached_of_original']:>12.0%}{way['completion_tokens']:>9}"
            for name, way in found["ways"].items()
        ),
        "all of a generation; anew are the prompt tokens that the server had not kept, as a share of its own "
        "prompt tokens and of those of the published protocol",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; returns the exit code."""
    return run_task("run_speed", _parser().parse_args(arguments), compare, lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Times a run against the published protocol.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl, demons.json, labeled/")
    add_task_arguments(parser)
    parser.add_argument(
        "--concurrency", type=int, nargs="+", default=AT_ONCE, metavar="N", help="calls at once (1 4 16)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
