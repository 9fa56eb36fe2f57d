"""Passages as LangChain documents, and documents of any retriever as passages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.documents import Document

from factscore_chain.retrievers.passages import cut
from factscore_chain.values import Passage


def passage_id(title: str | None, text: str) -> str:
    """An id that follows from the content alone: 16 hex digits, the same in every run and source."""
    data = f"{title or ''}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def to_document(passage: Passage) -> Document:
    """The passage as a LangChain document; metadata holds title, rank, score and origins."""
    metadata = {
        "title": passage.title,
        "rank": passage.rank,
        "score": passage.score,
        "origins": list(passage.origins),
    }
    return Document(id=passage.id, page_content=passage.text, metadata=metadata)


def to_passages(documents: Sequence[Document]) -> tuple[Passage, ...]:
    """Documents of any LangChain retriever as passages, in the retriever's order.

    A document without an id gets one from its content. The title is taken from `title`, else `source`, in the
    metadata. A text that comes twice under one title is one piece of evidence: the first is kept.
    """
    found: dict[tuple[str | None, str], Passage] = {}
    for document in documents:
        title, text = _title(document.metadata), document.page_content
        if (title, text) in found:
            continue
        found[title, text] = Passage(
            id=document.id or passage_id(title, text),
            text=text,
            title=title,
            rank=len(found) + 1,
            score=_score(document.metadata),
            origins=_origins(document.metadata),
        )
    return tuple(found.values())


def _title(metadata: Mapping[str, Any]) -> str | None:
    for key in ("title", "source"):
        value = metadata.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _score(metadata: Mapping[str, Any]) -> float | None:
    for key in ("score", "relevance_score"):
        value = metadata.get(key)
        if isinstance(value, (int, float)) and value == value:  # NaN says nothing
            return float(value)
    return None


def _origins(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    value = metadata.get("origins")
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()


def evidence_passages(texts: Sequence[str]) -> tuple[Passage, ...]:
    """Texts that came with a claim as passages: long ones cut at sentence ends, short neighbours together.

    Together, since the sentences of one article, given one by one, mean more in their context.
    """
    return tuple(
        Passage(passage_id(None, part), part, rank=rank, origins=("context",))
        for rank, part in enumerate(dict.fromkeys(cut(texts)), 1)
    )
