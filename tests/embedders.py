"""Embedders that need no model: a text's vector follows from its words, so similar texts are near."""

from __future__ import annotations

from hashlib import blake2b

from langchain_core.embeddings import Embeddings

from factscore_chain.retrievers.tokenize import tokens


class WordEmbeddings(Embeddings):
    """Marks the words that occur, in buckets; remembers the texts it was asked for."""

    def __init__(self, size: int = 512, model: str = "words") -> None:
        self.size = size
        self.model = model
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.embedded.extend(texts)
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        vector = [0.01] * self.size
        for word in dict.fromkeys(tokens(text)):
            bucket = int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "big") % self.size
            vector[bucket] += 1.0
        return vector
