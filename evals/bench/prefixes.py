"""What a server that keeps the beginning of a prompt reads anew, by the order in which passages are shown.

    python -m factscore_chain.evals.bench.prefixes [--data FOLDER] [--system ChatGPT] [--k 5]

FOLDER holds `pages.jsonl` and `labeled/SYSTEM.jsonl`; by default it is `factscore` in $FACTSCORE_DATA.
Prompts are taken to be sent in the order that makes neighbours alike, and the server to remember the prompt
before. Also printed: how many calls are left when facts of one set of passages share a call.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from factscore_chain.errors import FactScoreError
from factscore_chain.evals.judge import claims_of
from factscore_chain.evals.labeled import read_labeled
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.values import Claim, Passage
from factscore_chain.verify.passage_budget import passage_tokens
from factscore_chain.verify.prefix_order import passage_set, stable

Order = Callable[[Sequence[Passage]], Sequence[Passage]]

ORDERS: dict[str, Order] = {"best first": tuple, "by id": stable}


def read_anew(claims: Iterable[Claim], order: Order) -> tuple[int, int]:
    """Tokens of all passages shown, and of those that the call before did not begin with as well."""
    every = fresh = 0
    before: Sequence[Passage] = ()
    for shown in sorted((order(claim.passages) for claim in claims), key=lambda s: [p.id for p in s]):
        pairs = zip(shown, before, strict=False)
        shared = len(list(takewhile(lambda pair: pair[0].id == pair[1].id, pairs)))
        every += sum(map(passage_tokens, shown))
        fresh += sum(map(passage_tokens, shown[shared:]))
        before = shown
    return every, fresh


def calls(claims: Sequence[Claim], facts_per_call: int) -> int:
    """Calls that are needed with so many facts of one set of passages in each."""
    sets: dict[tuple[str, ...], int] = {}
    for claim in claims:
        sets[passage_set(claim)] = sets.get(passage_set(claim), 0) + 1
    return sum(-(-size // facts_per_call) for size in sets.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures; returns the exit code."""
    parser = argparse.ArgumentParser(description="Passage tokens read anew, by the order of passages.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl and labeled/")
    parser.add_argument("--system", default="ChatGPT", help="whose labelled facts (default: ChatGPT)")
    parser.add_argument("--k", type=int, default=5, help="passages retrieved a fact (default: 5)")
    options = parser.parse_args(arguments)
    folder = options.data or Path(os.environ.get("FACTSCORE_DATA", "."), "factscore")
    try:
        retrieval = Retrieval(retriever=as_retriever(folder / "pages.jsonl"), k=options.k)
        generations = read_labeled(folder / "labeled" / f"{options.system}.jsonl").generations
        claims = [claims_of(generation, retrieval) or () for generation in generations]
    except FactScoreError as error:
        print(f"prefixes: {error}", file=sys.stderr)
        return 2
    facts = sum(map(len, claims))
    print(f"{facts} facts of {sum(map(bool, claims))} generations, {options.k} passages each")
    for name, order in ORDERS.items():
        every, fresh = map(sum, zip(*(read_anew(one, order) for one in claims), strict=True))
        print(f"passages {name:10}  {fresh / every:6.1%} of {every} passage tokens read anew")
    for most in (1, 2, 5, 10):
        needed = sum(calls(one, most) for one in claims)
        print(f"{most:2} facts a call at most: {needed} calls, {needed / facts:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
