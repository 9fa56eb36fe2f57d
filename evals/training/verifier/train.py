"""Trains the cross-encoder: pairs drawn by source, batches of like length, a fixed number of steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TypeAlias

import torch
from torch import nn

from factscore_chain.evals.training.verifier.config import Round, Stage, TrainConfig
from factscore_chain.evals.training.verifier.model import CrossEncoderModel, base_weights, loss, tensors
from factscore_chain.evals.training.verifier.pairs import TrainingPair, refuse_reported_topics, trained_on
from factscore_chain.verify.cross_encoder import Pair, PairTokenizer

Weights: TypeAlias = dict[str, torch.Tensor]

_CHUNK = 50
_LEAST_RATE = 0.02
_SMOOTHING = 0.98


def train_trunk(
    pairs: Sequence[TrainingPair], config: TrainConfig, log: Callable[[str], None]
) -> CrossEncoderModel:
    """Trains what the branches grow from; the same pairs and seed give the same weights on one machine."""
    torch.manual_seed(config.trunk.seed)
    model = CrossEncoderModel(base_weights())
    _train(model, pairs, config, config.trunk, log)
    return model


def train_branch(
    trunk: Weights,
    left_out: int,
    pairs: Sequence[TrainingPair],
    config: TrainConfig,
    log: Callable[[str], None],
) -> CrossEncoderModel:
    """Goes on from the trunk with all pairs but those of one fold."""
    model = CrossEncoderModel(base_weights())
    model.load_state_dict(trunk)
    allowed = [pair for pair in pairs if trained_on(pair, left_out)]
    for stage in config.branch.stages:
        seeded = stage.model_copy(update={"seed": stage.seed + left_out})
        _train(model, allowed, config, seeded, log)
    return model


def mean_weights(branches: Sequence[Weights]) -> Weights:
    """The branches' mean, weight by weight: as they share a trunk, it is a model as well."""
    return {
        name: torch.stack([one[name] for one in branches]).float().mean(0).to(value.dtype)
        for name, value in branches[0].items()
    }


def _train(
    model: CrossEncoderModel,
    pairs: Sequence[TrainingPair],
    config: TrainConfig,
    one: Stage,
    log: Callable[[str], None],
) -> None:
    refuse_reported_topics(pairs)
    torch.set_num_threads(config.threads)
    torch.manual_seed(one.seed)
    model.freeze(config.frozen_layers)
    model.train()
    tokenizer = PairTokenizer(base_weights() / "tokenizer.json")
    rows = [tokenizer.ids(Pair(pair.evidence, pair.claim)) for pair in pairs]
    labels = torch.tensor([pair.label for pair in pairs])
    optimizer = _optimizer(model, config, one)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, one))
    smooth, start = None, time.monotonic()
    batches = _batches(pairs, [len(ids) for ids, _ in rows], config.batch, one)
    for step, chosen in zip(range(one.steps), batches, strict=False):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(*tensors([rows[i] for i in chosen]))
        value = loss(logits, labels[chosen])
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        now = float(value)
        smooth = now if smooth is None else _SMOOTHING * smooth + (1 - _SMOOTHING) * now
        if step % 25 == 0:
            log(f"step {step} loss {smooth:.4f} after {time.monotonic() - start:.0f} s")
    model.eval()


def save(model: CrossEncoderModel, path: Path) -> None:
    """Writes the weights."""
    torch.save(model.state_dict(), path)


def _optimizer(model: CrossEncoderModel, config: TrainConfig, one: Round) -> torch.optim.Optimizer:
    body = [parameter for parameter in model.bert.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(
        [
            {"params": body, "lr": one.learning_rate},
            {"params": list(model.head.parameters()), "lr": config.head_factor * one.learning_rate},
        ],
        weight_decay=0.01,
        fused=True,
    )


def _rate(step: int, one: Round) -> float:
    return min(1.0, (step + 1) / one.warmup) * max(_LEAST_RATE, 1 - step / one.steps)


def _batches(
    pairs: Sequence[TrainingPair], lengths: Sequence[int], batch: int, one: Stage
) -> Iterator[list[int]]:
    """Endless batches; each source is gone through in a new order whenever it is used up."""
    rng = Random(one.seed)
    rows = {name: [i for i, pair in enumerate(pairs) if pair.source == name] for name in one.weights}
    names = [name for name in one.weights if rows[name]]
    left: dict[str, list[int]] = {name: [] for name in names}
    while True:
        chunk = []
        for name in rng.choices(names, [one.weights[name] for name in names], k=batch * _CHUNK):
            if not left[name]:
                left[name] = rows[name][:]
                rng.shuffle(left[name])
            chunk.append(left[name].pop())
        chunk.sort(key=lambda i: lengths[i])
        batches = [chunk[i : i + batch] for i in range(0, len(chunk), batch)]
        rng.shuffle(batches)
        yield from batches
