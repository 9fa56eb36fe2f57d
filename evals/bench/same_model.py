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
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factscore_chain.errors import FactScoreError, ModelCallError
from factscore_chain.evals.bench import protocols
from factscore_chain.evals.bench.protocols import Judged
from factscore_chain.evals.excerpts import excerpts
from factscore_chain.evals.judge import claims_of, verify
from factscore_chain.evals.labeled import LabeledGeneration, read_labeled
from factscore_chain.evals.recorded import Answer, Recorder
from factscore_chain.evals.split import is_held_out, topic_hash
from factscore_chain.evals.votes import Vote, write_votes
from factscore_chain.language_model import LanguageModel, init_model
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.values import Claim, Verdict
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.embedded import EmbeddedVerifier
from factscore_chain.verify.llm import LLMVerifier
from factscore_chain.verify.published import OriginalVerifier

BLOCK = 24
"""Facts that one protocol judges before the other's turn: its instructions stay in the server's cache."""


@dataclass(frozen=True)
class Labeled:
    """A claim with what people say of it."""

    claim: Claim
    supported: bool

    @property
    def held_out(self) -> bool:
        """Whether its topic is only reported on."""
        return is_held_out(self.claim.topic or "")


def choose(
    generations: Iterable[LabeledGeneration], retrieval: Retrieval, facts: int, each: int
) -> list[Labeled]:
    """Facts of generations in the order of their topics' hashes.

    Args:
        generations: Labelled texts.
        retrieval: Finds passages; a generation whose topic has no page is passed over.
        facts: How many.
        each: How many of one generation at most, evenly from its text.
    """
    chosen: list[Labeled] = []
    for generation in sorted(generations, key=lambda one: topic_hash(one.topic or "")):
        claims = claims_of(generation, retrieval) or ()
        rows = list(zip(claims, generation.facts, strict=False))[:: max(1, len(claims) // each)][:each]
        chosen += [Labeled(claim, fact.label is Verdict.SUPPORTED) for claim, fact in rows]
        if len(chosen) >= facts:
            break
    return chosen[:facts]


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
        chosen, size = _read(options)
        # One call at a time: a small server answers in turn, and its cache serves the next of the same block.
        chat = init_model(options.llm, base_url=options.base_url, max_tokens=options.max_tokens)
        judged = judge(chosen, LanguageModel(chat, concurrency=1), options)
        if options.votes is not None:
            write_votes(options.votes, [one.vote for one in judged])
        _refuse_failed(judged)
        report = protocols.compare(judged, size)
    except FactScoreError as error:
        print(f"same_model: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report) if options.json else "\n".join(protocols.lines(report)))
    return 0


def _refuse_failed(judged: Sequence[Judged]) -> None:
    """A failed call says nothing of a protocol, and would count as a fact rejected."""
    answers = [answer for one in judged for answer in (one.ours, one.original) if answer is not None]
    failed = [answer for answer in answers if answer.verdict == Verdict.FAILED.value]
    if failed:
        raise ModelCallError(
            f"{len(failed)} of {len(answers)} answers failed, so nothing is compared. The first: "
            f"{failed[0].cause} Run again: only those are asked."
        )


def _read(options: Any) -> tuple[list[Labeled], float]:
    """Facts of training topics and of held-out ones, and the facts of a held-out generation on average."""
    folder = options.data or Path(os.environ.get("FACTSCORE_DATA", "."), "factscore")
    generations = read_labeled(folder / "labeled" / f"{options.system}.jsonl").generations
    retrieval = Retrieval(retriever=as_retriever(folder / "pages.jsonl"), k=options.k)
    train = [one for one in generations if one.facts and not is_held_out(one.topic or "")]
    held = [one for one in generations if one.facts and is_held_out(one.topic or "")]
    chosen = [
        *choose(held, retrieval, options.facts, options.per_topic),
        *choose(train, retrieval, options.training_facts, options.per_topic),
    ]
    return chosen, sum(len(one.facts) for one in held) / max(1, len(held))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compares protocols at one and the same chat model.")
    parser.add_argument("--llm", required=True, metavar="PROVIDER:NAME", help="the chat model to ask")
    parser.add_argument("--base-url", metavar="URL", help="its server, if not the provider's own")
    parser.add_argument("--answers", type=Path, required=True, metavar="FILE", help="keeps every answer")
    parser.add_argument("--votes", type=Path, metavar="FILE", help="rows for `factscore eval calibrate`")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl and labeled/")
    parser.add_argument("--system", default="ChatGPT", help="whose texts (default: ChatGPT)")
    parser.add_argument("--facts", type=int, default=152, help="facts of held-out topics (default: 152)")
    parser.add_argument("--training-facts", type=int, default=104, help="of the others (default: 104)")
    parser.add_argument("--per-topic", type=int, default=8, help="most facts of one topic (default: 8)")
    parser.add_argument("--k", type=int, default=5, help="passages retrieved a fact (default: 5)")
    parser.add_argument("--sentences", type=int, default=2, help="sentences shown for each fact (default: 2)")
    parser.add_argument("--max-tokens", type=int, default=40, help="most tokens of a reply (default: 40)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


if __name__ == "__main__":
    sys.exit(main())
