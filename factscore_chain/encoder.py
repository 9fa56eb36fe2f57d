"""The shipped sentence encoder: all-MiniLM-L6-v2, run by onnxruntime from int8 weights.

A text gives the same vectors, to the bit, whatever else it is encoded with: only sequences of equal length
share a batch, so there is no padding, and the model quantises each token's activations on their own.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby, pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from langchain_core.embeddings import Embeddings

from factscore_chain.cores import available_cores
from factscore_chain.errors import FactScoreError, UsageError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Floats: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]

DIMENSION = 384
"""Length of a vector."""
WINDOW = 254
"""Tokens read at once, besides the two markers: the model was trained on sequences of up to 256."""
OVERLAP = 64
"""Tokens that neighbouring windows of a long text share, so that no token is read without its context."""
_BATCH_TOKENS = 512
_TEXTS_AT_ONCE = 2048
_SURROGATE = re.compile("[\ud800-\udfff]")
_load_lock = Lock()


@dataclass(frozen=True)
class TokenVectors:
    """The tokens of one text (word pieces, without the model's markers), each with its contextual vector."""

    ids: Ints
    """Vocabulary ids, shape (tokens,)."""
    offsets: Ints
    """Where each token stands in the text, in characters, shape (tokens, 2): `text[start:end]`."""
    word_ids: Ints
    """The number of the word that each token is a piece of, shape (tokens,); never falls."""
    vectors: Floats
    """Unit vectors, shape (tokens, DIMENSION)."""


@dataclass(frozen=True)
class Encoder:
    """Turns texts into vectors; loads its model at the first use and shares it between equal encoders.

    Safe to use from several threads, to copy and to pickle.
    """

    folder: Path
    """Holds `model.onnx` and `tokenizer.json`."""
    threads: int | None = None
    """Batches computed at the same time; None for as many as this process may use cores."""

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise UsageError(f"threads is {self.threads}. Give at least 1, or None for all cores.")

    @property
    def name(self) -> str:
        """What the model is called."""
        return "all-MiniLM-L6-v2-int8"

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the model file, in hexadecimal digits: equal ones give equal vectors."""
        return _sha256(self.folder / "model.onnx")

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector for each text: the mean of its tokens' vectors, as the model was trained for.

        A text longer than `WINDOW` tokens is read in windows spread evenly over it, and its vector is the
        mean of theirs: nothing is cut off.

        Returns:
            Unit vectors, shape (texts, DIMENSION).
        """
        result = np.zeros((len(texts), DIMENSION), np.float32)
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            encodings = self._tokens(texts[first : first + _TEXTS_AT_ONCE])
            windows = [
                (place, encoding.ids[start:end])
                for place, encoding in enumerate(encodings, first)
                for start, end in spread_windows(len(encoding.ids), WINDOW, 0)
            ]
            means = self._run([ids for _, ids in windows], _mean_vectors)
            for (place, _), mean in zip(windows, means, strict=True):
                result[place] += mean
        return _unit(result)

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """The tokens of each text with their vectors.

        A text longer than `WINDOW` tokens is read in windows that share `OVERLAP` tokens or more; a shared
        token has its vector from the window in which it stands farther from the edge.
        """
        result: list[TokenVectors] = []
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            encodings = self._tokens(texts[first : first + _TEXTS_AT_ONCE])
            windows = [spread_windows(len(encoding.ids), WINDOW, OVERLAP) for encoding in encodings]
            sequences = [
                encoding.ids[start:end]
                for encoding, spans in zip(encodings, windows, strict=True)
                for start, end in spans
            ]
            read = iter(self._run(sequences, _inner_vectors))
            result += [
                _token_vectors(encoding, _joined(spans, [next(read) for _ in spans]))
                for encoding, spans in zip(encodings, windows, strict=True)
            ]
        return result

    def _tokens(self, texts: Sequence[str]) -> list[Encoding]:
        # UTF-8 has no lone surrogates; a stand-in of the same length keeps the offsets.
        readable = [_SURROGATE.sub("\ufffd", text) for text in texts]
        return list(self._model[1].encode_batch(readable, add_special_tokens=False))

    def _run(self, sequences: Sequence[list[int]], finish: Callable[[Floats], Floats]) -> list[Floats]:
        """Runs the model on sequences without markers; `finish` makes the results of a batch's states."""
        session, tokenizer = self._model
        start, end = (tokenizer.token_to_id(marker) for marker in ("[CLS]", "[SEP]"))
        results: list[Floats] = [np.empty(0, np.float32)] * len(sequences)

        def compute(batch: list[int]) -> None:
            ids = np.array([[start, *sequences[i], end] for i in batch], np.int64)
            feed = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            for i, one in zip(batch, finish(session.run(None, feed)[0]), strict=True):
                results[i] = one

        run_batches([len(one) + 2 for one in sequences], _BATCH_TOKENS, self.threads, compute)
        return results

    @property
    def _model(self) -> tuple[Any, Tokenizer]:
        with _load_lock:
            return _load(self.folder)


def run_batches(
    lengths: Sequence[int], most: int, threads: int | None, compute: Callable[[list[int]], None]
) -> None:
    """Computes all sequences in batches of equal length, several batches at a time.

    Args:
        lengths: Tokens of each sequence.
        most: Tokens of a batch.
        threads: Batches at a time; None for as many as this process may use cores.
        compute: Takes the positions of one batch's sequences and keeps what it finds.
    """
    batches = list(equal_length_batches(lengths, most))
    workers = min(threads or available_cores(), len(batches))
    if workers <= 1:
        for batch in batches:
            compute(batch)
    else:
        # Short-lived, so that a forked child inherits no pool whose threads are gone.
        with ThreadPoolExecutor(workers, "factscore-encoder") as pool:
            list(pool.map(compute, reversed(batches)))


@cache
def default_encoder() -> Encoder:
    """The shipped encoder, on all cores that this process may use."""
    return Encoder(Path(str(files("factscore_chain.models") / "encoder")))


class EncoderEmbeddings(Embeddings):
    """The shipped encoder as LangChain embeddings: no key, no network."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self.encoder = encoder or default_encoder()

    @property
    def model(self) -> str:
        """What the model is called."""
        return self.encoder.name

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Unit vectors of texts."""
        vectors: list[list[float]] = self.encoder.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of a text; queries and documents are embedded alike."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Unit vectors of texts, computed off the event loop."""
        return await asyncio.to_thread(self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """The unit vector of a text, computed off the event loop."""
        return await asyncio.to_thread(self.embed_query, text)


def equal_length_batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Groups sequences of equal length, short ones first.

    Args:
        lengths: Tokens of each sequence.
        tokens: The most in a batch; a longer sequence is a batch of its own.

    Yields:
        Positions in `lengths`.
    """
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, group in groupby(by_length, key=lengths.__getitem__):
        alike = list(group)
        size = max(1, tokens // length)
        yield from (alike[first : first + size] for first in range(0, len(alike), size))


def spread_windows(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """The fewest spans of `size` that cover 0..length, evenly spread, neighbours sharing `overlap` or more.

    A shorter text is one span; so is an empty one.
    """
    if length <= size:
        return [(0, length)]
    count = -(-(length - overlap) // (size - overlap))
    starts = [round(i * (length - size) / (count - 1)) for i in range(count)]
    return [(start, start + size) for start in starts]


def _joined(spans: Sequence[tuple[int, int]], parts: Sequence[Floats]) -> Floats:
    """One row a token from windows that overlap, each cut in the middle of what it shares."""
    middles = [(end + start) // 2 for (_, end), (start, _) in pairwise(spans)]
    owned = zip([0, *middles], [*middles, spans[-1][1]], strict=True)
    return np.concatenate(
        [part[a - start : b - start] for (a, b), (start, _), part in zip(owned, spans, parts, strict=True)]
    )


def _token_vectors(encoding: Encoding, vectors: Floats) -> TokenVectors:
    return TokenVectors(
        ids=np.array(encoding.ids, np.int64),
        offsets=np.array(encoding.offsets, np.int64).reshape(-1, 2),
        word_ids=np.array(encoding.word_ids, np.int64),
        vectors=vectors,
    )


def _mean_vectors(states: Floats) -> Floats:
    return _unit(states.mean(axis=1))


def _inner_vectors(states: Floats) -> Floats:
    return _unit(states[:, 1:-1])


def _unit(rows: Floats) -> Floats:
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(length, 1e-12), np.float32)


@cache
def _load(folder: Path) -> tuple[Any, Tokenizer]:
    import onnxruntime
    from tokenizers import Tokenizer

    model, words = folder / "model.onnx", folder / "tokenizer.json"
    for file in (model, words):
        if not file.is_file():
            raise FactScoreError(f"The encoder's file {file} is missing. Install factscore-chain again.")
    tokenizer = Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    options = onnxruntime.SessionOptions()
    # Whole batches run side by side: faster than sharing the work of one, and nobody spins while idle.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"]), tokenizer


@cache
def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
