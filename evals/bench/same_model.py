"""What a protocol is worth at one and the same model: the published one, ours, and what joins ours.

    python -m factscore_chain.evals.bench.same_model --answers FILE --llm openai:NAME --base-url URL

Reads `pages.jsonl` and `labeled/SYSTEM.jsonl` of --data, by default of `factscore` in $FACTSCORE_DATA. Facts
are those that people made of SYSTEM's texts, irrelevant counts as not supported, passages come from the pages
by our retriever. The chat model reads only the sentences of them that match one of a topic's facts best (the
same for both protocols and all facts of a topic), so that a small machine can do it; the embedded verifier
reads the passages whole. Thresholds and weights are set on training topics (`evals/split.py`), figures are of
held-out ones. Answers are kept in FILE: what stands there is not asked again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factscore_chain.errors import FactScoreError
from factscore_chain.evals.bench import protocols
from factscore_chain.evals.bench.protocols import Judged
from factscore_chain.evals.chosen import Labeled, add_options, read_chosen
from factscore_chain.evals.excerpts import excerpts
from factscore_chain.evals.judge import verify
from factscore_chain.evals.recorded import Answer, Recorder, refuse_failed
from factscore_chain.evals.votes import Vote, write_votes
from factscore_chain.language_model import LanguageModel, init_model
from factscore_chain.values import Verdict
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.embedded import EmbeddedVerifier
from factscore_chain.verify.llm import LLMVerifier
from factscore_chain.verify.published import OriginalVerifier

BLOCK = 24
"""Facts that one protocol judges before the other's turn: its instructions stay in the server's cache."""


def ask(
    shown: Sequence[Labeled], ours: Verifier, original: Verifier, recorder: Recorder
) -> list[tuple[Answer, Answer | None]]:
    """Has every fact judged by our protocol, and held-out ones by the published one; tells how far it is."""
    answers: list[tuple[Answer, Answer | None]] = []
    for start in range(0, len(shown), BLOCK):
        block = shown[start : start + BLOCK]
        mine = [recorder.ask(ours, one.claim) for one in block]
        its = [recorder.ask(original, one.claim) if one.held_out else None for one in block]
        answers += zip(mine, its, strict=True)
        print(f"{len(answers)} of {len(shown)} facts", file=sys.stderr)
    return answers


def judge(chosen: Sequence[Labeled], model: LanguageModel, options: Any) -> list[Judged]:
    """Puts together what people, the embedded verifier and both protocols say of each fact."""
    cut = excerpts([one.claim for one in chosen], options.sentences)
    shown = [Labeled(claim, one.supported) for claim, one in zip(cut, chosen, strict=True)]
    ours = LLMVerifier(model=model)
    answers = ask(shown, ours, OriginalVerifier(model=model), Recorder(options.answers))
    embedded = verify([one.claim for one in chosen], EmbeddedVerifier())
    return [
        Judged(_vote(one, own.probability, mine, ours.identity, options.system), mine, its)
        for one, own, (mine, its) in zip(chosen, embedded, answers, strict=True)
    ]


def _vote(one: Labeled, own: float | None, mine: Answer, identity: dict[str, str], system: str) -> Vote:
    return Vote(
        system=system,
        topic=one.claim.topic,
        fact=one.claim.fact.text,
        supported=one.supported,
        embedded=own or 0.0,
        verdict=Verdict(mine.verdict),
        probability=mine.probability,
        model=identity["model"],
        prompt=identity["prompt"],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Asks and compares; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        chosen, size = read_chosen(options, options.training_facts)
        # One call at a time: a small server answers in turn, and its cache serves the next of the same block.
        chat = init_model(options.llm, base_url=options.base_url, max_tokens=options.max_tokens)
        judged = judge(chosen, LanguageModel(chat, concurrency=1), options)
        if options.votes is not None:
            write_votes(options.votes, [one.vote for one in judged])
        refuse_failed(one for pair in judged for one in (pair.ours, pair.original) if one is not None)
        report = protocols.compare(judged, size)
    except FactScoreError as error:
        print(f"same_model: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report) if options.json else "\n".join(protocols.lines(report)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compares protocols at one and the same chat model.")
    add_options(parser)
    parser.add_argument("--votes", type=Path, metavar="FILE", help="rows for `factscore eval calibrate`")
    parser.add_argument("--training-facts", type=int, default=104, help="of the others (default: 104)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
