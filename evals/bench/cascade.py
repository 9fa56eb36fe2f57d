"""What a cascade saves, and what that costs in agreement with people.

    python -m factscore_chain.evals.bench.cascade VOTES [--json]

VOTES are rows of `factscore eval votes`: labelled facts with the embedded verifier's probability and an LLM's
verdict, so that nothing is asked again. For each share of calls saved, the limits that agree best with people
on training topics are shown, with what they come to on held-out ones; agreement lost is against asking the
LLM about every fact. Without an LLM's verdicts in VOTES only the first table is printed: how often the
embedded verifier is right where it is sure. The default limits were set by that table, on training topics,
from votes of `evals/training/joint_votes.py`, in which it has not seen the topics it is asked about.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from factscore_chain.errors import FactScoreError
from factscore_chain.evals import metrics
from factscore_chain.evals.fit_joint import labels
from factscore_chain.evals.metrics import Bools, Floats
from factscore_chain.evals.votes import Vote, read_votes
from factscore_chain.values import Verdict
from factscore_chain.verify.cascade import HIGH, LOW

LOWS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
HIGHS = (0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
SAVED = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Half:
    """The facts of training topics, or of held-out ones, as arrays."""

    supported: Bools
    embedded: Floats
    llm: Bools
    """Whether the LLM found the fact supported."""

    @classmethod
    def of(cls, votes: Sequence[Vote]) -> Half:
        """Takes the votes apart."""
        embedded = np.array([vote.embedded for vote in votes], dtype=np.float64)
        llm = np.array([vote.verdict is Verdict.SUPPORTED for vote in votes], dtype=np.bool_)
        return cls(labels(votes), embedded, llm)

    def sure(self, low: float, high: float) -> Bools:
        """The facts that the embedded verifier settles."""
        return (self.embedded <= low) | (self.embedded >= high)

    def figures(self, low: float, high: float) -> dict[str, float | None]:
        """Calls saved, and agreement with people, between these limits."""
        sure = self.sure(low, high)
        predicted = np.where(sure, self.embedded >= high, self.llm)
        return {
            "saved": _mean(sure),
            "balanced_accuracy": metrics.balanced_accuracy(self.supported, predicted),
            "f1_not_supported": metrics.f1_not_supported(self.supported, predicted),
        }


def reliability(half: Half) -> list[dict[str, Any]]:
    """For how many facts the embedded verifier is beyond each limit, and how often it is right there."""
    rows: list[dict[str, Any]] = []
    for side, limits in (("low", LOWS), ("high", HIGHS)):
        for limit in limits:
            sure = half.embedded <= limit if side == "low" else half.embedded >= limit
            right = half.supported[sure] == (side == "high")
            rows.append({"side": side, "limit": limit, "share": _mean(sure), "right": _mean(right)})
    return rows


def _mean(values: Bools) -> float | None:
    return float(values.mean()) if len(values) else None


def curve(train: Half, held_out: Half) -> list[dict[str, Any]]:
    """For each share of calls saved on training topics, the best limits there, and both halves' figures."""
    points: list[dict[str, Any]] = [
        {"low": low, "high": high, "train": train.figures(low, high)} for low, high in product(LOWS, HIGHS)
    ]
    best: list[dict[str, Any]] = []
    for least in SAVED:
        enough = [point for point in points if (point["train"]["saved"] or 0.0) >= least]
        if enough:
            chosen = max(enough, key=lambda point: point["train"]["f1_not_supported"] or 0.0)
            if chosen not in best:
                best.append(chosen)
    default = {"low": LOW, "high": HIGH, "train": train.figures(LOW, HIGH), "default": True}
    rows = sorted([*best, default], key=lambda point: point["train"]["saved"] or 0.0)
    return [{**point, "held_out": held_out.figures(point["low"], point["high"])} for point in rows]


def lines(report: dict[str, Any]) -> list[str]:
    """The report for people."""
    shown = [
        f"embedded verifier alone: {report['train']} facts of training topics, {report['held']} held out",
        "              training topics     held-out topics",
        "             sure of    right    sure of    right",
    ]
    for first, second in zip(report["reliability"], report["reliability_held_out"], strict=True):
        sign = "<=" if first["side"] == "low" else ">="
        cells = (_percent(row[name]) for row in (first, second) for name in ("share", "right"))
        shown.append(f"  p {sign} {first['limit']:4.2f}  {'   '.join(cells)}")
    if report["curve"]:
        alone = report["llm_alone"]["f1_not_supported"]
        shown.append(f"LLM alone, held-out topics ({report['held_out']} facts): F1 {_percent(alone)}")
        shown.append("   low  high   saved      F1    lost  (held-out; limits chosen on training topics)")
        for point in report["curve"]:
            found = point["held_out"]
            lost = None if None in (alone, found["f1_not_supported"]) else alone - found["f1_not_supported"]
            mark = "  default" if point.get("default") else ""
            shown.append(
                f"  {point['low']:4.2f}  {point['high']:4.2f}  {_percent(found['saved'])}  "
                f"{_percent(found['f1_not_supported'])}  {_percent(lost)}{mark}"
            )
    return shown


def _percent(value: float | None) -> str:
    return "     -" if value is None else f"{100 * value:6.1f}"


def measure(votes: Sequence[Vote]) -> dict[str, Any]:
    """The whole report."""
    train, held = (Half.of([v for v in votes if v.held_out is wanted]) for wanted in (False, True))
    asked = [vote for vote in votes if vote.verdict is not None]
    halves = [Half.of([vote for vote in asked if vote.held_out is wanted]) for wanted in (False, True)]
    return {
        "train": len(train.supported),
        "held": len(held.supported),
        "held_out": len(halves[1].supported),
        "reliability": reliability(train),
        "reliability_held_out": reliability(held),
        "llm_alone": halves[1].figures(-1.0, 2.0),
        "curve": curve(*halves) if asked else [],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the curve; returns the exit code."""
    parser = argparse.ArgumentParser(description="Calls saved by a cascade against agreement lost.")
    parser.add_argument("votes", type=Path, metavar="VOTES", help="rows of `factscore eval votes`")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        report = measure(read_votes(options.votes))
    except FactScoreError as error:
        print(f"cascade: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report) if options.json else "\n".join(lines(report)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
