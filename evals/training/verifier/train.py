"""Trains the cross-encoder: pairs drawn by source, batches of like length, a fixed number of steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

import torch
from torch import nn

from factscore_chain.evals.training.verifier.config import Round, TrainConfig
from factscore_chain.evals.training.verifier.model import CrossEncoderModel, base_weights, loss, tensors
from factscore_chain.evals.training.verifier.pairs import TrainingPair, refuse_reported_topics
from factscore_chain.verify.cross_encoder import Pair, PairTokenizer

_CHUNK = 50
_LEAST_RATE = 0.02
_SMOOTHING = 0.98


def train(
    pairs: Sequence[TrainingPair], config: TrainConfig, log: Callable[[str], None]
) -> CrossEncoderModel:
    """Trains on one machine, the same pairs and seed giving the same weights."""
    refuse_reported_topics(pairs)
    torch.set_num_threads(config.threads)
    tokenizer = PairTokenizer(base_weights() / "tokenizer.json")
    rows = [tokenizer.ids(Pair(pair.evidence, pair.claim)) for pair in pairs]
    torch.manual_seed(config.rounds[0].seed)
    model = CrossEncoderModel(base_weights())
    model.freeze(config.frozen_layers)
    model.train()
    for number, one in enumerate(config.rounds, 1):
        torch.manual_seed(one.seed)
        _train_round(model, pairs, rows, config, one, partial(_tell, log, number))
    model.eval()
    return model


def _tell(log: Callable[[str], None], number: int, line: str) -> None:
    log(f"round {number}, {line}")


def _train_round(
    model: CrossEncoderModel,
    pairs: Sequence[TrainingPair],
    rows: Sequence[tuple[list[int], int]],
    config: TrainConfig,
    one: Round,
    log: Callable[[str], None],
) -> None:
    labels = torch.tensor([pair.label for pair in pairs])
    optimizer = _optimizer(model, config, one)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, one))
    smooth, start = None, time.monotonic()
    batches = _batches(pairs, [len(ids) for ids, _ in rows], config, one.seed)
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
    )


def _rate(step: int, one: Round) -> float:
    return min(1.0, (step + 1) / one.warmup) * max(_LEAST_RATE, 1 - step / one.steps)


def _batches(
    pairs: Sequence[TrainingPair], lengths: Sequence[int], config: TrainConfig, seed: int
) -> Iterator[list[int]]:
    """Endless batches; each source is gone through in a new order whenever it is used up."""
    rng = Random(seed)
    rows = {name: [i for i, pair in enumerate(pairs) if pair.source == name] for name in config.weights}
    names = [name for name in config.weights if rows[name]]
    left: dict[str, list[int]] = {name: [] for name in names}
    while True:
        chunk = []
        for name in rng.choices(names, [config.weights[name] for name in names], k=config.batch * _CHUNK):
            if not left[name]:
                left[name] = rows[name][:]
                rng.shuffle(left[name])
            chunk.append(left[name].pop())
        chunk.sort(key=lambda i: lengths[i])
        batches = [chunk[i : i + config.batch] for i in range(0, len(chunk), config.batch)]
        rng.shuffle(batches)
        yield from batches
