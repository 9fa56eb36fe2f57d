"""Exports the trained networks to int8 ONNX and compares their outputs with the torch model's."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnxruntime as ort
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from factscore_chain.evals.training.decomposer.config import DEFAULT, load_recipe
from factscore_chain.evals.training.decomposer.network import TaggerNetwork
from factscore_chain.evals.training.decomposer.train import WEIGHTS

_OPSET = 17


class _Sentence(nn.Module):  # type: ignore[misc]
    def __init__(self, network: TaggerNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        hidden = self.network.read(ids, mask)
        anchor, tag, entity = self.network.sentence(hidden, mask)
        return hidden, torch.sigmoid(anchor), tag, entity


class _Fact(nn.Module):  # type: ignore[misc]
    def __init__(self, network: TaggerNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, hidden: torch.Tensor, mask: torch.Tensor, marks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        part, insertion = self.network.fact(hidden, mask, marks)
        return torch.softmax(part, -1), insertion


_NETWORKS: dict[str, tuple[type[nn.Module], list[str], list[str]]] = {
    "sentence": (_Sentence, ["ids", "mask"], ["hidden", "anchor", "tag", "entity"]),
    "fact": (_Fact, ["hidden", "mask", "marks"], ["part", "insertion"]),
}


def export(network: TaggerNetwork, folder: Path) -> dict[str, float]:
    """Writes `sentence.onnx` and `fact.onnx`, and compares.

    Returns:
        Largest and mean difference of the anchors' and parts' probabilities from the torch model's, and the
        size in megabytes of each file.
    """
    inputs = _sample()
    figures: dict[str, float] = {}
    with TemporaryDirectory() as scratch:
        for name, (kind, names_in, names_out) in _NETWORKS.items():
            module = kind(network).eval()
            if name == "fact":
                inputs["hidden"] = network.read(inputs["ids"], inputs["mask"]).detach()
            arguments = tuple(inputs[one] for one in names_in)
            plain, target = Path(scratch) / f"{name}.onnx", folder / f"{name}.onnx"
            axes = {one: {0: "batch", 1: "length"} for one in [*names_in, *names_out]}
            torch.onnx.export(
                module,
                arguments,
                str(plain),
                input_names=names_in,
                output_names=names_out,
                dynamic_axes=axes,
                opset_version=_OPSET,
                dynamo=False,
            )
            quantize_dynamic(
                plain,
                target,
                weight_type=QuantType.QInt8,
                per_channel=True,
                extra_options={"MatMulConstBOnly": True},
            )
            module.eval()
            figures |= _compare(module, target, names_in, inputs, names_out)
            figures[f"{name}_megabytes"] = target.stat().st_size / 1e6
    return figures


def _sample() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(1000, 20000, (8, 40), generator=generator)
    mask = torch.ones_like(ids)
    mask[:4, 30:] = 0
    marks = torch.zeros_like(ids)
    marks[:, 7] = 1
    return {"ids": ids, "mask": mask, "marks": marks}


def _compare(
    module: nn.Module,
    path: Path,
    names_in: list[str],
    inputs: dict[str, torch.Tensor],
    names_out: list[str],
) -> dict[str, float]:
    with torch.no_grad():
        wanted = module(*(inputs[one] for one in names_in))
    made = ort.InferenceSession(str(path)).run(None, {one: inputs[one].numpy() for one in names_in})
    name = "anchor" if "anchor" in names_out else "part"
    at = names_out.index(name)
    difference = np.abs(made[at] - wanted[at].numpy())[inputs["mask"].numpy() == 1]
    return {f"{name}_largest": float(difference.max()), f"{name}_mean": float(difference.mean())}


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
    print(json.dumps(export(network, options.to), indent=1))
    shutil.copyfile(options.encoder / "tokenizer.json", options.to / "tokenizer.json")


if __name__ == "__main__":
    main()
