"""The figures of `same_model`: estimators side by side on the same facts, with paired intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from factscore_chain.evals import metrics
from factscore_chain.evals.fit_joint import fit
from factscore_chain.evals.metrics import Bools, Floats
from factscore_chain.evals.recorded import Answer
from factscore_chain.evals.votes import Vote
from factscore_chain.stats.bootstrap import Rows, intervals
from factscore_chain.values import Verdict
from factscore_chain.verify.calibration import Weights, log_odds
from factscore_chain.verify.embedded import EmbeddedVerifier

PAIRS = (
    ("retrieval+llm", "original"),
    ("retrieval+llm, calibrated", "original"),
    ("joint", "original"),
    ("joint", "retrieval+llm, calibrated"),
    ("joint", "embedded"),
)
"""Estimators whose F1 is compared, the second taken from the first."""


@dataclass(frozen=True)
class Judged:
    """A labelled fact with what everybody says of it."""

    vote: Vote
    """People, the embedded verifier, and our protocol."""
    ours: Answer
    original: Answer | None = None
    """The published protocol's; None on training topics, since it has nothing to fit."""


@dataclass(frozen=True)
class Estimate:
    """What an estimator says of each fact."""

    accepted: Bools
    score: Floats
    """Higher means more likely supported; the bare verdict where there is nothing finer."""


def compare(judged: Sequence[Judged], facts_per_generation: float) -> dict[str, Any]:
    """Figures of every estimator on held-out topics, and what the answers took.

    Args:
        judged: Facts of training topics, to fit on, and of held-out ones.
        facts_per_generation: To turn costs of a fact into those of a generation.

    Raises:
        UsageError: There are too few facts to fit on.
    """
    held = [one for one in judged if one.vote.held_out]
    supported = np.array([one.vote.supported for one in held], dtype=np.bool_)
    topic = np.unique([one.vote.topic or "" for one in held], return_inverse=True)[1].astype(np.int64)
    estimates = _estimates([one.vote for one in judged], held)

    def figures(rows: Rows) -> dict[str, float | None]:
        return _figures(supported[rows], estimates, rows)

    original = [one.original for one in held if one.original is not None]
    return {
        "facts": len(held),
        "topics": len(np.unique(topic)),
        "facts_in_training": len(judged) - len(held),
        "supported": float(supported.mean()),
        "f1_always_not_supported": metrics.f1_always_not_supported(supported),
        "figures": figures(np.arange(len(held))),
        "intervals": intervals(topic, lambda rows, _: figures(rows)),
        "costs": {
            "original": _costs(original, facts_per_generation),
            "ours": _costs([one.ours for one in held], facts_per_generation),
        },
    }


def _estimates(votes: Sequence[Vote], held: Sequence[Judged]) -> dict[str, Estimate]:
    identity = EmbeddedVerifier().identity
    calibration = fit(votes, embedded=identity["model"])
    own = np.array([one.vote.embedded for one in held], dtype=np.float64)
    original = np.array([one.original is not None and one.original.supported for one in held], np.bool_)
    said = np.array([one.ours.supported for one in held], dtype=np.bool_)
    estimates = {
        "original": Estimate(original, original.astype(np.float64)),
        "retrieval+llm": Estimate(said, np.array([_probability(one.vote) for one in held])),
    }
    if calibration.alone is not None:
        estimates["retrieval+llm, calibrated"] = _weighed(calibration.alone, held)
    estimates["embedded"] = Estimate(own >= float(identity["threshold"]), own)
    if calibration.joint is not None:
        estimates["joint"] = _weighed(calibration.joint, held)
    return estimates


def _weighed(weights: Weights, held: Sequence[Judged]) -> Estimate:
    score = np.array(
        [
            weights.probability(log_odds(_probability(one.vote)), log_odds(one.vote.embedded))
            if one.vote.is_decided
            else 0.0
            for one in held
        ],
        dtype=np.float64,
    )
    return Estimate(score >= weights.threshold, score)


