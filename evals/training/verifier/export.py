"""Exports the trained cross-encoder to an int8 ONNX file, and measures how far it moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from factscore_chain.evals.training.verifier.model import CrossEncoderModel, tensors
from factscore_chain.evals.training.verifier.pairs import TrainingPair
from factscore_chain.verify.cross_encoder import CrossEncoder, Pair, PairTokenizer
from factscore_chain.verify.head import sigmoid
from factscore_chain.verify.support import cross_features

_INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


@dataclass(frozen=True)
class Parity:
    """How the exported model's probability of "supported" differs from the torch model's."""

    pairs: int
    mean: float
    largest: float
    verdicts_equal: float
    """Share of pairs on the same side of one half."""


def export(model: CrossEncoderModel, path: Path) -> None:
    """Writes the model with int8 weights; activations are quantised token by token as it runs."""
    import onnx

    from factscore_chain.evals.training.rowwise_int8 import fuse, quantise_rows
    from factscore_chain.evals.training.verifier.last_layer import finish_what_is_read

    axes = {name: {0: "pair", 1: "token"} for name in _INPUTS}
    config = model.bert.config
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "float.onnx"
        torch.onnx.export(
            model.eval(),
            tensors([([101, 1000, 102, 1001, 102], 3), ([101, 102, 1001, 102], 2)]),
            str(plain),
            input_names=_INPUTS,
            output_names=["logits"],
            dynamic_axes={**axes, "logits": {0: "pair"}},
            opset_version=17,
            dynamo=False,
        )
        fused = fuse(plain, config.num_attention_heads, config.hidden_size)
        _axes_as_inputs(fused)
        onnx.save(finish_what_is_read(quantise_rows(fused)), path)


def _axes_as_inputs(model: Any) -> None:
    """Rewrites maxima over an axis for the version of ONNX that quantisation asks for."""
    from onnx import numpy_helper

    for node in model.graph.node:
        named = [one for one in node.attribute if one.name == "axes"]
        if node.op_type == "ReduceMax" and named:
            axes = np.array(list(named[0].ints), np.int64)
            model.graph.initializer.append(numpy_helper.from_array(axes, f"{node.output[0]}:axes"))
            node.input.append(f"{node.output[0]}:axes")
            node.attribute.remove(named[0])


def parity(
    model: CrossEncoderModel, exported: Path, tokenizer: Path, pairs: Sequence[TrainingPair]
) -> Parity:
    """Compares both models on pairs."""
    inputs = [Pair(pair.evidence, pair.claim) for pair in pairs]
    ids = PairTokenizer(tokenizer)
    with torch.inference_mode():
        reference = np.concatenate([model(*tensors([ids.ids(one)])).numpy() for one in inputs])
    shipped = CrossEncoder(exported, tokenizer).logits(inputs)
    first, second = (
        sigmoid(np.array([cross_features(row)[0] for row in rows], np.float64))
        for rows in (reference, shipped)
    )
    moved = np.abs(first - second)
    return Parity(
        len(inputs), float(moved.mean()), float(moved.max()), float(((first > 0.5) == (second > 0.5)).mean())
    )
