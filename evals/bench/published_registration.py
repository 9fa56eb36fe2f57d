"""The published way of registering documents, to be measured beside ours: one process, RoBERTa's tokenizer.

As the original package does it: every element of a document is tokenized with its two markers, elements are
packed one after the other into passages of 256 ids, cut anywhere, and decoded again; one row a title holds
them all. Its vocabulary is on no machine of ours, so one of the same kind and size is trained on the text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from factscore_chain.errors import MissingExtraError
from factscore_chain.retrievers.original import SEPARATOR

_PASSAGE = 256
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_VOCABULARY = 50_265
"""Entries of RoBERTa's vocabulary."""


def texts_of(jsonl: Path) -> Iterator[tuple[str, list[str]]]:
    """Titles and elements of the documents of a file."""
    with jsonl.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield row["title"], [row["text"]] if isinstance(row["text"], str) else row["text"]


def train_tokenizer(jsonl: Path, folder: Path) -> None:
    """Trains a byte-level BPE vocabulary on a file and writes it as RoBERTa's tokenizer reads it."""
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    texts = (text for _, elements in texts_of(jsonl) for text in elements)
    tokenizer.train_from_iterator(texts, vocab_size=_VOCABULARY, special_tokens=list(_SPECIAL))
    tokenizer.save_model(str(folder))


def load_tokenizer(folder: Path) -> Any:
    """RoBERTa's tokenizer, the one in Python that the original loads.

    Raises:
        MissingExtraError: transformers is not installed, or is of a version that has it no more.
    """
    try:
        from transformers import RobertaTokenizer
    except ImportError as error:
        raise MissingExtraError("Measuring the published way", "hf") from error
    tokenizer = RobertaTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    if tokenizer.is_fast:
        raise MissingExtraError("The tokenizer in Python (transformers before version 5)", "hf")
    return tokenizer


def register(jsonl: Path, out: Path, tokenizer: Any) -> int:
    """Registers a file; returns the number of passages."""
    rows, count = [], 0
    with closing(sqlite3.connect(out)) as connection, connection:
        connection.execute("CREATE TABLE documents (title PRIMARY KEY, text)")
        for title, elements in texts_of(jsonl):
            passages = [
                tokenizer.decode(ids)
                for ids in _packed(tokenizer, elements)
                if set(ids) - _markers(tokenizer)
            ]
            count += len(passages)
            rows.append((title, SEPARATOR.join(passages)))
        connection.executemany("INSERT INTO documents VALUES (?, ?)", rows)
    return count


def _packed(tokenizer: Any, elements: Sequence[str]) -> list[list[int]]:
    passages: list[list[int]] = [[]]
    for element in elements:
        ids = tokenizer(element)["input_ids"]
        room = _PASSAGE - len(passages[-1])
        passages[-1].extend(ids[:room])
        passages.extend(ids[start : start + _PASSAGE] for start in range(room, len(ids), _PASSAGE))
    return passages


def _markers(tokenizer: Any) -> set[int]:
    return {tokenizer.bos_token_id, tokenizer.eos_token_id}