def _probability(vote: Vote) -> float:
    """The LLM's; where it gave none its verdict stands for one, and none for a half."""
    if vote.probability is not None:
        return vote.probability
    return {Verdict.SUPPORTED: 1.0, Verdict.NOT_SUPPORTED: 0.0}.get(vote.verdict or Verdict.UNDECIDED, 0.5)


def _figures(supported: Bools, estimates: dict[str, Estimate], rows: Rows) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name, estimate in estimates.items():
        accepted, score = estimate.accepted[rows], estimate.score[rows]
        found[f"{name}|f1_not_supported"] = metrics.f1_not_supported(supported, accepted)
        found[f"{name}|balanced_accuracy"] = metrics.balanced_accuracy(supported, accepted)
        found[f"{name}|auc"] = metrics.auc(supported, score)
        found[f"{name}|error_rate"] = 100 * float(accepted.mean() - supported.mean())
    for better, than in PAIRS:
        pair = (found.get(f"{better}|f1_not_supported"), found.get(f"{than}|f1_not_supported"))
        found[f"{better} less {than}"] = metrics.gain(*pair)
    return found


def _costs(answers: Sequence[Answer], facts_per_generation: float) -> dict[str, float]:
    each, calls = facts_per_generation / max(1, len(answers)), sum(answer.calls for answer in answers)
    return {
        "calls": each * calls,
        "input_tokens": each * sum(answer.input_tokens for answer in answers),
        "output_tokens": each * sum(answer.output_tokens for answer in answers),
        "seconds_a_call": sum(answer.seconds for answer in answers) / max(1, calls),
        "undecided": sum(answer.verdict == Verdict.UNDECIDED.value for answer in answers),
    }


def lines(report: dict[str, Any]) -> list[str]:
    """The report as text."""
    figures, ranges = report["figures"], report["intervals"]
    names = dict.fromkeys(key.split("|")[0] for key in figures if "|" in key)
    return [
        f"{report['facts']} facts of {report['topics']} held-out topics, {report['supported']:.0%} true; "
        f"fitted on {report['facts_in_training']} facts of training topics",
        f"F1 of rejecting every fact: {_points(report['f1_always_not_supported'])}",
        f"{'estimator':27}{'F1 NS':>6} {'[95%]':15}{'bal. acc.':>9}{'AUC':>7}{'error':>8}",
        *(_row(name, figures, ranges) for name in names),
        *(
            f"F1, {name}: {value:+.1f} points {_range(ranges[name])}"
            for name, value in figures.items()
            if "|" not in name and value is not None
        ),
        *(
            f"{name}: {cost['calls']:.1f} calls, {cost['input_tokens']:.0f} input and "
            f"{cost['output_tokens']:.0f} output tokens a generation; {cost['seconds_a_call']:.1f} s a call; "
            f"{cost['undecided']:.0f} undecided"
            for name, cost in report["costs"].items()
        ),
    ]


def _row(name: str, figures: dict[str, float | None], ranges: dict[str, Any]) -> str:
    f1, balanced, auc, error = (
        figures[f"{name}|{one}"] for one in ("f1_not_supported", "balanced_accuracy", "auc", "error_rate")
    )
    found = ranges[f"{name}|f1_not_supported"]
    shown = None if found is None else tuple(100 * end for end in found)
    return (
        f"{name:27}{_points(f1)} {_range(shown):15}{_points(balanced):>9}"
        f"{'-' if auc is None else f'{auc:.3f}':>7}{'-' if error is None else f'{error:+.1f}':>8}"
    )


def _points(value: float | None) -> str:
    return "     -" if value is None else f"{100 * value:6.1f}"


def _range(ends: tuple[float, ...] | None) -> str:
    return "" if ends is None else f"[{ends[0]:.1f}, {ends[1]:.1f}]"
