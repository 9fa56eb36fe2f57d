"""Retrieval as published: the passages of one article, by GTR vectors or by BM25 (paper, section 4.1)."""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Okapi

from factscore_chain.errors import KnowledgeSourceError, MissingExtraError, UsageError
from factscore_chain.hub import WeightsNotFoundError
from factscore_chain.original.documents import DocDB
from factscore_chain.original.pickles import CacheFileError, load_plain
from factscore_chain.retrievers.lru import LRU
from factscore_chain.retrievers.sentence_transformer import load_sentence_transformer

Passages = list[dict[str, str]]
Vectors = npt.NDArray[np.float32]

GTR = "gtr-t5-large"
BM25 = "bm25"
_TOPICS = 64
_SAVED_EVERY = 100


class Retrieval:
    """Ranks the passages of the article that is titled exactly as the topic.

    Args:
        db: Where articles come from.
        cache_path: JSON of what was retrieved, in the original's format; read if it exists, and kept up. It
            names no ranker, so give each ranker its own.
        embed_cache_path: Pickle of the original with the passages' vectors; read if it exists, never written.
        retrieval_type: "bm25", or a GTR model of the sentence-transformers organisation, such as
            "gtr-t5-large" (extra `hf`).
        batch_size: Texts that GTR encodes together.
        fallback: What ranks, with a warning, where the GTR model cannot be had; None makes that an error.

    Raises:
        UsageError: There is no such ranker.
        KnowledgeSourceError: The JSON cache is damaged.
    """

    def __init__(
        self,
        db: DocDB,
        cache_path: str | Path | None = None,
        embed_cache_path: str | Path | None = None,
        retrieval_type: str = GTR,
        batch_size: int | None = None,
        *,
        fallback: Retrieval | None = None,
    ) -> None:
        if retrieval_type != BM25 and not retrieval_type.startswith("gtr-"):
            raise UsageError(f"There is no retrieval type {retrieval_type!r}. Give 'bm25' or 'gtr-t5-large'.")
        self.db = db
        self.retrieval_type = retrieval_type
        self.batch_size = batch_size or 32
        self._fallback = fallback
        self._fell_back = False
        self._cache_path = None if cache_path is None else Path(cache_path)
        self._embed_cache_path = None if embed_cache_path is None else Path(embed_cache_path)
        self._lock = threading.Lock()
        self._encoder: Any = None
        self._old_vectors: dict[str, Any] | None = None
        self._new = 0
        self._ranked: LRU[str, BM25Okapi] = LRU(_TOPICS)
        self._vectors: LRU[str, Vectors] = LRU(_TOPICS)
        self.cache: dict[str, Passages] = {}
        self.load_cache()

    def get_passages(self, topic: str, question: str, k: int) -> Passages:
        """The k best passages for a fact, the best first; all of them where the article has fewer.

        Raises:
            TitleNotFoundError: No article has exactly this title.
            UsageError: k is negative.
        """
        if k < 0:
            raise UsageError(f"k is {k}; give the number of passages wanted, 0 or more.")
        query = f"{topic} {question.strip()}"
        key = f"{topic}#{query}"
        kept = self.cache.get(key)
        # The original's key lacks k, so what is kept may be too short; what is longer holds the answer.
        if kept is not None and len(kept) >= k:
            return kept[:k]
        passages = self.db.get_text_from_title(topic)
        if kept is not None and len(kept) == len(passages):
            return kept
        if self.retrieval_type == BM25:
            found = self.get_bm25_passages(topic, query, passages, k)
        elif self._falls_back():
            return self._fallback.get_passages(topic, question, k) if self._fallback else []
        else:
            found = self.get_gtr_passages(topic, query, passages, k)
        self._remember(key, found)
        return found

    @property
    def ranker(self) -> str:
        """What ranks, for a report's manifest."""
        if self._fell_back and self._fallback is not None:
            return f"{self._fallback.retrieval_type}, since {self.retrieval_type} could not be loaded"
        return self.retrieval_type

    def get_bm25_passages(self, topic: str, query: str, passages: Passages, k: int) -> Passages:
        """Ranks passages by BM25 over words between blanks, case and marks kept; ties keep their order."""
        index = self._ranked.get_or_make(
            topic, lambda: BM25Okapi([without_markers(passage["text"]).split() for passage in passages])
        )
        return _best(passages, index.get_scores(query.split()), k)

    def get_gtr_passages(self, topic: str, retrieval_query: str, passages: Passages, k: int) -> Passages:
        """Ranks passages by the inner product of their GTR vectors with the query's; ties keep their order.

        Raises:
            MissingExtraError: sentence-transformers is not installed.
            WeightsNotFoundError: The model is not here and cannot be downloaded.
        """
        vectors = self._vectors.get_or_make(topic, lambda: self._passage_vectors(topic, passages))
        return _best(passages, vectors @ self._encode([retrieval_query])[0], k)

    def load_encoder(self) -> None:
        """Loads the GTR model now.

        Raises:
            MissingExtraError: sentence-transformers is not installed.
            WeightsNotFoundError: The model is not here and cannot be downloaded.
        """
        with self._lock:
            if self._encoder is None:
                self._encoder = load_sentence_transformer(f"sentence-transformers/{self.retrieval_type}")

    def _falls_back(self) -> bool:
        if self._fallback is None or self._fell_back:
            return self._fell_back
        try:
            self.load_encoder()
        except (MissingExtraError, WeightsNotFoundError) as error:
            warnings.warn(
                f"{error} Passages are ranked by {self._fallback.retrieval_type} instead, unlike in the "
                "published figures.",
                stacklevel=2,
            )
            self._fell_back = True
        return self._fell_back

    def load_cache(self) -> None:
        """Reads the JSON cache, if there is one."""
        if self._cache_path is None or not self._cache_path.exists():
            return
        try:
            read = json.loads(self._cache_path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise KnowledgeSourceError(
                f"The retrieval cache {str(self._cache_path)!r} cannot be read. Delete it to start a new one."
            ) from error
        if isinstance(read, dict):
            self.cache.update({key: value for key, value in read.items() if _is_passages(value)})

    def save_cache(self) -> None:
        """Writes what was retrieved, beside what another process wrote; the file is whole or as it was."""
        if self._fallback is not None:
            self._fallback.save_cache()
        with self._lock:
            if self._cache_path is None or not self._new:
                return
            kept, self.cache = self.cache, {}
            self.load_cache()
            self.cache.update(kept)
            self._cache_path.parent.mkdir(parents=True, exist_ok=True)
            part = self._cache_path.with_name(f".{self._cache_path.name}.part")
            part.write_text(json.dumps(self.cache), encoding="utf-8")
            part.replace(self._cache_path)
            self._new = 0

    def _remember(self, key: str, passages: Passages) -> None:
        self.cache[key] = passages
        self._new += 1

    def _passage_vectors(self, topic: str, passages: Passages) -> Vectors:
        old = self._old_embeddings().get(topic)
        if isinstance(old, np.ndarray) and old.ndim == 2 and len(old) == len(passages):
            return old.astype(np.float32)
        return self._encode([f"{one['title']} {without_markers(one['text'])}" for one in passages])

    def _old_embeddings(self) -> dict[str, Any]:
        if self._old_vectors is None:
            self._old_vectors = {}
            if self._embed_cache_path is not None and self._embed_cache_path.is_file():
                try:
                    read = load_plain(self._embed_cache_path)
                    self._old_vectors = read if isinstance(read, dict) else {}
                except CacheFileError as error:
                    warnings.warn(f"{error} Vectors are made anew.", stacklevel=2)
        return self._old_vectors

    def _encode(self, texts: Sequence[str]) -> Vectors:
        self.load_encoder()
        made = self._encoder.encode(list(texts), batch_size=self.batch_size, convert_to_numpy=True)
        return np.asarray(made, dtype=np.float32)


def without_markers(text: str) -> str:
    """A passage without the `<s>` and `</s>` that stand in databases of the original."""
    return text.replace("<s>", "").replace("</s>", "")


def _best(passages: Passages, scores: npt.NDArray[Any], k: int) -> Passages:
    return [passages[index] for index in np.argsort(-np.asarray(scores), kind="stable")[:k]]


def _is_passages(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and isinstance(one.get("title"), str) and isinstance(one.get("text"), str)
        for one in value
    )
