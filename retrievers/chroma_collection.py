"""A collection on a Chroma server as a knowledge source: no file of it has to be on this machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from factscore_chain.errors import KnowledgeSourceError, TitleNotFoundError, UsageError
from factscore_chain.retrievers.embedder_record import EmbedderRecord
from factscore_chain.retrievers.embedding import Vectors, embed_queries
from factscore_chain.retrievers.topic_index import clamped
from factscore_chain.retrievers.topical import spellings
from factscore_chain.retrievers.vector_build import is_complete
from factscore_chain.retrievers.vector_store import Place, store_errors
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_URL = re.compile(r"(chroma(?:\+https)?)://([^/?#@\s]+)(?:/([^/?#\s]*))?")


def server_and_collection(url: str) -> tuple[str, str]:
    """The server's own address and the collection's name; "" where none is named.

    Raises:
        UsageError: It is not of the form `chroma://HOST:PORT/COLLECTION`, or `chroma+https://...`.
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise UsageError(
            "Knowledge is read from a file, from a YAML description of a LangChain vector store, or from a "
            "collection on a Chroma server, named chroma://HOST:PORT/COLLECTION (chroma+https:// with TLS), "
            "without user or password; what was given is another URL."
        )
    return f"{'https' if match[1].endswith('https') else 'http'}://{match[2]}", match[3] or ""


class ChromaCollection:
    """Passages and their vectors on a server, with the title of each in its metadata, as `title`.

    What `factscore kb push` put there knows its embedder and its content's hash. Any other collection is
    searched by the embedder that is given, which has to be the one that filled it.

    Args:
        url: `chroma://HOST:PORT/COLLECTION`.
        embeddings: What embeds queries.

    Raises:
        UsageError: The address is no such, or names no collection.
        KnowledgeSourceError: The server does not answer, has no such collection, or another embedder or an
            unfinished push filled it.
    """

    def __init__(self, url: str, embeddings: Embeddings) -> None:
        server, name = server_and_collection(url)
        if not name:
            raise UsageError(f"{url} names no collection. Write chroma://HOST:PORT/COLLECTION.")
        self.url = url
        self._embeddings = embeddings
        with store_errors(url):
            self._collection = Place(url=server).open().get_collection(name, embedding_function=None)
        self._about: dict[str, Any] = dict(self._collection.metadata or {})
        if "probe" in self._about:
            EmbedderRecord.from_metadata(self._about).check(EmbedderRecord.of(embeddings), url)
            if not is_complete(self._collection):
                raise KnowledgeSourceError(f"{url} is still being filled, or its push was interrupted.")

    @property
    def name(self) -> str:
        """What reports call it: the source's own name, else the collection's."""
        return str(self._about.get("source") or self._collection.name)

    @property
    def content_hash(self) -> str | None:
        """Of the source that was pushed; None of any other collection."""
        found = self._about.get("content_hash")
        return None if found is None else str(found)

    def title(self, topic: str) -> str:
        """The title that a topic means, by its exact words.

        Raises:
            TitleNotFoundError: No passage has that title.
        """
        with store_errors(self.url):
            for spelling in spellings(topic):
                if self._collection.get(where={"title": spelling}, limit=1, include=[])["ids"]:
                    return spelling
        raise TitleNotFoundError(topic)

    def passages(self, title: str) -> tuple[Passage, ...]:
        """The passages of this exact title, in the order in which they were stored."""
        with store_errors(self.url):
            found = self._collection.get(where={"title": title}, include=["documents"])
        texts = found["documents"] or []
        return tuple(Passage(key, text or "", title) for key, text in zip(found["ids"], texts, strict=True))

    def search(self, query: str, k: int = 5) -> tuple[Passage, ...]:
        """Nothing: a server of vectors has no full-text index to search as a whole."""
        return ()

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """The passages whose vectors are nearest to each query's, best first."""
        with store_errors(self.url):
            found = self._collection.query(
                query_embeddings=embed_queries(self._embeddings, queries),
                n_results=k,
                include=["documents", "metadatas", "distances"],
            )
        columns = (found["ids"], found["documents"], found["metadatas"], found["distances"])
        return [
            [
                Passage(key, text or "", _title(about), rank, clamped(1.0 - distance), ("vector",))
                for rank, (key, text, about, distance) in enumerate(zip(*row, strict=True), 1)
            ]
            for row in zip(*(column or [] for column in columns), strict=True)
        ]

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Stored vectors of passages, by id."""
        with store_errors(self.url):
            found = self._collection.get(ids=list(ids), include=["embeddings"])
        stored: Any = found["embeddings"]
        return {
            key: np.asarray(vector, dtype=np.float32)
            for key, vector in zip(found["ids"], [] if stored is None else stored, strict=True)
        }


def _title(about: Any) -> str | None:
    found = (about or {}).get("title")
    return found if isinstance(found, str) and found else None
