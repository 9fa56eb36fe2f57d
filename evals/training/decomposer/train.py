"""Trains the tagger: an epoch on machine-made facts, then some on those that people made.

Deterministic for a seed and a machine. Every sentence's topic is checked against the split first.
"""

from __future__ import annotations

import argparse
import pickle
import random
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer

from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.training.decomposer.config import DEFAULT, Recipe, load_recipe
from factscore_chain.evals.training.decomposer.examples import (
    Example,
    batched,
    kinds_example,
    losses,
    target_example,
)
from factscore_chain.evals.training.decomposer.network import TaggerNetwork
from factscore_chain.evals.training.decomposer.prepared import PREPARED, Prepared

WEIGHTS = "tagger.pt"
_LOG_EVERY = 25
_SMOOTHING = 0.97


def load_tokenizer(encoder: Path) -> Tokenizer:
    """The encoder's tokenizer, without the cutting and padding that it comes with."""
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def plan(prepared: Prepared, recipe: Recipe, tokenizer: Tokenizer) -> list[list[Example]]:
    """All batches in the order in which they are learned from."""
    rng = random.Random(recipe.seed)
    sentences = [*prepared.human, *prepared.machine]
    reported = sorted({one.topic for one in sentences if is_held_out(one.topic)})
    if reported:
        raise ValueError(f"{len(reported)} topics are reported on and must not be trained on: {reported[:3]}")
    kinds = [kinds_example(one, tokenizer) for one in prepared.kinds if 3 <= len(one.words) <= recipe.longest]
    batches: list[list[Example]] = []
    for rows, epochs in ((prepared.machine, recipe.machine_epochs), (prepared.human, recipe.human_epochs)):
        examples = [target_example(one, tokenizer) for one in rows if 3 <= len(one.words) <= recipe.longest]
        for _ in range(epochs):
            some = rng.sample(kinds, min(len(kinds), recipe.word_kind_sentences))
            batches += batched([*examples, *some], recipe.batch, rng)
    return batches


def train(network: TaggerNetwork, batches: list[list[Example]], recipe: Recipe) -> None:
    """Trains in place and logs the running mean of each part of the loss."""
    network.freeze(recipe.frozen_layers)
    groups = [
        {"params": network.body(), "lr": recipe.learning_rate},
        {"params": network.heads(), "lr": recipe.learning_rate * recipe.head_factor},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = len(batches)

    def factor(step: int) -> float:
        return min(1.0, (step + 1) / (recipe.warmup * steps)) * max(0.02, 1 - step / steps)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    network.train()
    means: dict[str, float] = {}
    started = time.monotonic()
    for step, batch in enumerate(batches):
        parts = losses(network, batch)
        optimizer.zero_grad()
        sum(recipe.weights[name] * loss for name, loss in parts.items()).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        for name, loss in parts.items():
            value = float(loss.detach())
            means[name] = _SMOOTHING * means.get(name, value) + (1 - _SMOOTHING) * value
        if step % _LOG_EVERY == 0 or step == steps - 1:
            told = " ".join(f"{name} {value:.4f}" for name, value in sorted(means.items()))
            print(f"{step + 1}/{steps} {told} {time.monotonic() - started:.0f}s", flush=True)


def main() -> None:
    """Trains and saves the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("--config", type=Path, default=DEFAULT)
    options = parser.parse_args()
    recipe = load_recipe(options.config)
    random.seed(recipe.seed)
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    tokenizer = load_tokenizer(options.encoder)
    prepared: Prepared = pickle.loads((options.out / PREPARED).read_bytes())  # noqa: S301 - written by prepare
    network = TaggerNetwork(options.encoder, recipe.shared_layers, recipe.dropout)
    train(network, plan(prepared, recipe, tokenizer), recipe)
    torch.save(network.state_dict(), options.out / WEIGHTS)


if __name__ == "__main__":
    main()
