"""Compares verifiers on FActScore's human facts: word overlap, the nonparametric check, the embedded one.

    python -m factscore_chain.evals.bench.verifiers --data FOLDER [--systems ChatGPT InstructGPT PerplexityAI]

FOLDER holds `pages.jsonl` and `labeled/SYSTEM.jsonl`; by default it is `factscore` in $FACTSCORE_DATA. Facts
are those that people made, passages come from the pages by our retriever, irrelevant counts as not supported.
Topics are split in two by `evals/split.py`; each verifier's threshold is set on the training topics of the
systems named, and every figure is of the other topics. For verifiers with probabilities it also prints what
is left to correct in them on the training topics: slope 1 and offset 0 (of log odds) mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from factscore_chain.errors import UsageError
from factscore_chain.evals import metrics
from factscore_chain.evals.calibration import best_threshold, fit_logistic
from factscore_chain.evals.judge import claims_of, verify
from factscore_chain.evals.labeled import read_labeled
from factscore_chain.evals.metrics import Bools, Floats
from factscore_chain.evals.split import is_held_out
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.retrievers.tokenize import tokens
from factscore_chain.stats.bootstrap import Rows, intervals
from factscore_chain.values import Claim, Verdict
from factscore_chain.verify.lexicon import STOPWORDS

SYSTEMS = ("ChatGPT", "InstructGPT", "PerplexityAI")
_LEAST = 1e-6
"""Probability of 0 or 1 is taken as this far from it, so that its log odds are finite."""
SHOWN = ("auc", "balanced_accuracy", "f1_not_supported", "f1_always_not_supported", "f1_gain", "ece")


@dataclass(frozen=True)
class Facts:
    """The judgeable facts of one system."""

    claims: tuple[Claim, ...]
    supported: Bools
    held_out: Bools
    topic: Rows
    """Number of each fact's topic."""


def read_facts(labeled: Path, retrieval: Retrieval) -> Facts:
    """Reads a system's human facts and retrieves passages for them; topics without a page are left out."""
    claims: list[Claim] = []
    labels: list[bool] = []
    for generation in read_labeled(labeled).generations:
        if found := claims_of(generation, retrieval):
            claims.extend(found)
            labels.extend(fact.label is Verdict.SUPPORTED for fact in generation.facts)
    topics = [claim.topic or "" for claim in claims]
    return Facts(
        tuple(claims),
        np.array(labels, dtype=np.bool_),
        np.array([is_held_out(topic) for topic in topics], dtype=np.bool_),
        np.unique(np.array(topics), return_inverse=True)[1].astype(np.int64),
    )


def overlap(claim: Claim) -> float:
    """Share of the fact's content words, other than the topic's name, that stand in its passages."""
    name = set(tokens(claim.topic or ""))
    content = [word for word in tokens(claim.fact.text) if word not in STOPWORDS]
    words = [word for word in content if word not in name] or content
    known = {word for passage in claim.passages for word in tokens(passage.text)}
    return sum(word in known for word in words) / len(words) if words else 0.0


def lexical_scores(claims: Sequence[Claim]) -> Floats:
    """Word overlap of each claim."""
    return np.array([overlap(claim) for claim in claims], dtype=np.float64)


def np_scores(claims: Sequence[Claim]) -> Floats:
    """Probabilities of the nonparametric check; 0 where it does not apply."""
    from factscore_chain.verify.nonparametric import NonparametricVerifier

    return _probabilities(claims, NonparametricVerifier())


def embedded_scores(claims: Sequence[Claim]) -> Floats:
    """Probabilities of the embedded verifier; 0 where it is undecided."""
    from factscore_chain.verify.embedded import EmbeddedVerifier

    return _probabilities(claims, EmbeddedVerifier())


METHODS: dict[str, Callable[[Sequence[Claim]], Floats]] = {
    "lexical": lexical_scores,
    "np": np_scores,
    "embedded": embedded_scores,
}


