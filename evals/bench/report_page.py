"""How long a reader waits for the page of a long report, in Chromium.

    python -m factscore_chain.evals.bench.report_page [--facts 10000] [--json]

Makes reports of so many facts in four shapes, from many short generations to a single long one, each fact
with five passages, and prints for each: the size of the page, how long it takes to write, to be ready for
the reader, to filter by a verdict, to search and to open a fact. Times in the browser are medians, up to the
frame that shows the result; searching includes the pause that waits for more typing. Needs Chromium and its
driver.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from factscore_chain.errors import MissingExtraError, UsageError
from factscore_chain.evals.bench.chromium import start
from factscore_chain.html import render_html
from factscore_chain.manifest import now, versions
from factscore_chain.records import FactRecord
from factscore_chain.report import GenerationReport, Manifest, Report
from factscore_chain.score import aggregate
from factscore_chain.values import Passage, Span, Verdict

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_SHAPES = (20, 1_000, 1)
"""Facts a generation; the last shape has all facts in one."""
_PASSAGES, _RETRIEVED = 12, 5
_WORDS = (
    *("river", "stone", "winter", "letter", "garden", "bridge"),
    *("number", "silver", "window", "record", "island", "captain"),
)
_READY = "return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
_SHOWN = """
const [act, done] = [arguments[0], arguments[arguments.length - 1]];
const start = performance.now();
const shown = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
const watch = new MutationObserver(() => { watch.disconnect(); shown(); });
watch.observe(document.querySelector("#generations"), { childList: true, subtree: true });
new Function(act)();
"""
"""Milliseconds from an action to the end of the frame that shows what it changed."""
_FILTER = "document.querySelector('#filter [data-verdict=\"not_supported\"]').click()"
_UNFILTER = "document.querySelector('#filter [data-verdict=\"all\"]').click()"
_SEARCH = """
const search = document.querySelector("#search");
search.value = search.value ? "" : "silver window";
search.dispatchEvent(new Event("input"));
"""
_OPEN = "document.querySelector('.fact').click()"


@dataclass(frozen=True)
class Waits:
    """What a reader waits for, of one shape of report."""

    generations: int
    facts: int
    megabytes: float
    write_seconds: float
    ready_ms: float
    """From the start of loading until the page answers."""
    filter_ms: float
    unfilter_ms: float
    search_ms: float
    open_ms: float


def made_report(generations: int, facts: int, seed: int = 0) -> Report:
    """A report of random words, with so many facts in each generation."""
    rng = random.Random(seed)
    made = tuple(_generation(number, facts, rng) for number in range(generations))
    manifest = Manifest(
        created=now(),
        estimator="made",
        decomposer={},
        verifier={},
        knowledge={},
        retriever={},
        gamma=10.0,
        abstain="none",
        versions=versions(),
        usage={},
    )
    return Report.of(made, aggregate(one.tally for one in made), manifest)


def _generation(number: int, facts: int, rng: random.Random) -> GenerationReport:
    passages = [
        Passage(f"{number}-{i}", _text(rng, 120), f"Page {number}", rank=i + 1) for i in range(_PASSAGES)
    ]
    text = " ".join(_text(rng, 12) + "." for _ in range(facts))
    width = len(text) // facts
    made = tuple(_fact(i * width, rng, passages) for i in range(facts))
    return GenerationReport(topic=f"Topic {number}", text=text, status="scored", facts=made).rescored(10.0)


def _fact(start: int, rng: random.Random, passages: Sequence[Passage]) -> FactRecord:
    retrieved = tuple(rng.sample(passages, _RETRIEVED))
    return FactRecord(
        text=_text(rng, 8),
        span=Span(start, start + rng.randint(20, 90)),
        verdict=rng.choices(tuple(Verdict), (70, 20, 4, 4, 2))[0],
        probability=rng.random(),
        verifier="made",
        passages=retrieved,
        evidence=(retrieved[0].id,),
    )


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words))


@contextmanager
def _browser() -> Iterator[Chrome]:
    with tempfile.TemporaryDirectory() as profile:
        chrome = start(Path(profile))
        try:
            yield chrome
        finally:
            chrome.quit()


def measure(chrome: Chrome, path: Path, generations: int, facts: int, repeats: int) -> Waits:
    """Writes one report to `path` and reads it in the browser."""
    report = made_report(generations, facts)
    start = time.perf_counter()
    path.write_text(render_html(report), encoding="utf-8")
    written = time.perf_counter() - start
    ready = []
    for _ in range(repeats):
        chrome.get(path.as_uri())
        ready.append(float(chrome.execute_script(_READY)))
    rounds = [
        [
            float(chrome.execute_async_script(_SHOWN, act))
            for act in (_FILTER, _UNFILTER, _SEARCH, _SEARCH, _OPEN)
        ]
        for _ in range(repeats)
    ]
    filtered, unfiltered, searched, _, opened = (median(column) for column in zip(*rounds, strict=True))
    return Waits(
        generations=generations,
        facts=generations * facts,
        megabytes=path.stat().st_size / 1e6,
        write_seconds=written,
        ready_ms=median(ready),
        filter_ms=filtered,
        unfilter_ms=unfiltered,
        search_ms=searched,
        open_ms=opened,
    )


def run(facts: int, repeats: int = 5) -> list[Waits]:
    """Measures every shape of a report with so many facts."""
    shapes = [(max(1, facts // each), min(each, facts)) for each in (*_SHAPES, facts)]
    with tempfile.TemporaryDirectory() as folder, _browser() as chrome:
        return [
            measure(chrome, Path(folder) / "report.html", *shape, repeats) for shape in dict.fromkeys(shapes)
        ]


def _line(found: Waits) -> str:
    return (
        f"{found.generations:,} generations, {found.facts:,} facts: {found.megabytes:.1f} MB, "
        f"written in {found.write_seconds:.2f} s, ready in {found.ready_ms:.0f} ms, "
        f"filter {found.filter_ms:.0f} ms, all again {found.unfilter_ms:.0f} ms, "
        f"search {found.search_ms:.0f} ms, open a fact {found.open_ms:.0f} ms"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Measures the page of a long report in Chromium.")
    parser.add_argument("--facts", type=int, default=10_000, help="in each report (default: 10000)")
    parser.add_argument("--json", action="store_true", help="print an object instead of lines")
    options = parser.parse_args(arguments)
    try:
        found = run(options.facts)
    except (UsageError, MissingExtraError) as error:
        print(f"report_page: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({"reports": [asdict(one) for one in found]}, indent=2))
    else:
        print(*map(_line, found), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
