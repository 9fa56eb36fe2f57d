"""Feeds the parsers what no caller would, and keeps what breaks them.

    python -m factscore_chain.evals.bench.fuzz [--target NAME ...] [--seconds 30] [--keep FOLDER]

Targets: verdicts and lists of facts as models reply them, sentences, rows of generations, knowledge files,
and caches of the original package. Inputs come from atheris, guided by the code they reach (the extra
`fuzz`). A parser may refuse an input in our own words; anything else that it raises is a fault, and so is an
input that takes ten seconds or two gigabytes. Each target runs in a process of its own. Exit code 1 if one
was broken.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from factscore_chain.errors import FactScoreError, MissingExtraError

_RUNS = re.compile(r"Done (\d+) runs|stat::number_of_executed_units: (\d+)")
_LIMITS = ("-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1", "-verbosity=0")


def verdicts(data: bytes) -> None:
    """A judge's reply."""
    from factscore_chain.values import Verdict
    from factscore_chain.verify.verdict_reading import read_verdict

    reading = read_verdict(data.decode("utf-8", "surrogateescape"))
    if (reading.cause is None) is (reading.verdict is Verdict.UNDECIDED):
        raise AssertionError("a verdict has a cause, or none has no cause")


def facts(data: bytes) -> None:
    """A decomposer's reply."""
    from factscore_chain.decompose.reading import read_facts

    reading = read_facts(data.decode("utf-8", "surrogateescape"))
    if not all(fact.strip() for fact in reading.facts):
        raise AssertionError("a fact is empty")


def sentences(data: bytes) -> None:
    """A generation."""
    from factscore_chain.decompose.sentences import split_sentences

    text = data.decode("utf-8", "surrogateescape")
    if any(text[slice(*one.span)] != one.text or not one.text.strip() for one in split_sentences(text)):
        raise AssertionError("a sentence is not what stands at its place")


def rows(data: bytes) -> None:
    """A file of generations."""
    from factscore_chain.generation_files import parse_rows

    with suppress(FactScoreError):
        parse_rows("rows", data.decode("utf-8", "surrogateescape").split("\n"))


def knowledge(data: bytes) -> None:
    """A knowledge source that is to be registered or opened."""
    from factscore_chain.retrievers.knowledge import KnowledgeSource

    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "in.jsonl"
        given.write_bytes(data)
        with suppress(FactScoreError):
            KnowledgeSource.build(given, Path(folder) / "in.db").close()
        database = Path(folder) / "given.db"
        database.write_bytes(b"SQLite format 3\0" + data)
        with suppress(FactScoreError):
            KnowledgeSource(database).close()


def caches(data: bytes) -> None:
    """A pickled cache of the original package."""
    from factscore_chain.original.pickles import load_plain

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache.pkl"
        path.write_bytes(data)
        with suppress(FactScoreError):
            load_plain(path)


TARGETS: dict[str, Callable[[bytes], None]] = {
    one.__name__: one for one in (verdicts, facts, sentences, rows, knowledge, caches)
}
SEEDS: dict[str, tuple[bytes, ...]] = {
    "verdicts": (
        b"True [1]",
        b"**Answer:** False.",
        b'```json\n{"verdict": "True"}\n```',
        b"<think>a</think>No",
    ),
    "facts": (b"- He was born.\n- He died.", b'{"facts": ["a", "b"]}', b"1. One fact.\n2. Another."),
    "sentences": (b"Dr. A. B. Codd sat. He left!", b"# T\n- a: b\n|x|y|\n|--|--|\n|1|2|\n```\nz\n```"),
    "rows": (b'{"output": "a", "topic": "b", "facts": ["c"]}', b'{"output": "a"}\n[]\n{'),
    "knowledge": (b'{"title": "a", "text": ["b", "c"], "redirects": ["d"]}\n{"title": "e", "text": "f"}',),
    "caches": (b"\x80\x04}\x94\x8c\x01a\x8c\x01bs.", b"(dp0\nS'a'\nI1\ns.", b"\x80\x02]q\x00(K\x01K\x02e."),
}


def fuzz(target: str, seconds: int, keep: Path) -> tuple[int, int]:
    """Runs one target in a process of its own; gives the inputs tried and the process's exit code."""
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(SEEDS[target]):
            (Path(corpus) / str(number)).write_bytes(seed)
        limits = [f"-max_total_time={seconds}", f"-artifact_prefix={keep}/{target}-", *_LIMITS]
        command = [sys.executable, "-m", __spec__.name, "--inside", target, *limits, corpus]
        run = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    counts = [int(a or b) for a, b in _RUNS.findall(run.stderr + run.stdout)]
    if run.returncode:
        print((run.stdout + run.stderr)[-2000:], file=sys.stderr)
    return max(counts, default=0), run.returncode


def _inside(target: str, arguments: Sequence[str]) -> None:
    """Hands this process over to atheris, which ends it."""
    import atheris

    with atheris.instrument_imports(include=["factscore_chain"]), suppress(Exception):
        TARGETS[target](SEEDS[target][0])  # what it imports is to be watched too
    atheris.Setup([sys.argv[0], *arguments], TARGETS[target])
    atheris.Fuzz()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the fuzzer; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["--inside"]:
        _inside(given[1], given[2:])
    parser = argparse.ArgumentParser(description="Fuzzes the parsers, each in a process of its own.")
    parser.add_argument("--target", nargs="+", choices=TARGETS, default=list(TARGETS), help="default: all")
    parser.add_argument("--seconds", type=int, default=30, metavar="N", help="for each (default: 30)")
    parser.add_argument("--keep", type=Path, default=Path(), metavar="FOLDER", help="inputs that broke one")
    options = parser.parse_args(given)
    try:
        import atheris  # noqa: F401
    except ImportError:
        print(f"fuzz: {MissingExtraError('Fuzzing', 'fuzz')}", file=sys.stderr)
        return 2
    broken = False
    for target in options.target:
        options.keep.mkdir(parents=True, exist_ok=True)
        tried, code = fuzz(target, options.seconds, options.keep)
        broken |= code != 0
        print(
            f"{target}: {tried} inputs tried, {'broken, see above' if code else 'none broke it'}", flush=True
        )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
