"""Facts with people's labels, chosen for a judge that is too slow for all of them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factscore_chain.evals.judge import claims_of
from factscore_chain.evals.labeled import LabeledGeneration, read_labeled
from factscore_chain.evals.split import is_held_out, topic_hash
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.values import Claim, Verdict


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


def read_chosen(options: Any, training_facts: int = 0) -> tuple[list[Labeled], float]:
    """Facts of held-out topics, then of training ones, as `add_options` has it.

    Args:
        options: What the command line gave.
        training_facts: How many of training topics.

    Returns:
        The facts, and how many a generation about a held-out topic has on average.

    Raises:
        FactScoreError: The files cannot be read.
    """
    folder = options.data or Path(os.environ.get("FACTSCORE_DATA", "."), "factscore")
    generations = read_labeled(folder / "labeled" / f"{options.system}.jsonl").generations
    retrieval = Retrieval(retriever=as_retriever(folder / "pages.jsonl"), k=options.k)
    train = [one for one in generations if one.facts and not is_held_out(one.topic or "")]
    held = [one for one in generations if one.facts and is_held_out(one.topic or "")]
    chosen = [
        *choose(held, retrieval, options.facts, options.per_topic),
        *choose(train, retrieval, training_facts, options.per_topic),
    ]
    return chosen, sum(len(one.facts) for one in held) / max(1, len(held))


def add_options(parser: argparse.ArgumentParser) -> None:
    """The model, the labelled data, and which facts of it."""
    parser.add_argument("--llm", required=True, metavar="PROVIDER:NAME", help="the chat model to ask")
    parser.add_argument("--base-url", metavar="URL", help="its server, if not the provider's own")
    parser.add_argument("--answers", type=Path, required=True, metavar="FILE", help="keeps every answer")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl and labeled/")
    parser.add_argument("--system", default="ChatGPT", help="whose texts (default: ChatGPT)")
    parser.add_argument("--facts", type=int, default=152, help="facts of held-out topics (default: 152)")
    parser.add_argument("--per-topic", type=int, default=8, help="most facts of one topic (default: 8)")
    parser.add_argument("--k", type=int, default=5, help="passages retrieved a fact (default: 5)")
    parser.add_argument("--sentences", type=int, default=2, help="sentences shown for each fact (default: 2)")
    parser.add_argument("--max-tokens", type=int, default=40, help="most tokens of a reply (default: 40)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
