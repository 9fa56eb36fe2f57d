"""How many facts a second the embedded verifier decides, and the memory it takes.

    python -m factscore_chain.evals.bench.embedded_speed LABELED.jsonl --knowledge SOURCE

Facts are those that people made, generation by generation, with passages of their topic's page; retrieval is
done before the clock starts. One fact is decided before that too, since the first one loads the models.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factscore_chain.cores import available_cores
from factscore_chain.errors import UsageError
from factscore_chain.evals.judge import claims_of
from factscore_chain.evals.labeled import read_labeled
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.values import Claim
from factscore_chain.verify.embedded import EmbeddedVerifier


def read_batches(labeled: Path, knowledge: Path, k: int, facts: int) -> list[list[Claim]]:
    """The claims of whole generations, until there are as many facts as asked for.

    Raises:
        UsageError: A file cannot be read, or no generation has a page.
    """
    retrieval = Retrieval(retriever=as_retriever(knowledge), k=k)
    batches: list[list[Claim]] = []
    for generation in read_labeled(labeled).generations:
        if sum(map(len, batches)) >= facts:
            break
        if found := claims_of(generation, retrieval):
            batches.append(list(found))
    if not batches:
        raise UsageError(f"No topic of {labeled} has a page in {knowledge}. Give the source of these topics.")
    return batches


def measure(batches: Sequence[Sequence[Claim]]) -> dict[str, Any]:
    """Decides all claims once, each generation as one batch, and times it."""
    verifier = EmbeddedVerifier()
    start = time.perf_counter()
    verifier.batch(list(batches[0][:1]))
    loading = time.perf_counter() - start
    start, used = time.perf_counter(), time.process_time()
    for claims in batches:
        verifier.batch(list(claims))
    seconds, used = time.perf_counter() - start, time.process_time() - used
    facts = sum(map(len, batches))
    return {
        "facts": facts,
        "generations": len(batches),
        "passages_per_fact": sum(len(one.passages) for claims in batches for one in claims) / facts,
        "cores": available_cores(),
        "seconds_of_first_fact": round(loading, 2),
        "facts_per_second": round(facts / seconds, 1),
        "facts_per_cpu_second": round(facts / used, 1),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the measurement; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        batches = read_batches(options.labeled, options.knowledge, options.k, options.facts)
    except UsageError as error:
        print(f"embedded_speed: {error}", file=sys.stderr)
        return 2
    print(json.dumps(measure(batches)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Times the embedded verifier on human facts.")
    parser.add_argument("labeled", type=Path, metavar="LABELED.jsonl")
    parser.add_argument("--knowledge", type=Path, required=True, metavar="SOURCE")
    parser.add_argument("--k", type=int, default=5, help="passages retrieved a fact (default: 5)")
    parser.add_argument("--facts", type=int, default=300, help="decide at least as many (default: 300)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
