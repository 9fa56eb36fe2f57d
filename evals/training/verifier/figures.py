"""The figures of the model card: held-out topics, and the held-out halves of the other sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from factscore_chain.evals import metrics
from factscore_chain.evals.training.verifier.fit_head import Array
from factscore_chain.evals.training.verifier.rows import Table
from factscore_chain.evals.training.verifier.sources import SYSTEMS

Figures: TypeAlias = dict[str, float | int | None]

OTHER_SETS = ("wice", "fever-symmetric", "fm2", "fm2-retrieved", "factcheck", "wikibio")


def all_figures(table: Table, probability: Array, thresholds: Mapping[str, float]) -> dict[str, Figures]:
    """Figures by set, on held-out rows only.

    Args:
        table: Every row.
        probability: One a row.
        thresholds: By use; "free" is for the sets of claims with texts of their own, the others for facts.
    """
    free = {"free": thresholds["free"]}
    thresholds = {use: value for use, value in thresholds.items() if use != "free"}
    held = table.where(table.held_out)
    p = probability[table.held_out]
    found: dict[str, Figures] = {}
    for system in SYSTEMS:
        chosen = (held.source == "fs") & (held.kind == system)
        found[system] = system_figures(held.where(chosen), p[chosen], thresholds)
    human = held.source == "fs"
    found["all systems"] = pair_figures(held.supported[human], p[human], thresholds)
    for name in OTHER_SETS:
        chosen = held.source == name
        found[name] = pair_figures(held.supported[chosen], p[chosen], free)
    edits = held.source == "fs-edit"
    found["minimal edits"] = rejection(held.kind[edits], p[edits], thresholds)
    return found


def areas(table: Table, score: Array) -> Figures:
    """AUC of any score, by system and set, on held-out rows."""
    found: Figures = {}
    for name in (*SYSTEMS, *OTHER_SETS):
        of = (table.source == "fs") & (table.kind == name) if name in SYSTEMS else table.source == name
        chosen = of & table.held_out
        found[name] = metrics.auc(table.supported[chosen], score[chosen])
    return found


def system_figures(facts: Table, probability: Array, thresholds: Mapping[str, float]) -> Figures:
    """Agreement on the human facts of one system; an irrelevant fact counts as not supported."""
    base = metrics.f1_always_not_supported(facts.supported)
    _, generation = np.unique(facts.group, return_inverse=True)
    human = metrics.system_score(facts.supported, generation)
    found: Figures = {
        "n": len(probability),
        "auc": metrics.auc(facts.supported, probability),
        "ece": metrics.ece(facts.supported, probability),
        "f1 of always not supported": base,
    }
    for name, threshold in thresholds.items():
        predicted = probability >= threshold
        f1 = metrics.f1_not_supported(facts.supported, predicted)
        score = metrics.system_score(predicted, generation)
        found |= {
            f"f1 at {name}": f1,
            f"gain at {name}": metrics.gain(f1, base),
            f"balanced accuracy at {name}": metrics.balanced_accuracy(facts.supported, predicted),
            f"error rate at {name}": metrics.error_rate(human, score),
        }
    return found


def pair_figures(supported: metrics.Bools, probability: Array, thresholds: Mapping[str, float]) -> Figures:
    """Agreement on claims with their evidence."""
    found: Figures = {
        "n": len(probability),
        "auc": metrics.auc(supported, probability),
        "ece": metrics.ece(supported, probability),
    }
    for name, threshold in thresholds.items():
        predicted = probability >= threshold
        found |= {
            f"accuracy at {name}": metrics.accuracy(supported, predicted),
            f"balanced accuracy at {name}": metrics.balanced_accuracy(supported, predicted),
        }
    return found


def rejection(kinds: np.ndarray, probability: Array, thresholds: Mapping[str, float]) -> Figures:
    """Share rejected of facts made false by one edit, by kind of edit."""
    found: Figures = {"n": len(probability)}
    for name, threshold in thresholds.items():
        rejected = probability < threshold
        found[f"rejected at {name}"] = float(rejected.mean()) if len(rejected) else None
        for kind in sorted(set(kinds.tolist())):
            found[f"{kind} rejected at {name}"] = float(rejected[kinds == kind].mean())
    return found


def as_text(figures: Mapping[str, Figures]) -> str:
    """The figures as lines to read."""
    lines = []
    for name, values in figures.items():
        shown = ", ".join(
            f"{key} {value}" if value is None or isinstance(value, int) else f"{key} {value:.3f}"
            for key, value in values.items()
        )
        lines.append(f"{name}: {shown}")
    return "\n".join(lines)
