"""Runs the recipe: pairs, cross-encoder, export, head, figures.

    python -m factscore_chain.evals.training.verifier --data DATA --out OUT [--config FILE] [--from STEP]

DATA is the folder of labelled sets; OUT receives the weights, the log and every step between.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from factscore_chain.evals.training.verifier.config import DEFAULT, Recipe, read_recipe
from factscore_chain.evals.training.verifier.facts import facts_with_evidence
from factscore_chain.evals.training.verifier.leads import read_leads
from factscore_chain.evals.training.verifier.pairs import FOLDS, TrainingPair, build_pairs

STEPS = ("pairs", "align", "train", "export", "cross", "head", "card")
_PARITY_PAIRS = 500


def main() -> None:
    """Runs the steps from the one named to the last."""
    parser = argparse.ArgumentParser(prog="python -m factscore_chain.evals.training.verifier")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--config", type=Path, default=DEFAULT)
    parser.add_argument("--from", dest="first", choices=STEPS, default=STEPS[0])
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    run = Run(asked.data, asked.out, read_recipe(asked.config))
    for step in STEPS[STEPS.index(asked.first) :]:
        start = time.monotonic()
        getattr(run, step)()
        run.log(f"{step}: done in {time.monotonic() - start:.0f} s")


class Run:
    """The steps; each leaves its result in the folder, so that a run can go on from any of them."""

    def __init__(self, data: Path, out: Path, recipe: Recipe) -> None:
        self.data = data
        self.out = out
        self.recipe = recipe

    def log(self, line: str) -> None:
        """Prints a line and keeps it."""
        print(line, flush=True)
        with (self.out / "log.txt").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def pairs(self) -> None:
        """Builds the training pairs."""
        config = self.recipe.pairs
        facts = facts_with_evidence(self.data, config.of_others, config.seed)
        pairs = build_pairs(self.data, facts, read_leads(self.data, config.leads, config.seed), config)
        (self.out / "pairs.pkl").write_bytes(pickle.dumps([tuple(pair) for pair in pairs]))
        self.log(f"pairs: {dict(sorted(Counter(pair.source for pair in pairs).items()))}")

    def _read_pairs(self) -> list[TrainingPair]:
        # The file is this run's own.
        return [TrainingPair(*row) for row in pickle.loads((self.out / "pairs.pkl").read_bytes())]  # noqa: S301

    def align(self) -> None:
        """Aligns every labelled claim with its passages, by the shipped encoder."""
        from factscore_chain.evals.training.verifier.rows import ask_everything, make_table
        from factscore_chain.verify.support import Support

        asked = ask_everything(self.data, self.out, self.recipe.head)
        make_table(asked, Support(self.out)).save(self.out / "aligned.npz")

    def train(self) -> None:
        """Trains the trunk and its branches, and takes their mean; what is there already is kept."""
        import torch

        from factscore_chain.evals.training.verifier import train

        def weights(name: str) -> train.Weights:
            found: train.Weights = torch.load(self.out / f"{name}.pt", weights_only=True)
            return found

        pairs, config = self._read_pairs(), self.recipe.train
        if not (self.out / "trunk.pt").exists():
            train.save(train.train_trunk(pairs, config, self._log_of("trunk")), self.out / "trunk.pt")
        for fold in range(FOLDS):
            name = f"branch{fold}"
            if not (self.out / f"{name}.pt").exists():
                model = train.train_branch(weights("trunk"), fold, pairs, config, self._log_of(name))
                train.save(model, self.out / f"{name}.pt")
        mean = train.mean_weights([weights(f"branch{fold}") for fold in range(FOLDS)])
        torch.save(mean, self.out / "cross_encoder.pt")

    def _log_of(self, name: str) -> Callable[[str], None]:
        return lambda line: self.log(f"{name}, {line}")

    def export(self) -> None:
        """Exports branches and mean, and says how far the mean's exported answers moved."""
        import torch

        from factscore_chain.evals.training.verifier.export import export, parity
        from factscore_chain.evals.training.verifier.model import CrossEncoderModel, base_weights

        model = CrossEncoderModel(base_weights())
        for name in (*(f"branch{fold}" for fold in range(FOLDS)), "cross_encoder"):
            model.load_state_dict(torch.load(self.out / f"{name}.pt", weights_only=True))
            export(model, self.out / f"{name}.onnx")
        pairs = self._read_pairs()[:_PARITY_PAIRS]
        tokenizer = base_weights() / "tokenizer.json"
        moved = parity(model.eval(), self.out / "cross_encoder.onnx", tokenizer, pairs)
        (self.out / "parity.json").write_text(json.dumps(asdict(moved)))
        self.log(f"export: {json.dumps(asdict(moved))}")

    def cross(self) -> None:
        """Lets the cross-encoders read the aligned claims, each row by one that never saw its topic."""
        from factscore_chain.evals.training.verifier.rows import read_table, with_cross_features
        from factscore_chain.verify.cross_encoder import CrossEncoder
        from factscore_chain.verify.support import TOKENIZER

        branches = [CrossEncoder(self.out / f"branch{fold}.onnx", TOKENIZER) for fold in range(FOLDS)]
        mean = CrossEncoder(self.out / "cross_encoder.onnx", TOKENIZER)
        table = read_table(self.out / "aligned.npz")
        with_cross_features(table, branches, mean).save(self.out / "rows.npz")

    def head(self) -> None:
        """Fits and calibrates the head, sets its thresholds, and reports on what was held out."""
        from factscore_chain.evals.training.verifier import figures, fit_head
        from factscore_chain.evals.training.verifier.rows import read_table, within_limits
        from factscore_chain.verify.head import read_head

        table = read_table(self.out / "rows.npz")
        rows = fit_head.training_rows(table, self.recipe.head)
        fitted = fit_head.fit(rows, self.recipe.head)
        limits = fit_head.thresholds(within_limits(rows, fitted.out_of_fold), rows)
        shipped = {"default": limits["f1"], **limits}
        head = {**fitted.head, "thresholds": shipped, "version": self.recipe.version}
        fit_head.write_head(head, self.out / "head.json")
        head_says = read_head(self.out / "head.json").probability(table.features, table.free)
        probability = within_limits(table, head_says)
        found = figures.all_figures(table, probability, limits)
        kept = {
            "thresholds": limits,
            "topics": len(set(table.group[table.held_out & (table.source == "fs")].tolist())),
            "auc of parts": {
                "alignment": figures.areas(table, fit_head.alignment_alone(rows, table, self.recipe.head)),
                "cross-encoder": figures.areas(table, table.features[:, -2].astype(np.float64)),
                "joined": figures.areas(table, probability),
            },
            **found,
        }
        (self.out / "figures.json").write_text(json.dumps(kept, indent=1))
        self.log(f"thresholds: {limits}\n{figures.as_text(found)}")

    def card(self) -> None:
        """Writes the model card."""
        from factscore_chain.evals.training.verifier.card import write_card

        write_card(self.out, self.recipe, self.out / "README.md")


if __name__ == "__main__":
    main()