def compare(facts: dict[str, Facts], method: str) -> dict[str, Any]:
    """Sets a method's threshold on training topics and measures it on the others, for each system."""
    scores = {system: METHODS[method](one.claims) for system, one in facts.items()}
    fitted = [(one.supported[~one.held_out], scores[system][~one.held_out]) for system, one in facts.items()]
    threshold = best_threshold(fitted)
    found = {system: _measure(one, scores[system], threshold) for system, one in facts.items()}
    left = None if method == "lexical" else _miscalibration(fitted)
    return {"threshold": threshold, "miscalibration": left, "systems": found}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison; returns the exit code."""
    options = _parser().parse_args(arguments)
    folder = options.data or Path(os.environ.get("FACTSCORE_DATA", "."), "factscore")
    try:
        retrieval = Retrieval(retriever=as_retriever(folder / "pages.jsonl"), k=options.k)
        facts = {one: read_facts(folder / "labeled" / f"{one}.jsonl", retrieval) for one in options.systems}
    except UsageError as error:
        print(f"verifiers: {error}", file=sys.stderr)
        return 2
    results = {method: compare(facts, method) for method in options.methods}
    print(json.dumps(results) if options.json else "\n".join(_lines(results)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compares verifiers on FActScore's human facts.")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with pages.jsonl and labeled/")
    parser.add_argument("--systems", nargs="+", default=["ChatGPT"], choices=SYSTEMS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--k", type=int, default=5, help="passages retrieved a fact (default: 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _probabilities(claims: Sequence[Claim], verifier: Any) -> Floats:
    decisions = verify(claims, verifier)
    return np.array([decision.probability or 0.0 for decision in decisions], dtype=np.float64)


def _miscalibration(fitted: Sequence[tuple[Bools, Floats]]) -> dict[str, float]:
    supported = np.concatenate([labels for labels, _ in fitted])
    probability = np.clip(np.concatenate([scores for _, scores in fitted]), _LEAST, 1 - _LEAST)
    slope, offset = fit_logistic(supported, np.log(probability / (1 - probability)))
    return {"slope": slope, "offset": offset}


def _measure(facts: Facts, scores: Floats, threshold: float | None) -> dict[str, Any]:
    supported, scores = facts.supported[facts.held_out], scores[facts.held_out]
    predicted = scores >= (0.5 if threshold is None else threshold)

    def figures(rows: Rows) -> dict[str, float | None]:
        return _figures(supported[rows], predicted[rows], scores[rows])

    topics = facts.topic[facts.held_out]
    everything = np.arange(len(supported))
    found = intervals(topics, lambda rows, _: figures(rows))
    counts = {"n_facts": len(supported), "n_topics": len(np.unique(topics))}
    return {**counts, **figures(everything), "intervals": found}


def _figures(supported: Bools, predicted: Bools, scores: Floats) -> dict[str, float | None]:
    f1 = metrics.f1_not_supported(supported, predicted)
    always = metrics.f1_always_not_supported(supported)
    values = (
        metrics.auc(supported, scores),
        metrics.balanced_accuracy(supported, predicted),
        *(f1, always, metrics.gain(f1, always)),
        metrics.ece(supported, scores),
    )
    return dict(zip(SHOWN, values, strict=True))


def _lines(results: dict[str, Any]) -> list[str]:
    lines = [
        f"{'system':14}{'verifier':12}{'facts':>7}  AUC [95%]            bal. acc.   F1     always  gain"
    ]
    for method, result in results.items():
        for system, found in result["systems"].items():
            low, high = found["intervals"]["auc"] or (0.0, 0.0)
            shown = [0.0 if found[name] is None else found[name] for name in SHOWN]
            lines.append(
                f"{system:14}{method:12}{found['n_facts']:7}  {shown[0]:.3f} [{low:.3f}, {high:.3f}]  "
                f"{shown[1]:9.3f} {shown[2]:9.3f} {shown[3]:7.3f} {shown[4]:+6.1f} {shown[5]:6.3f}"
            )
        left = result["miscalibration"]
        slope = f", slope {left['slope']:.3f}, offset {left['offset']:+.3f}" if left else ""
        lines.append(f"  {method}: threshold {result['threshold'] or 0.5:.3f}{slope} (on training topics)")
    return lines


if __name__ == "__main__":
    sys.exit(main())
