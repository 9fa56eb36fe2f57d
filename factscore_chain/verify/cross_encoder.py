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

from factscore_chain.verify.words import Floats

CLASSES = ("supported", "contradicted", "no_evidence")
LONGEST_PAIR = 160
"""Tokens of a pair; the evidence gives way, never below what is left by a fact of `LONGEST_FACT` tokens."""
LONGEST_FACT = 96
_BATCH = 32


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
        fact = self._tokenizer.encode(pair.fact, add_special_tokens=False).ids[:LONGEST_FACT]
        room = LONGEST_PAIR - 3 - len(fact)
        evidence = self._tokenizer.encode(pair.evidence, add_special_tokens=False).ids[:room]
        return [self._start, *evidence, self._end, *fact, self._end], len(evidence) + 2


class CrossEncoder:
    """Runs the model on batches of pairs of like length; loads it at the first use."""

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

        options = onnxruntime.SessionOptions()
        if self._threads is not None:
            options.intra_op_num_threads = self._threads
        return onnxruntime.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])

    def logits(self, pairs: Sequence[Pair]) -> Floats:
        """Logits of `CLASSES`, one row a pair, in the order given."""
        rows = [self._tokenizer.ids(pair) for pair in pairs]
        result = np.zeros((len(rows), len(CLASSES)), np.float32)
        by_length = sorted(range(len(rows)), key=lambda i: len(rows[i][0]))
        for first in range(0, len(rows), _BATCH):
            chosen = by_length[first : first + _BATCH]
            result[chosen] = self._session.run(None, _padded([rows[i] for i in chosen]))[0]
        return result


def _padded(rows: Sequence[tuple[list[int], int]]) -> dict[str, npt.NDArray[np.int64]]:
    shape = (len(rows), max(len(ids) for ids, _ in rows))
    names = ("input_ids", "attention_mask", "token_type_ids")
    ids, mask, kind = (np.zeros(shape, np.int64) for _ in names)
    for i, (row, before) in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
        kind[i, before : len(row)] = 1
    return dict(zip(names, (ids, mask, kind), strict=True))
