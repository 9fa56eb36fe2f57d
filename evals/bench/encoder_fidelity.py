"""How near the shipped int8 encoder is to the float model it was made from, and how fast it is.

    python -m factscore_chain.evals.bench.encoder_fidelity [TEXT_FILE] [--json]

Without a file, sentences of `$FACTSCORE_DATA/vital_articles`. Needs the `hf` extra.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.encoder import Encoder, Floats, default_encoder
from factscore_chain.errors import UsageError
from factscore_chain.evals.training.export_encoder import default_weights

SENTENCES = 1000
_LENGTHS = (40, 400)
_NEIGHBOURS = 5
_REPEATS = 3


@dataclass(frozen=True)
class Fidelity:
    """Figures of the int8 encoder against the float model."""

    sentences: int
    mean_cosine: float
    """Of a sentence's two vectors."""
    lowest_cosine: float
    neighbour_overlap: float
    """Share of each sentence's five nearest that both models agree on."""
    token_cosine: float
    """Mean over tokens of the cosine of their two contextual vectors."""
    sentences_per_second: dict[int, float]
    """By number of threads; the best of three runs."""


def read_sentences(source: Path | None, count: int = SENTENCES, seed: int = 0) -> list[str]:
    """Different sentences of texts taken in random order, from a file or the folder FACTSCORE_DATA names.

    Raises:
        UsageError: There are fewer than `count` of ordinary length.
    """
    texts = _texts(source)
    fitting: dict[str, None] = {}
    for place in np.random.default_rng(seed).permutation(len(texts)):
        found = [sentence.text for sentence in split_sentences(texts[place])]
        fitting |= dict.fromkeys(one for one in found if _LENGTHS[0] <= len(one) <= _LENGTHS[1])
        if len(fitting) >= count:
            return list(fitting)[:count]
    raise UsageError(
        f"There are {len(fitting)} sentences of {_LENGTHS[0]} to {_LENGTHS[1]} characters, and {count} are "
        "needed. Give a larger text file."
    )


def _texts(source: Path | None) -> list[str]:
    if source is not None:
        return source.read_text(encoding="utf-8").splitlines()
    folder = os.environ.get("FACTSCORE_DATA")
    if not folder:
        raise UsageError("FACTSCORE_DATA names no folder of benchmark data. Set it, or give a text file.")
    (archive,) = (Path(folder) / "vital_articles").glob("*.json.gz")
    with gzip.open(archive, "rt", encoding="utf-8") as file:
        return [row["extract"] for row in json.load(file).values()]


def measure(encoder: Encoder, weights: Path, sentences: Sequence[str]) -> Fidelity:
    """Compares on sentences, and times the encoder on 1 and 2 threads."""
    vectors, tokens = _float_vectors(weights, sentences)
    ours = encoder.embed(sentences)
    cosines = (ours * vectors).sum(axis=1)
    ours_tokens = np.concatenate([one.vectors for one in encoder.token_vectors(sentences)])
    return Fidelity(
        sentences=len(sentences),
        mean_cosine=float(cosines.mean()),
        lowest_cosine=float(cosines.min()),
        neighbour_overlap=_overlap(ours, vectors),
        token_cosine=float((ours_tokens * tokens).sum(axis=1).mean()),
        sentences_per_second={n: _speed(replace(encoder, threads=n), sentences) for n in (1, 2)},
    )


def _float_vectors(weights: Path, sentences: Sequence[str]) -> tuple[Floats, Floats]:
    import torch
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(1)  # sentences are too small to share
    tokenizer, model = AutoTokenizer.from_pretrained(weights), AutoModel.from_pretrained(weights).eval()
    means, tokens = [], []
    with torch.inference_mode():
        for sentence in sentences:
            inputs = tokenizer(sentence, return_tensors="pt", truncation=False, padding=False)
            states = model(**inputs).last_hidden_state[0].numpy()
            means.append(states.mean(axis=0))
            tokens.append(states[1:-1])
    return _unit(np.stack(means)), _unit(np.concatenate(tokens))


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def _overlap(first: Floats, second: Floats) -> float:
    near = [_nearest(first), _nearest(second)]
    return float(np.mean([len(set(a) & set(b)) / _NEIGHBOURS for a, b in zip(*near, strict=True)]))


def _nearest(vectors: Floats) -> list[list[int]]:
    similar = vectors @ vectors.T
    np.fill_diagonal(similar, -np.inf)
    rows: list[list[int]] = np.argsort(-similar, axis=1)[:, :_NEIGHBOURS].tolist()
    return rows


def _speed(encoder: Encoder, sentences: Sequence[str]) -> float:
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        encoder.embed(sentences)
        times.append(time.perf_counter() - start)
    return len(sentences) / min(times)


def render(figures: Fidelity) -> str:
    """A Markdown table of the figures."""
    rows = [
        ("sentences", f"{figures.sentences}"),
        ("mean cosine of sentence vectors", f"{figures.mean_cosine:.4f}"),
        ("lowest cosine", f"{figures.lowest_cosine:.4f}"),
        ("overlap of the five nearest", f"{figures.neighbour_overlap:.3f}"),
        ("mean cosine of token vectors", f"{figures.token_cosine:.4f}"),
        *((f"sentences a second, threads: {n}", f"{v:.0f}") for n, v in figures.sentences_per_second.items()),
    ]
    return "\n".join(["| figure | value |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows)])


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, nargs="?", help="a text file to take the sentences from")
    parser.add_argument(
        "--weights", type=Path, help="folder of the float model; the installed one if not given"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    weights = options.weights or default_weights()
    figures = measure(default_encoder(), weights, read_sentences(options.text))
    print(json.dumps(asdict(figures), indent=1) if options.json else render(figures))


if __name__ == "__main__":
    main()
