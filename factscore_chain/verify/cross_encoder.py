"""The cross-encoder: reads a fact and a few sentences together, and catches what matching words cannot.

A MiniLM of six layers, fine-tuned on claims with evidence and run by onnxruntime from int8 weights. It sees
"[CLS] evidence [SEP] fact [SEP]" and gives three logits: supported, contradicted, no evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from factscore_chain.encoder import run_batches
from factscore_chain.errors import FactScoreError
from factscore_chain.verify.words import Floats

CLASSES = ("supported", "contradicted", "no_evidence")
LONGEST_PAIR = 160
"""Tokens of a pair; the evidence gives way, never below what is left by a fact of `LONGEST_FACT` tokens."""
LONGEST_FACT = 96
_BATCH_TOKENS = 1024


class Pair(NamedTuple):
    """One input of the cross-encoder."""

    evidence: str
    fact: str


class PairTokenizer:
    """Turns pairs into token ids, the same way in training and in use."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._start, self._end = (int(self._tokenizer.token_to_id(mark) or 0) for mark in ("[CLS]", "[SEP]"))

    def ids(self, pair: Pair) -> tuple[list[int], int]:
        """Ids of the pair, and how many of them come before the fact."""
        return self.ids_of([pair])[0]

    def ids_of(self, pairs: Sequence[Pair]) -> list[tuple[list[int], int]]:
        """The same of several pairs; what several of them share is split once."""
        pieces = {text: self._pieces(text) for text in dict.fromkeys(text for pair in pairs for text in pair)}
        return [self._joined(pieces[pair.evidence], pieces[pair.fact]) for pair in pairs]

    def _pieces(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def _joined(self, evidence: list[int], fact: list[int]) -> tuple[list[int], int]:
        fact = fact[:LONGEST_FACT]
        evidence = evidence[: LONGEST_PAIR - 3 - len(fact)]
        return [self._start, *evidence, self._end, *fact, self._end], len(evidence) + 2


class CrossEncoder:
    """Runs the model; loads it at the first use.

    As in the encoder, only pairs of equal length share a batch and every token is quantised on its own: but
    for the last bits of its head's sums, a pair gives the same logits whatever else is asked with it.
    """

    def __init__(self, model: Path, tokenizer: Path, threads: int | None = None) -> None:
        self._model = model
        self._tokenizer_file = tokenizer
        self._threads = threads

    @cached_property
    def _tokenizer(self) -> PairTokenizer:
        return PairTokenizer(self._tokenizer_file)

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        if not self._model.is_file():
            raise FactScoreError(
                f"The verifier's file {self._model} is missing. Install factscore-chain again."
            )
        options = onnxruntime.SessionOptions()
        # Whole batches run side by side: faster than sharing the work of one.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])

    def logits(self, pairs: Sequence[Pair]) -> Floats:
        """Logits of `CLASSES`, one row a pair, in the order given."""
        rows = self._tokenizer.ids_of(pairs)
        result = np.zeros((len(rows), len(CLASSES)), np.float32)
        session: Any = self._session if rows else None

        def compute(batch: list[int]) -> None:
            result[batch] = session.run(None, _inputs([rows[i] for i in batch]))[0]

        run_batches([len(ids) for ids, _ in rows], _BATCH_TOKENS, self._threads, compute)
        return result


def _inputs(rows: Sequence[tuple[list[int], int]]) -> dict[str, npt.NDArray[np.int64]]:
    """The model's inputs for rows of one length; token type 1 marks the fact."""
    ids = np.array([row for row, _ in rows], np.int64)
    before = np.array([before for _, before in rows])
    kind = (np.arange(ids.shape[1]) >= before[:, None]).astype(np.int64)
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kind}
