"""One look: passages for a query in a place, and of other pages only what concerns the subject."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig

from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.documents import passage_id, to_passages
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.topical import TopicRetriever
from factscore_chain.seek.names import bare, sentences_about
from factscore_chain.seek.values import Search, Subject
from factscore_chain.values import Passage

_DEPTH = 20
"""Passages of other pages that are read for sentences about the subject."""

ORIGIN = "sought"
"""Origin of passages that a further look found."""


def source_of(retrieval: Retrieval) -> KnowledgeSource | None:
    """The knowledge source behind a retrieval; None behind a foreign retriever."""
    return retrieval.retriever.source if isinstance(retrieval.retriever, KnowledgeRetriever) else None


async def look(search: Search, retrieval: Retrieval, config: RunnableConfig) -> tuple[Passage, ...]:
    """New passages for the query of a search in its place, the best first, at most as many as at first."""
    query, place, subject = search.query, search.place, search.subject
    if query is None or place is None or subject is None:
        return ()
    depth = retrieval.k + len(search.seen) if place.own else _DEPTH
    found = await _ranked(query.text, place.title, depth, retrieval, config)
    if not place.own:
        found = excerpts(found, subject, search.claim.fact.text)
    new = [passage for passage in found if passage.id not in search.seen][: retrieval.k]
    return tuple(replace(passage, origins=(ORIGIN, *passage.origins)) for passage in new)


async def _ranked(
    query: str, title: str | None, depth: int, retrieval: Retrieval, config: RunnableConfig
) -> tuple[Passage, ...]:
    if not isinstance(retrieval.retriever, TopicRetriever):
        return to_passages(await retrieval.retriever.ainvoke(query, config))
    try:
        rows = await asyncio.to_thread(retrieval.retriever.rank_many, [query], title, depth)
    except KnowledgeSourceError:
        # A database of the original package cannot be searched as a whole.
        return ()
    return to_passages(rows[0])


def excerpts(passages: Sequence[Passage], subject: Subject, fact: str) -> tuple[Passage, ...]:
    """What passages of other pages say of a subject, each cut to the sentences that speak of it."""
    found = []
    for passage in passages:
        if passage.title is not None and _is_namesake(passage.title, subject):
            continue
        text = sentences_about(passage.text, subject, fact, passage.title)
        if text:
            found.append(replace(passage, id=passage_id(passage.title, text), text=text))
    return tuple(found)


def _is_namesake(title: str, subject: Subject) -> bool:
    return title != subject.title and bare(title).casefold() == subject.name.casefold()
