"""The evidence of one call: what the app retrieved itself, and further sources, beside the scorer's own.

A scorer bound to the evidence of a call judges, and edits, by it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import AmbiguousTitleError, TitleNotFoundError
from factscore_chain.guard.passages import CONTEXT, as_passages, distinct
from factscore_chain.retrieve import Question, Retrieval
from factscore_chain.retrievers.bm25 import BM25Index
from factscore_chain.retrievers.context import ContextOnly
from factscore_chain.retrievers.opening import AnyKnowledge, as_retriever
from factscore_chain.values import Claim, Passage

_K = 5


@dataclass(frozen=True)
class CallEvidence:
    """What the facts of one text are checked against, beside the scorer's own knowledge."""

    context: tuple[Passage, ...] = ()
    """Passages of the call; each at most as long as those of a knowledge source."""
    sources: tuple[BaseRetriever, ...] = ()
    """Further sources, which are searched for every fact."""

    def __bool__(self) -> bool:
        return bool(self.context or self.sources)

    def __add__(self, other: CallEvidence) -> CallEvidence:
        return CallEvidence(distinct([*self.context, *other.context]), (*self.sources, *other.sources))


def as_evidence(value: Any, sources: Sequence[AnyKnowledge] = (), *, origin: str = CONTEXT) -> CallEvidence:
    """Makes the evidence of a call.

    Args:
        value: What `as_passages` takes; or a `CallEvidence`, which is taken as it is.
        sources: Knowledge sources, paths to them, or LangChain retrievers.
        origin: What passages are marked with that do not say where they came from.

    Raises:
        UsageError: `value` holds something that is no evidence.
        KnowledgeSourceError: A source cannot be opened.
    """
    searched = tuple(as_retriever(one) for one in sources)
    if isinstance(value, CallEvidence):
        return value + CallEvidence((), searched)
    return CallEvidence(as_passages(value, origin=origin), searched)


class EvidenceRetrieval(Retrieval):
    """The passages of a call, then what the scorer's knowledge and the call's further sources find.

    Every fact gets at most k passages of each. Where the call has more than k, those that share most with
    the fact are taken, and where nothing is shared, the app's own order decides. A topic that a source has
    no page for restricts the search in the other sources only.
    """

    context: tuple[Passage, ...] = ()
    sources: tuple[Retrieval, ...] = ()
    """What is searched, the scorer's own first."""

    def resolve(self, topic: str | None) -> str | None:
        """The title for a topic of the first source that has one; None where none has."""
        titles = (_resolved(source, topic) for source in self.sources)
        return next((title for title in titles if title is not None), None)

    async def _process(self, value: Question, config: RunnableConfig) -> tuple[Claim, ...]:
        own = await asyncio.to_thread(self._of_context, [fact.text for fact in value.facts])
        found = await asyncio.gather(
            *(_searched(source, value, patch_config(config, run_name="source")) for source in self.sources)
        )
        return tuple(
            Claim(fact, distinct([passage for part in parts for passage in part]), value.topic)
            for fact, *parts in zip(value.facts, own, *found, strict=True)
        )

    def _of_context(self, queries: Sequence[str]) -> list[tuple[Passage, ...]]:
        if len(self.context) <= self.k:
            return [self.context for _ in queries]
        index = BM25Index([f"{one.title or ''} {one.text}" for one in self.context])
        return [tuple(self.context[place] for place, _ in index.rank(query, self.k)) for query in queries]


async def _searched(
    source: Retrieval, question: Question, config: RunnableConfig
) -> list[tuple[Passage, ...]]:
    topic = question.topic
    if _resolved(source, topic) is None and source.knows_titles:
        topic = None
    claims = await source.ainvoke(replace(question, topic=topic), config)
    name = source.knowledge_identity["name"] or "knowledge"
    return [tuple(_marked(passage, name) for passage in claim.passages) for claim in claims]


def _marked(passage: Passage, name: str) -> Passage:
    return passage if name in passage.origins else replace(passage, origins=(*passage.origins, name))


def _resolved(source: Retrieval, topic: str | None) -> str | None:
    try:
        return source.resolve(topic)
    except (TitleNotFoundError, AmbiguousTitleError):
        return None


def with_evidence(scorer: FactScoreChain, evidence: CallEvidence) -> FactScoreChain:
    """The same scorer, models, budget and all, judging by the evidence of one call too.

    A scorer whose verifier reads no passages, and any scorer without evidence, comes back as it is.
    """
    inner = scorer.scorer
    if not evidence or not inner.verifier.reads_passages:
        return scorer
    own = inner.retrieval
    k = _K if own is None else own.k
    searched = () if own is None or isinstance(own.retriever, ContextOnly) else (own,)
    retrieval = EvidenceRetrieval(
        retriever=ContextOnly() if own is None else own.retriever,
        k=k,
        context=evidence.context,
        sources=(*searched, *(Retrieval(retriever=one, k=k) for one in evidence.sources)),
    )
    return scorer.model_copy(update={"scorer": inner.model_copy(update={"retrieval": retrieval})})
