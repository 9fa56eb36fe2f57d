"""What it costs in agreement to ask about several facts in a call, or for answers as data.

    python -m factscore_chain.evals.bench.asking --answers FILE --llm openai:NAME --base-url URL

Reads `pages.jsonl` and `labeled/SYSTEM.jsonl` of --data, by default of `factscore` in $FACTSCORE_DATA, and
asks about the same facts of held-out topics in each way: alone (the default), as data (--structured), and
several in a call (--facts-per-call). The model reads the sentences that match a topic's facts best, the same
for all ways. Nothing is fitted, so no threshold but the model's own word is used. Answers are kept in FILE:
what stands there is not asked again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from factscore_chain.aio import run_sync
from factscore_chain.errors import FactScoreError
from factscore_chain.evals import metrics
from factscore_chain.evals.chosen import Labeled, add_options, read_chosen
from factscore_chain.evals.excerpts import excerpts
from factscore_chain.evals.recorded import Answer, Recorder, refuse_failed
from factscore_chain.language_model import LanguageModel, init_model
from factscore_chain.rehearsal import RehearsedModel
from factscore_chain.stats.bootstrap import Rows, intervals
from factscore_chain.values import Claim, Verdict
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.grouped import GroupedVerifier
from factscore_chain.verify.llm import LLMVerifier

ALONE = "alone"


def ways(options: Any) -> dict[str, Verifier]:
    """The ways to ask by name; the first is what the others are compared with."""
    chat = init_model(options.llm, base_url=options.base_url, max_tokens=options.max_tokens)
    # One call at a time: a small server answers in turn, and its cache serves the next of the same topic.
    alone = LLMVerifier(model=LanguageModel(chat, concurrency=1))
    found: dict[str, Verifier] = {ALONE: alone}
    if options.structured:
        # Langchain's profiles know hosted models only; who runs this says that the server keeps to schemas.
        able = chat.model_copy(update={"profile": {"structured_output": True}})
        found["as data"] = LLMVerifier(model=LanguageModel(able, concurrency=1), structured=True)
    for size in options.facts_per_call:
        found[f"{size} in a call"] = GroupedVerifier(single=alone, facts_per_call=size)
    return found


def ask(claims: Sequence[Claim], verifiers: Mapping[str, Verifier], recorder: Recorder) -> list[list[Answer]]:
    """Every way's answers on every claim, a topic at a time, so that the server's cache serves all of it."""
    found: list[list[Answer]] = [[] for _ in verifiers]
    for topic in _topics(claims):
        for answers, verifier in zip(found, verifiers.values(), strict=True):
            answers += recorder.ask_together(verifier, topic)
        print(f"{len(found[0])} of {len(claims)} facts", file=sys.stderr)
    return found


def _topics(claims: Sequence[Claim]) -> Iterator[list[Claim]]:
    for _, group in groupby(claims, key=lambda claim: claim.topic):
        yield list(group)


def foretold(claims: Sequence[Claim], verifier: Verifier) -> int:
    """Input tokens that an estimate of the cost foresees: no model is asked."""
    rehearsed = verifier.with_models(RehearsedModel)
    for topic in _topics(claims):
        run_sync(rehearsed.abatch(topic))
    return sum(model.usage.input_tokens for model in rehearsed.models)


def compare(
    facts: Sequence[Labeled], answers: Mapping[str, Sequence[Answer]], estimates: Mapping[str, int]
) -> dict[str, Any]:
    """Each way's agreement with people, what is lost against asking alone, and what the answers took.

    Args:
        facts: What people say.
        answers: Each way's, fact by fact.
        estimates: Input tokens that were foreseen for each way.
    """
    supported = np.array([one.supported for one in facts], dtype=np.bool_)
    topic = np.unique([one.claim.topic or "" for one in facts], return_inverse=True)[1].astype(np.int64)
    accepted = {
        way: np.array([one.supported for one in said], dtype=np.bool_) for way, said in answers.items()
    }

    def figures(rows: Rows) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for way, all_said in accepted.items():
            truth, said = supported[rows], all_said[rows]
            found[f"{way}|f1_not_supported"] = metrics.f1_not_supported(truth, said)
            found[f"{way}|balanced_accuracy"] = metrics.balanced_accuracy(truth, said)
            found[f"{way}|error_rate"] = 100 * float(said.mean() - truth.mean())
            found[f"{way}|same_as_alone"] = float((said == accepted[ALONE][rows]).mean())
            found[f"{way}|less_alone"] = metrics.gain(
                found[f"{way}|f1_not_supported"], found[f"{ALONE}|f1_not_supported"]
            )
        return found

    return {
        "facts": len(facts),
        "topics": len(np.unique(topic)),
        "supported": float(supported.mean()),
        "f1_always_not_supported": metrics.f1_always_not_supported(supported),
        "figures": figures(np.arange(len(facts))),
        "intervals": intervals(topic, lambda rows, _: figures(rows)),
        "costs": {way: _costs(said, estimates[way]) for way, said in answers.items()},
    }


def _costs(answers: Sequence[Answer], estimate: int) -> dict[str, float]:
    number = max(1, len(answers))
    return {
        "calls": sum(one.calls for one in answers) / number,
        "input_tokens": sum(one.input_tokens for one in answers) / number,
        "estimated_input_tokens": estimate / number,
        "output_tokens": sum(one.output_tokens for one in answers) / number,
        "seconds": sum(one.seconds for one in answers) / number,
        "undecided": sum(one.verdict == Verdict.UNDECIDED.value for one in answers),
    }


def lines(report: dict[str, Any]) -> list[str]:
    """The report as text."""
    return [
        f"{report['facts']} facts of {report['topics']} held-out topics, {report['supported']:.0%} true; "
        f"F1 of rejecting every fact {_points(report['f1_always_not_supported'])}",
        f"{'way':15}{'F1 NS':>6}{'bal. acc.':>10}{'error':>7}{'same':>6}  {'F1 less alone [95%]':22}"
        f"{'calls':>6}{'input':>7}{'foreseen':>9}{'output':>7}{'undecided':>10}",
        *(_row(way, report) for way in report["costs"]),
        "calls and tokens are of a fact; same is the share of verdicts that asking alone gives too; foreseen "
        "are the input tokens of an estimate, at four characters each",
    ]


def _row(way: str, report: dict[str, Any]) -> str:
    figure, cost = report["figures"], report["costs"][way]
    loss, ends = figure[f"{way}|less_alone"], report["intervals"][f"{way}|less_alone"]
    less = (
        "" if way == ALONE or loss is None or ends is None else f"{loss:+.1f} [{ends[0]:.1f}, {ends[1]:.1f}]"
    )
    return (
        f"{way:15}{_points(figure[f'{way}|f1_not_supported']):>6}"
        f"{_points(figure[f'{way}|balanced_accuracy']):>10}{figure[f'{way}|error_rate']:>+7.1f}"
        f"{100 * figure[f'{way}|same_as_alone']:>5.0f}%  {less:22}"
        f"{cost['calls']:>6.2f}{cost['input_tokens']:>7.0f}"
        f"{cost['estimated_input_tokens']:>9.0f}{cost['output_tokens']:>7.1f}{cost['undecided']:>10.0f}"
    )


def _points(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Asks and compares; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        chosen, _ = read_chosen(options)
        verifiers = ways(options)
        claims = excerpts([one.claim for one in chosen], options.sentences)
        found = ask(claims, verifiers, Recorder(options.answers))
        refuse_failed(answer for answers in found for answer in answers)
    except FactScoreError as error:
        print(f"asking: {error}", file=sys.stderr)
        return 2
    estimates = {way: foretold(claims, verifier) for way, verifier in verifiers.items()}
    report = compare(chosen, dict(zip(verifiers, found, strict=True)), estimates)
    print(json.dumps(report) if options.json else "\n".join(lines(report)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="What ways to ask a chat model cost in agreement.")
    add_options(parser)
    parser.add_argument("--facts-per-call", type=int, nargs="*", default=[4, 8], metavar="N")
    parser.add_argument("--no-structured", dest="structured", action="store_false", help="leave that way out")
    return parser


if __name__ == "__main__":
    sys.exit(main())
