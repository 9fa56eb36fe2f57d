"""Fills the verifier's model card with what a run measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from factscore_chain.evals.training.verifier.config import Recipe, Round, TrainConfig
from factscore_chain.evals.training.verifier.figures import OTHER_SETS
from factscore_chain.evals.training.verifier.sources import SYSTEMS
from factscore_chain.verify.alignment import FEATURES

TEMPLATE = Path(__file__).with_name("card.md")

_NAMES = {
    "wice": "WiCE, supported against the rest",
    "fever-symmetric": "FEVER symmetric",
    "fm2": "FoolMeTwice, gold sentences",
    "fm2-retrieved": "FoolMeTwice, all sentences given",
    "factcheck": "Factcheck-GPT, complete support against the rest",
    "wikibio": "WikiBio, sentences of GPT-3",
}


def write_card(folder: Path, recipe: Recipe, target: Path) -> None:
    """Writes the card from `figures.json`, `parity.json`, `head.json` and the model in a run's folder."""
    figures = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    parity = json.loads((folder / "parity.json").read_text(encoding="utf-8"))
    head = json.loads((folder / "head.json").read_text(encoding="utf-8"))
    limits = figures["thresholds"]
    edits = figures["minimal edits"]
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        megabytes=f"{(folder / 'cross_encoder.onnx').stat().st_size / 1e6:.1f}",
        trees=len(head["feature"]),
        default=f"{head['thresholds']['default']:.3g}",
        f1=f"{limits['f1']:.3g}",
        unbiased=f"{limits['unbiased']:.3g}",
        free=f"{limits['free']:.3g}",
        held_topics=figures["topics"],
        passages=recipe.head.passages,
        features=len(FEATURES),
        trunk_pairs=_drawn(recipe.train, [recipe.train.trunk]),
        branch_pairs=_drawn(recipe.train, recipe.train.branch.rounds),
        systems=_systems(figures),
        ece=_share(figures["all systems"]["ece"]),
        others=_others(figures),
        edits=f"{100 * edits['rejected at f1']:.0f}% of {edits['n']}",
        kinds=_kinds(edits),
        ablation=_ablation(figures),
        parity_pairs=parity["pairs"],
        parity_mean=f"{parity['mean']:.3f}",
        parity_max=f"{parity['largest']:.2f}",
        parity_same=f"{100 * parity['verdicts_equal']:.1f}%",
    )
    target.write_text(text, encoding="utf-8")


def _drawn(config: TrainConfig, rounds: Sequence[Round]) -> str:
    return f"{config.batch * sum(one.steps for one in rounds):,}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(" | ".join(["", *row, ""]).strip() for row in [head, ["---"] * len(head), *rows])


def _share(value: Any) -> str:
    return "–" if value is None else f"{value:.3f}"


def _points(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}"


def _systems(figures: Mapping[str, Any]) -> str:
    head = ["system", "facts", "AUC", "ECE", "F1 of always not supported", "threshold", "F1", "gain", "error"]
    rows = [
        [
            system,
            str(one["n"]),
            _share(one["auc"]),
            _share(one["ece"]),
            _points(100 * one["f1 of always not supported"]),
            use,
            _points(100 * one[f"f1 at {use}"]),
            _points(one[f"gain at {use}"]),
            f"{one[f'error rate at {use}']:+.1f}",
        ]
        for system, one in ((system, figures[system]) for system in SYSTEMS)
        for use in ("f1", "unbiased")
    ]
    return _table(head, rows)


def _others(figures: Mapping[str, Any]) -> str:
    head = ["claims", "rows", "AUC", "accuracy", "balanced accuracy", "ECE"]
    rows = [
        [
            _NAMES[name],
            str(one["n"]),
            _share(one["auc"]),
            _share(one["accuracy at free"]),
            _share(one["balanced accuracy at free"]),
            _share(one["ece"]),
        ]
        for name, one in ((name, figures[name]) for name in OTHER_SETS)
    ]
    return _table(head, rows)


def _kinds(edits: Mapping[str, Any]) -> str:
    end = " rejected at f1"
    shares = {key.removesuffix(end): value for key, value in edits.items() if key.endswith(end)}
    return ", ".join(f"{kind.replace('_', ' ')} {100 * share:.0f}%" for kind, share in shares.items())


def _ablation(figures: Mapping[str, Any]) -> str:
    names = [*SYSTEMS, "wice", "fever-symmetric", "fm2"]
    rows = [
        [
            name,
            *(
                _share(figures["auc of parts"][part][name])
                for part in ("alignment", "cross-encoder", "joined")
            ),
        ]
        for name in names
    ]
    return _table(["AUC", "alignment alone", "cross-encoder alone", "joined"], rows)
