"""Exports the trained networks to int8 ONNX and compares their outputs with the torch model's."""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
import onnx
import onnxruntime as ort
import torch
from torch import nn

from factscore_chain.evals.training.decomposer.config import DEFAULT, load_recipe
from factscore_chain.evals.training.decomposer.examples import target_example
from factscore_chain.evals.training.decomposer.network import TaggerNetwork
from factscore_chain.evals.training.decomposer.prepared import PREPARED, Prepared
from factscore_chain.evals.training.decomposer.train import WEIGHTS, load_tokenizer
from factscore_chain.evals.training.rowwise_int8 import fuse, quantise_rows

Figures: TypeAlias = dict[str, float]

_OPSET = 17
_SAMPLES = 300
"""Sentences on which the exported networks are compared with the trained ones."""


class _Sentence(nn.Module):  # type: ignore[misc]
    def __init__(self, network: TaggerNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, ...]:
        hidden = self.network.read(ids, None)
        anchor, tag, entity = self.network.sentence(hidden, None)
        return hidden, torch.sigmoid(anchor), tag, entity


class _Fact(nn.Module):  # type: ignore[misc]
    def __init__(self, network: TaggerNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, hidden: torch.Tensor, marks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        part, insertion = self.network.fact(hidden, None, marks)
        return torch.softmax(part, -1), insertion


_NETWORKS: dict[str, tuple[type[nn.Module], list[str], list[str]]] = {
    "sentence": (_Sentence, ["ids"], ["hidden", "anchor", "tag", "entity"]),
    "fact": (_Fact, ["hidden", "marks"], ["part", "insertion"]),
}


def export(network: TaggerNetwork, folder: Path, samples: Sequence[tuple[list[int], list[int]]]) -> Figures:
    """Writes `sentence.onnx` and `fact.onnx`, and compares them with the torch model.

    Args:
        network: The trained networks.
        folder: Where the files go.
        samples: Word pieces and marks of some sentences.

    Returns:
        Largest and mean difference of the anchors' and parts' probabilities, the share of words whose part is
        the same, and the size of each file in megabytes.
    """
    network.eval()
    figures: Figures = {}
    for name, (kind, names_in, names_out) in _NETWORKS.items():
        module = kind(network).eval()
        feeds = [dict(zip(names_in, _inputs(network, name, *sample), strict=True)) for sample in samples]
        with TemporaryDirectory() as scratch:
            plain = Path(scratch) / "float.onnx"
            _export_float(module, plain, feeds[0], names_out)
            fused = fuse(plain, network.heads_of_attention, network.width)
            onnx.save(quantise_rows(fused), folder / f"{name}.onnx")
        module.eval()
        figures |= _compare(module, folder / f"{name}.onnx", feeds, names_out)
        figures[f"{name}_megabytes"] = (folder / f"{name}.onnx").stat().st_size / 1e6
    return figures


def _inputs(network: TaggerNetwork, name: str, ids: list[int], marks: list[int]) -> tuple[torch.Tensor, ...]:
    pieces = torch.tensor([ids])
    if name == "sentence":
        return (pieces,)
    with torch.no_grad():
        return network.read(pieces, None), torch.tensor([marks])


def _export_float(
    module: nn.Module, target: Path, feed: dict[str, torch.Tensor], names_out: list[str]
) -> None:
    torch.onnx.export(
        module,
        tuple(feed.values()),
        str(target),
        input_names=list(feed),
        output_names=names_out,
        dynamic_axes={one: {0: "batch", 1: "length"} for one in [*feed, *names_out]},
        opset_version=_OPSET,
        dynamo=False,
    )


def _compare(
    module: nn.Module, path: Path, feeds: Sequence[dict[str, torch.Tensor]], names_out: list[str]
) -> Figures:
    name = "anchor" if "anchor" in names_out else "part"
    at = names_out.index(name)
    session = ort.InferenceSession(str(path))
    differences, same = [], []
    for feed in feeds:
        with torch.no_grad():
            wanted = module(*feed.values())[at][0].numpy()
        made = session.run(None, {one: value.numpy() for one, value in feed.items()})[at][0]
        differences.append(np.abs(made - wanted).ravel())
        same.append(
            made.argmax(-1) == wanted.argmax(-1) if name == "part" else (made > 0.5) == (wanted > 0.5)
        )
    every = np.concatenate(differences)
    agreed = np.concatenate([one.ravel() for one in same])
    return {
        f"{name}_largest": float(every.max()),
        f"{name}_mean": float(every.mean()),
        f"{name}_same": float(agreed.mean()),
    }


def main() -> None:
    """Exports into a folder of the package's models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("--to", type=Path, required=True)
    options = parser.parse_args()
    recipe = load_recipe(DEFAULT)
    network = TaggerNetwork(options.encoder, recipe.shared_layers, recipe.dropout)
    network.load_state_dict(torch.load(options.out / WEIGHTS, weights_only=True))
    network.eval()
    options.to.mkdir(parents=True, exist_ok=True)
    tokenizer = load_tokenizer(options.encoder)
    prepared: Prepared = pickle.loads((options.out / PREPARED).read_bytes())  # noqa: S301 - written by prepare
    examples = [target_example(one, tokenizer) for one in prepared.human[:_SAMPLES]]
    samples = [(one.ids, one.facts[0].marks) for one in examples]
    print(json.dumps(export(network, options.to, samples), indent=1))


if __name__ == "__main__":
    main()
