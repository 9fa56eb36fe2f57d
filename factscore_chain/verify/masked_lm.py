"""The vectors of a masked language model that the nonparametric check compares (extra `hf`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from factscore_chain.hub import from_transformers
from factscore_chain.together import Together

Vectors = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]

_PREFIX = "Fact: "
_TOKENS_AT_ONCE = 4096


@dataclass(frozen=True)
class Tokens:
    """Tokens and a vector for each."""

    ids: Ids
    """Shape (tokens,)."""
    vectors: Vectors
    """Shape (tokens, width)."""


@lru_cache(maxsize=2)
def load_masked_lm(name: str) -> MaskedLM:
    """Loads a masked language model by its name on the hub, or from a folder; once a process.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        WeightsNotFoundError: The weights are not here and cannot be downloaded.
    """
    return MaskedLM(*from_transformers(name, "AutoModelForMaskedLM", f"The NP check by {name}"))


class MaskedLM:
    """A masked language model with its tokenizer, on the GPU if there is one.

    Args:
        tokenizer: A transformers tokenizer with a mask token.
        model: A transformers masked language model.
    """

    def __init__(self, tokenizer: Any, model: Any) -> None:
        import torch

        self._torch = torch
        self._tokenizer = tokenizer
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model = model.eval().to(self._device)
        # RoBERTa numbers its positions from 2.
        self.longest = min(tokenizer.model_max_length, model.config.max_position_embeddings - 2)
        self._together = Together(self._read)
        self.colon = self.ids(":")[-1]

    def ids(self, text: str) -> list[int]:
        """Ids of a text's tokens, without markers."""
        return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def fact_ids(self, fact: str) -> list[int]:
        """Ids of a fact as the model is asked about it, with markers; cut to what the model can read."""
        ids = self._framed(self.ids(_PREFIX + fact)[: self.longest - 2])
        return [int(one) for one in ids]

    def content_positions(self, ids: Sequence[int], stopwords: frozenset[int]) -> list[int]:
        """Where the tokens stand that are masked: behind the prefix, and neither stop word nor marker."""
        start = list(ids).index(self.colon) + 1
        skipped = stopwords | set(self._tokenizer.all_special_ids)
        return [place for place in range(start, len(ids)) if ids[place] not in skipped]

    def masked(self, facts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[Vectors]:
        """For each fact the vectors of its positions, each where that position alone is masked.

        Args:
            facts: Ids, and positions in them, at least one.

        Returns:
            Arrays of shape (positions, width).
        """
        rows = [self._with_mask(ids, place) for ids, positions in facts for place in positions]
        hidden = iter(self._hidden(rows))
        return [np.stack([next(hidden)[place] for place in positions]) for _, positions in facts]

    def _with_mask(self, ids: Sequence[int], place: int) -> list[int]:
        return [*ids[:place], self._tokenizer.mask_token_id, *ids[place + 1 :]]

    def passages(self, texts: Sequence[str]) -> Tokens:
        """All tokens of the texts with their vectors, without markers; long texts are read in windows."""
        windows = [window for text in texts for window in self._windows(self.ids(text))]
        hidden = self._hidden([self._framed(window) for window in windows])
        vectors = [one[1 : 1 + len(window)] for one, window in zip(hidden, windows, strict=True)]
        width = self._model.config.hidden_size
        return Tokens(
            np.array([one for window in windows for one in window], np.int64),
            np.concatenate([np.zeros((0, width), np.float32), *vectors]),
        )

    def _windows(self, ids: list[int]) -> Iterator[list[int]]:
        size = self.longest - 2
        for start in range(0, len(ids), size):
            yield ids[start : start + size]

    def _framed(self, ids: list[int]) -> list[int]:
        tokenizer = self._tokenizer
        first = tokenizer.cls_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
        last = tokenizer.sep_token_id if tokenizer.eos_token_id is None else tokenizer.eos_token_id
        return [first, *ids, last]

    def _hidden(self, rows: list[list[int]]) -> list[Vectors]:
        """Vectors of the last layer for each row, in order, read with what other threads ask meanwhile."""
        return self._together(rows)

    def _read(self, rows: list[list[int]]) -> list[Vectors]:
        """The same; rows of like length are read together."""
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
        found: list[Vectors] = [np.zeros((0, 0), np.float32)] * len(rows)
        while order:
            longest = len(rows[order[-1]])
            batch = [order.pop() for _ in range(min(len(order), max(1, _TOKENS_AT_ONCE // longest)))]
            for row, vectors in zip(batch, self._run([rows[row] for row in batch], longest), strict=True):
                found[row] = vectors[: len(rows[row])]
        return found

    def _run(self, rows: list[list[int]], longest: int) -> Vectors:
        padding = self._tokenizer.pad_token_id
        ids = self._torch.tensor([row + [padding] * (longest - len(row)) for row in rows])
        mask = self._torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        with self._torch.inference_mode():
            output = self._model(
                input_ids=ids.to(self._device),
                attention_mask=mask.to(self._device),
                output_hidden_states=True,
            )
        return np.asarray(output.hidden_states[-1].float().cpu().numpy(), np.float32)
