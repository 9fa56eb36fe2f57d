"""Recall: which facts of a reference the generation states, by the same verifier with roles exchanged.

The reference is broken into facts, and each is verified against the generation as if that were the
knowledge source. A cautious answer that says little has good precision, and poor recall.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config
from pydantic import Field, PrivateAttr

from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.padding import is_trivial
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.failures import cause_of
from factscore_chain.records import RecallRecord
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.documents import evidence_passages
from factscore_chain.retrievers.lru import LRU
from factscore_chain.retrievers.topic_index import TopicIndex
from factscore_chain.single_flight import SingleFlight
from factscore_chain.stage import Stage
from factscore_chain.values import AtomicFact, Claim, Decision, Generation, Verdict
from factscore_chain.verify.base import Verifier, decide

Against = Literal["page", "reference"]
"""The topic's page, unless a generation brings its own reference; or only what generations bring."""

_FACTS_A_SENTENCE = 2
"""A sentence of prose has this many facts or more, so so many fewer sentences are decomposed."""
_KEPT = 256


@dataclass(frozen=True)
class ReferenceFacts:
    """The facts of a reference that are looked for in generations."""

    facts: tuple[AtomicFact, ...]
    left_out: bool = False
    """Whether the reference goes on after them."""


class Recall(Stage[Generation, RecallRecord]):
    """Measures how much of a reference a generation states; what goes wrong is told in the record.

    A reference is decomposed once, however many generations are measured against it.

    Raises:
        FatalModelError: The model cannot be used at all.
    """

    decomposer: Decomposer
    verifier: Verifier
    retrieval: Retrieval | None = None
    """Where topics' pages are; None where only references that generations bring are used."""
    against: Against = "page"
    max_facts: int = Field(default=50, ge=1)
    """Facts of a reference that are looked for, from its beginning: the bound on calls."""
    k: int = Field(default=5, ge=1)
    """Passages of the generation that a fact is compared with."""

    _facts: LRU[tuple[str | None, str], ReferenceFacts] = PrivateAttr(default_factory=lambda: LRU(_KEPT))
    _flights: SingleFlight[ReferenceFacts] = PrivateAttr(default_factory=SingleFlight)

    async def _process(self, value: Generation, config: RunnableConfig) -> RecallRecord:
        source = "reference" if value.reference is not None else (value.topic or "")
        try:
            text = await self._reference(value)
            reference = await self._reference_facts(text, value.topic, config)
            claims = _claims(reference.facts, value, self.k)
            decisions = await decide(self.verifier, claims, patch_config(config, run_name="verify recall"))
        except FatalModelError:
            raise
        except Exception as error:  # noqa: BLE001  the generation's own score must not be lost with it
            return RecallRecord(source=source, error=cause_of(error))
        return _record(source, reference, decisions)

    async def _reference(self, generation: Generation) -> str:
        if generation.reference is not None:
            return generation.reference
        if self.against == "reference":
            raise UsageError("There is no recall without a reference: the generation brings no 'reference'.")
        if generation.topic is None or self.retrieval is None:
            raise UsageError("There is no recall without a reference: no topic says which page is meant.")
        return await asyncio.to_thread(self.retrieval.page, generation.topic)

    async def _reference_facts(self, text: str, topic: str | None, config: RunnableConfig) -> ReferenceFacts:
        key = (topic, text)

        async def made() -> ReferenceFacts:
            return self._facts.put(key, await self._decompose(text, topic, config))

        if (kept := self._facts.get(key)) is not None:
            return kept
        facts, _ = await self._flights.run(repr(key), made)
        return facts

    async def _decompose(self, text: str, topic: str | None, config: RunnableConfig) -> ReferenceFacts:
        beginning = _beginning(text, -(-self.max_facts // _FACTS_A_SENTENCE))
        found = await self.decomposer.ainvoke(
            Generation(beginning, topic), patch_config(config, run_name="decompose reference")
        )
        facts = [one for one in found.facts if one.checkable and not is_trivial(one.text, topic)]
        if not facts:
            why = f": {found.failures[0].cause}" if found.failures else "."
            raise UsageError(f"There is no recall without a reference: no fact was found in it{why}")
        left_out = len(facts) > self.max_facts or len(beginning) < len(text.rstrip())
        return ReferenceFacts(tuple(facts[: self.max_facts]), left_out)


def make_recall(
    decomposer: Decomposer,
    verifier: Verifier,
    retrieval: Retrieval | None,
    against: Against,
    max_facts: int,
) -> Recall:
    """Makes the stage for a chain.

    Raises:
        UsageError: The parts cannot measure recall, or an argument is not what it should be.
    """
    if not verifier.reads_passages:
        raise UsageError(
            f"{verifier.verifier_name!r} reads no passages, so it cannot tell what a generation states. "
            "Measure recall with another estimator, such as 'embedded'."
        )
    if against == "page" and retrieval is None:
        raise UsageError("Recall against the topic's page needs `knowledge`. Give it, or recall='reference'.")
    return Recall(
        decomposer=decomposer, verifier=verifier, retrieval=retrieval, against=against, max_facts=max_facts
    )


def _beginning(text: str, sentences: int) -> str:
    found = split_sentences(text)
    return text if len(found) <= sentences else text[: found[sentences - 1].span.end]


def _claims(facts: tuple[AtomicFact, ...], generation: Generation, k: int) -> list[Claim]:
    index = TopicIndex(evidence_passages([generation.text]))
    return [Claim(fact, tuple(index.by_words(fact.text)[:k]), generation.topic) for fact in facts]


def _record(source: str, reference: ReferenceFacts, decisions: list[Decision]) -> RecallRecord:
    open_ = {Verdict.UNDECIDED, Verdict.FAILED}
    stated = tuple(one.fact.text for one in decisions if one.verdict is Verdict.SUPPORTED)
    undecided = tuple(one.fact.text for one in decisions if one.verdict in open_)
    return RecallRecord(
        source=source,
        recall=len(stated) / len(decisions) if len(undecided) < len(decisions) else None,
        stated=stated,
        missing=tuple(one.fact.text for one in decisions if one.verdict not in open_ | {Verdict.SUPPORTED}),
        undecided=undecided,
        facts_left_out=reference.left_out,
        error=None if len(undecided) < len(decisions) else f"no fact could be decided: {decisions[0].cause}",
    )
