"""What a guardrail adds to the time of an answer, with the embedded estimator.

    python -m factscore_chain.evals.bench.guard_latency [--knowledge SOURCE.jsonl] [--rounds N]

An answer of about 150 words is checked by five passages of its topic's page, as a RAG chain would hand them
over. Every round takes other passages, made of the same page by putting its sentences in another order, and
what the decomposer keeps of sentences is dropped, so that nothing is known from the round before; the models
are loaded before the clock starts. The finished answer is checked by `TextChecker`. Of a stream it is the
time that each sentence waits for its check, once it is complete: passages are read ahead while the model
writes the first one, for which it gets `--lead` seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from factscore_chain.chain import FactScoreChain
from factscore_chain.cores import available_cores
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.tagger import load_tagger
from factscore_chain.errors import FactScoreError, UsageError
from factscore_chain.guard.check import CheckRequest, TextChecker
from factscore_chain.guard.evidence import CallEvidence, as_evidence
from factscore_chain.guard.gate import SentenceGate
from factscore_chain.guard.outcome import GuardOutcome
from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.retrievers.context import ContextOnly

WORDS = 150
PASSAGES = 5
WARM_UP = 3
"""Rounds before the clock starts."""


@dataclass(frozen=True)
class Case:
    """An answer and the page that it is about."""

    title: str
    answer: str
    sentences: tuple[str, ...]
    """Of the page."""

    def evidence(self, round_number: int) -> CallEvidence:
        """Five passages of the page, in an order of sentences that no other round has."""
        mixed = list(self.sentences)
        random.Random(round_number).shuffle(mixed)
        size = -(-len(mixed) // PASSAGES)
        parts = [" ".join(mixed[start : start + size]) for start in range(0, len(mixed), size)]
        return as_evidence([(self.title, part) for part in parts])


def read_case(knowledge: Path, title: str, words: int = WORDS) -> Case:
    """Makes an answer of the first sentences of a page, some of them with another year in it.

    Raises:
        UsageError: The file has no such page, or it is too short.
    """
    rows = [json.loads(line) for line in knowledge.read_text(encoding="utf-8").splitlines() if line.strip()]
    page = next((row for row in rows if row.get("title") == title), None)
    if page is None:
        raise UsageError(f"{knowledge} has no page {title!r}. Give the title of one.")
    text = page["text"] if isinstance(page["text"], str) else "\n".join(page["text"])
    sentences = tuple(one.text for one in split_sentences(text))
    answer: list[str] = []
    for number, sentence in enumerate(sentences):
        if sum(len(one.split()) for one in answer) >= words:
            break
        answer.append(sentence if number % 3 else sentence.replace("18", "17"))
    if sum(len(one.split()) for one in answer) < words:
        raise UsageError(f"The page {title!r} has fewer than {words} words. Give a longer one.")
    return Case(title, " ".join(answer), sentences)


class Timing(NamedTuple):
    """How long something took, in seconds."""

    wall: float
    processor: float
    """Of all threads together."""


class Clock:
    """Starts when it is made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def read(self) -> Timing:
        """The time since."""
        return Timing(time.perf_counter() - self._wall, time.process_time() - self._processor)


async def whole(checker: TextChecker, case: Case, rounds: int) -> list[Timing]:
    """What the check of the finished answer takes, in each round."""
    found = []
    for number in range(rounds):
        evidence = case.evidence(number)
        load_tagger().forget()
        clock = Clock()
        checked = await checker.ainvoke(CheckRequest(case.answer, None, evidence))
        found.append(clock.read())
        _require(checked.outcome)
    return found


async def by_sentence(checker: TextChecker, case: Case, rounds: int, lead: float) -> list[list[Timing]]:
    """What the check of each sentence of a stream takes, in each round."""
    found = []
    for number in range(rounds):
        # Other passages than those of the whole answer, which the models have read.
        gate = SentenceGate(checker, None, case.evidence(100_000 + number))
        load_tagger().forget()
        ahead = asyncio.create_task(gate.prepare())
        await asyncio.sleep(lead)
        waits = []
        bits = [gate.add(word + " ") for word in case.answer.split(" ")]
        for piece in (piece for pieces in [*bits, gate.finish()] for piece in pieces):
            clock = Clock()
            shown = [one async for one in gate.check([piece])]
            waits.append(clock.read())
            for one in shown:
                _require(one.outcome)
        await ahead
        found.append(waits)
    return found


def _require(outcome: GuardOutcome | None) -> None:
    """A check that failed took no time worth measuring."""
    if outcome is not None and outcome.error is not None:
        raise FactScoreError(f"A check of the measurement failed: {outcome.error}.")


def measure(case: Case, rounds: int, lead: float) -> dict[str, Any]:
    """Runs both, after a warm-up; figures are milliseconds."""
    checker = TextChecker(FactScoreChain(ContextOnly()), GuardPolicy(on_fail="annotate"))
    report = checker.check(case.answer, evidence=case.evidence(-1)).report

    async def run() -> tuple[list[Timing], list[list[Timing]]]:
        await by_sentence(checker, case, 1, lead)
        return await whole(checker, case, WARM_UP + rounds), await by_sentence(
            checker, case, 1 + rounds, lead
        )

    finished, streamed = asyncio.run(run())
    finished, streamed = finished[WARM_UP:], streamed[1:]
    return {
        "words": len(case.answer.split()),
        "sentences": len(streamed[0]),
        "facts": 0 if report is None else len(report.facts),
        "passages": len(case.evidence(0).context),
        "cores": available_cores(),
        "rounds": rounds,
        "the finished answer": _summary(finished),
        "one sentence of a stream": _summary([one for waits in streamed for one in waits]),
        "its first sentence": _summary([waits[0] for waits in streamed]),
    }


def _summary(timings: Sequence[Timing]) -> dict[str, float]:
    walls = sorted(one.wall for one in timings)
    seconds = {
        "median": statistics.median(walls),
        "95%": walls[min(len(walls) - 1, int(0.95 * len(walls)))],
        "longest": walls[-1],
        "processor": statistics.median(one.processor for one in timings),
    }
    return {name: 1000 * value for name, value in seconds.items()}


def table(found: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = ["| check of | median ms | 95% ms | longest ms | processor ms |", "|---|---|---|---|---|"]
    for name in ("the finished answer", "one sentence of a stream", "its first sentence"):
        cells = [name, *(f"{value:.0f}" for value in found[name].values())]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the measurement; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        case = read_case(options.knowledge, options.title)
    except (UsageError, OSError) as error:
        print(f"guard_latency: {error}", file=sys.stderr)
        return 2
    found = measure(case, options.rounds, options.lead)
    print(
        f"{found['words']} words, {found['sentences']} sentences, {found['facts']} facts, "
        f"{found['passages']} passages; {found['cores']} cores, {found['rounds']} rounds\n"
    )
    print(table(found))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Times the guardrail on an answer of about 150 words.")
    parser.add_argument("--knowledge", type=Path, default=Path("examples/knowledge.jsonl"), metavar="SOURCE")
    parser.add_argument("--title", default="Marie Curie", help="page that the answer is about")
    parser.add_argument("--rounds", type=int, default=30, help="checks of each kind (default: 30)")
    parser.add_argument(
        "--lead", type=float, default=0.5, help="seconds before the first sentence (default: 0.5)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
