"""What evidence seeking buys on FActScore's human facts, and what it costs.

    python -m factscore_chain.evals.bench.seeking --data FOLDER [--systems ChatGPT InstructGPT PerplexityAI]

FOLDER holds `pages.jsonl` and `labeled/SYSTEM.jsonl`; by default it is `factscore` in $FACTSCORE_DATA. Facts
are those that people made; irrelevant counts as not supported. The same verifier judges all facts, then again
with seeking around it. Settings were chosen on the training topics of `evals/split.py`; the other topics are
reported on. With --llm a chat model judges and writes the queries, one call at a time; --facts bounds what
that may cost, and --answers keeps its answers, so that nothing is asked twice.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from factscore_chain.answer_cache import AnswerCache
from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.evals import metrics
from factscore_chain.evals.bench.verifiers import SYSTEMS
from factscore_chain.evals.judge import claims_of, verify
from factscore_chain.evals.labeled import read_labeled
from factscore_chain.evals.split import is_held_out
from factscore_chain.language_model import LanguageModel, init_model
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.seek.verifier import MOST_ROUNDS, make_seeking
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import Verifier


@dataclass(frozen=True)
class Outcome:
    """What seeking changed on a set of labelled facts."""

    facts: int
    sought: int
    """Facts that got at least one further look."""
    right: int
    """Verdicts that were wrong and became right."""
    wrong: int
    """Verdicts that were right and became wrong."""
    accuracy: tuple[float, float]
    """Share of right verdicts, without and with seeking."""
    f1_not_supported: tuple[float | None, float | None]
    looks: int
    """Further retrievals."""
    verdicts: int
    """Facts that were judged again, once for each look that brought something."""
    looks_at: dict[str, int]
    """Looks by place: the subject's own page, another page, the whole source."""
    model_calls: tuple[int, int]
    """Answers of a model, those that a file gave among them."""
    seconds: tuple[float, float]


def compare(
    claims: Sequence[Claim], supported: metrics.Bools, plain: Verifier, retrieval: Retrieval, rounds: int
) -> Outcome:
    """Judges claims without and with seeking; both start from the same passages."""
    seeking = make_seeking(plain, retrieval, rounds)
    plain.batch(list(claims[:1]))  # models are loaded before the clock runs
    once, calls_once, seconds_once = _timed(claims, plain)
    again, calls_again, seconds_again = _timed(claims, seeking)
    before, after = (np.array([one.verdict is Verdict.SUPPORTED for one in d]) for d in (once, again))
    routes = [(claim, look) for claim, one in zip(claims, again, strict=True) for look in one.route]
    return Outcome(
        facts=len(claims),
        sought=sum(bool(one.route) for one in again),
        right=int(((before != supported) & (after == supported)).sum()),
        wrong=int(((before == supported) & (after != supported)).sum()),
        accuracy=(float((before == supported).mean()), float((after == supported).mean())),
        f1_not_supported=(
            metrics.f1_not_supported(supported, before),
            metrics.f1_not_supported(supported, after),
        ),
        looks=len(routes),
        verdicts=sum(bool(look.added) for _, look in routes),
        looks_at=dict(Counter(_place(claim, look.title) for claim, look in routes)),
        model_calls=(calls_once, calls_again),
        seconds=(seconds_once, seconds_again),
    )


def _place(claim: Claim, title: str | None) -> str:
    if title is None:
        return "whole source"
    return "own page" if title == claim.topic else "other page"


def _timed(claims: Sequence[Claim], verifier: Verifier) -> tuple[list[Decision], int, float]:
    calls = _answers(verifier)
    start = time.perf_counter()
    decisions = verify(claims, verifier)
    seconds = time.perf_counter() - start
    return decisions, _answers(verifier) - calls, seconds


def _answers(verifier: Verifier) -> int:
    return sum(model.usage.calls + model.usage.cached_answers for model in verifier.models)


def run(options: argparse.Namespace) -> Iterator[tuple[str, Outcome]]:
    """Measures each system, one after the other."""
    from factscore_chain.estimators import make_estimator

    folder = options.data or Path(os.environ.get("FACTSCORE_DATA", "."), "factscore")
    retrieval = Retrieval(retriever=as_retriever(folder / "pages.jsonl"), k=options.k)
    for system in options.systems:
        rows = _rows(folder / "labeled" / f"{system}.jsonl", retrieval, options.topics == "held-out")
        chosen = list(islice(rows, options.facts))
        if not chosen:
            raise UsageError(f"{system}: no labelled fact is about a {options.topics} topic with a page.")
        yield (
            system,
            compare(
                [claim for claim, _ in chosen],
                np.array([supported for _, supported in chosen], dtype=np.bool_),
                make_estimator(options.estimator, _model(options)).verifier,
                retrieval,
                options.rounds,
            ),
        )


def _model(options: argparse.Namespace) -> LanguageModel | None:
    if options.llm is None:
        return None
    chat = init_model(options.llm, base_url=options.base_url)
    cache = None if options.answers is None else AnswerCache(options.answers)
    return LanguageModel(chat, concurrency=1, cache=cache)


def _rows(labeled: Path, retrieval: Retrieval, held_out: bool) -> Iterator[tuple[Claim, bool]]:
    """Facts with their first passages and whether people found them supported; no page, no facts."""
    for generation in read_labeled(labeled).generations:
        if generation.topic is not None and is_held_out(generation.topic) is held_out:
            claims = claims_of(generation, retrieval) or ()
            yield from zip(claims, (one.label is Verdict.SUPPORTED for one in generation.facts), strict=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        for system, one in run(options):
            line = json.dumps({"system": system, **asdict(one)})
            print(line if options.json else "\n".join(_lines(system, one)), flush=True)
    except (UsageError, KnowledgeSourceError) as error:
        print(f"seeking: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="What evidence seeking buys, and what it costs.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl and labeled/")
    parser.add_argument("--systems", nargs="+", default=["ChatGPT"], choices=SYSTEMS)
    parser.add_argument("--topics", choices=("held-out", "train"), default="held-out")
    parser.add_argument("--k", type=int, default=5, help="passages of the first retrieval (default: 5)")
    parser.add_argument("--rounds", type=int, default=MOST_ROUNDS, help="further looks (default: 2)")
    parser.add_argument("--estimator", metavar="NAME", help="embedded by default, retrieval+llm with --llm")
    parser.add_argument("--llm", metavar="PROVIDER:NAME", help="judges, and writes the queries")
    parser.add_argument("--base-url", metavar="URL", help="its server, if not the provider's own")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="keeps the model's answers")
    parser.add_argument("--facts", type=int, metavar="N", help="only the first N facts of each system")
    parser.add_argument("--json", action="store_true", help="print one JSON object a system")
    return parser


def _lines(system: str, one: Outcome) -> list[str]:
    f1 = ["-" if value is None else f"{value:.3f}" for value in one.f1_not_supported]
    ratio = one.seconds[1] / one.seconds[0] if one.seconds[0] else 0.0
    return [
        f"{system}: {one.facts} facts, {one.sought} sought further",
        f"  verdicts put right {one.right}, made wrong {one.wrong}",
        f"  accuracy {one.accuracy[0]:.3f} -> {one.accuracy[1]:.3f}, F1 on not supported {f1[0]} -> {f1[1]}",
        f"  cost: {one.looks} retrievals {one.looks_at}, {one.verdicts} further verdicts, "
        f"model calls {one.model_calls[0]} -> {one.model_calls[1]}, time x{ratio:.2f}",
    ]


if __name__ == "__main__":
    sys.exit(main())
