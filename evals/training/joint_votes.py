"""Makes the votes that joint weights and the cascade's limits are set by: no judge has seen what weighs it.

    python -m factscore_chain.evals.training.joint_votes --rows ROWS --answers FILE --model NAME --out VOTES
    factscore eval calibrate VOTES --out factscore_chain/models/joint/weights.json

ROWS is the table of the embedded verifier's recipe (`rows.npz`). For facts of training topics the embedded
verifier's probability is that of trees fitted without the topic, for held-out ones that of the shipped head.
FILE is what `evals/bench/same_model.py` kept of a model's answers about ChatGPT's facts; those with a
probability are of our protocol, and a fact whose words stand in the table twice is left out. Without FILE the
votes are of the embedded verifier alone, on the facts of all systems.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from factscore_chain.evals.training.verifier.config import DEFAULT, read_recipe
from factscore_chain.evals.training.verifier.fit_head import fit, training_rows
from factscore_chain.evals.training.verifier.rows import Table, read_table
from factscore_chain.evals.votes import Vote, write_votes
from factscore_chain.prompts.prompt import load_prompt
from factscore_chain.values import Verdict
from factscore_chain.verify.embedded import shared_support

SYSTEM = "ChatGPT"
"""Whose facts the answers are about."""


def own_votes(table: Table, config: Path) -> list[Vote]:
    """The embedded verifier's probability of every human fact in the table."""
    recipe = read_recipe(config).head
    rows, held = training_rows(table, recipe), table.where(table.held_out)
    shipped = shared_support().head.probability(held.features, held.free)
    return [
        Vote(
            system=str(half.kind[i]),
            topic=str(half.group[i]),
            fact=str(half.claim[i]),
            supported=bool(half.supported[i]),
            embedded=float(probabilities[i]),
        )
        for half, probabilities in ((rows, fit(rows, recipe).out_of_fold), (held, shipped))
        for i in np.flatnonzero(half.source == "fs")
    ]


def joined(own: Sequence[Vote], answers: Iterable[dict[str, Any]], model: str) -> list[Vote]:
    """The votes with a model's answers: facts that it gave a probability for, and that are known once."""
    by_fact: dict[str, list[Vote]] = defaultdict(list)
    for vote in own:
        if vote.system == SYSTEM:
            by_fact[vote.fact].append(vote)
    prompt = load_prompt("verify").identity
    return [
        by_fact[answer["fact"]][0].model_copy(
            update={
                "verdict": Verdict(answer["verdict"]),
                "probability": answer["probability"],
                "model": model,
                "prompt": prompt,
            }
        )
        for answer in answers
        if answer["probability"] is not None and len(by_fact[answer["fact"]]) == 1
    ]


def main() -> None:
    """Writes the votes."""
    parser = argparse.ArgumentParser(description="Votes that the shipped joint weights are fitted to.")
    parser.add_argument("--rows", type=Path, required=True, metavar="ROWS")
    parser.add_argument("--config", type=Path, default=DEFAULT, metavar="FILE", help="the verifier's recipe")
    parser.add_argument("--answers", type=Path, metavar="FILE")
    parser.add_argument("--model", default="?", metavar="NAME", help="the model that gave the answers")
    parser.add_argument("--out", type=Path, required=True, metavar="VOTES")
    options = parser.parse_args()
    found = own_votes(read_table(options.rows), options.config)
    if options.answers is not None:
        lines = options.answers.read_text(encoding="utf-8").splitlines()
        found = joined(found, map(json.loads, lines), options.model)
    write_votes(options.out, found)
    print(f"{len(found)} votes, {sum(vote.held_out for vote in found)} of them on held-out topics")


if __name__ == "__main__":
    main()
