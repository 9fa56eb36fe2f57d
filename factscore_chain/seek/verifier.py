"""A verifier that looks again: where a fact found no evidence, it asks better, and judges what that brings.

A contradicted fact is not sought further, and evidence of another page counts only where it speaks of the
fact's own subject, so that looking often enough does not make anything true.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config
from pydantic import Field

from factscore_chain.errors import UsageError
from factscore_chain.retrieve import Retrieval
from factscore_chain.seek.graph import seeking_graph
from factscore_chain.seek.looking import look, source_of
from factscore_chain.seek.outcome import (
    claim_with_found,
    in_vain,
    judged,
    lacks_evidence,
    planned,
    unmoved,
)
from factscore_chain.seek.places import next_place, page_named, subject_of
from factscore_chain.seek.values import Gap, Place, Search
from factscore_chain.seek.writers import ModelWriter, QueryWriter, WordsWriter
from factscore_chain.stage import BatchStage
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import LocalVerifier, Verifier, decide
from factscore_chain.verify.embedded import EmbeddedVerifier

MOST_ROUNDS = 2


class SeekingVerifier(Verifier, BatchStage[Claim, Decision]):
    """Stands around a verifier and a retrieval: facts that lack evidence get up to two further looks.

    A fact costs at most `rounds` queries of the writer and as many further verdicts. The decision's `route`
    tells each look; its passages hold what the looks brought.

    Raises:
        FatalModelError: A model cannot be used at all.
    """

    verifier: Verifier
    retrieval: Retrieval
    writer: QueryWriter = Field(default_factory=WordsWriter)
    rounds: int = Field(default=MOST_ROUNDS, ge=1, le=MOST_ROUNDS)
    why: LocalVerifier = Field(default_factory=EmbeddedVerifier)
    """Says why a fact is not supported where `verifier` does not: contradicted, or for lack of evidence. What
    a look brings is shown to such a verifier only if this one no longer finds evidence lacking."""

    @property
    def verifier_name(self) -> str:
        """That of the verifier inside, which decides."""
        return self.verifier.verifier_name

    @property
    def identity(self) -> dict[str, str]:
        """The verifier's, and how it seeks."""
        return {**self.verifier.identity, "seek": f"{self.rounds} rounds, {self.writer.identity}"}

    @property
    def plain(self) -> Verifier:
        """The verifier inside."""
        return self.verifier.plain

    async def _process_many(
        self, values: Sequence[Claim], configs: Sequence[RunnableConfig]
    ) -> list[Decision]:
        if not values:
            return []
        config = configs[0]
        decisions = await decide(self.verifier, values, patch_config(config, run_name="verify"))
        searches = await self._opened(values, decisions)
        if any(search.open for search in searches):
            searches = await self._sought(searches, config)
        return [replace(search.decision, route=search.looks) for search in searches]

    async def _sought(self, searches: list[Search], config: RunnableConfig) -> list[Search]:
        graph = seeking_graph(self._plan, self._retrieve, self._verify)
        state = await graph.ainvoke(
            {"searches": searches, "rounds_left": self.rounds}, patch_config(config, run_name="seek")
        )
        done: list[Search] = state["searches"]
        return done

    async def _opened(self, claims: Sequence[Claim], decisions: Sequence[Decision]) -> list[Search]:
        """Searches of all facts, open where evidence is lacking and a subject is known."""
        lacking = await self._lacking(claims, decisions)
        source = source_of(self.retrieval)

        def opened(claim: Claim, decision: Decision, lacks: bool) -> Search:
            subject = subject_of(claim, source) if lacks else None
            return Search(claim, decision, subject, open=subject is not None)

        return await asyncio.to_thread(lambda: list(map(opened, claims, decisions, lacking)))

    async def _lacking(self, claims: Sequence[Claim], decisions: Sequence[Decision]) -> list[bool]:
        unsaid = [
            i
            for i, one in enumerate(decisions)
            if one.verdict is Verdict.NOT_SUPPORTED and one.reason is None
        ]
        told = await decide(self.why, [claims[i] for i in unsaid], {}) if unsaid else []
        why = {i: one.reason for i, one in zip(unsaid, told, strict=True)}
        return [lacks_evidence(one, why.get(i, one.reason)) for i, one in enumerate(decisions)]

    async def _plan(self, searches: Sequence[Search], config: RunnableConfig) -> list[Search]:
        source = source_of(self.retrieval)
        chosen = await asyncio.to_thread(lambda: [next_place(one, source) for one in searches])
        gaps = {i: _gap(searches[i], place) for i, place in enumerate(chosen) if place is not None}
        written = await self.writer.abatch(list(gaps.values()), patch_config(config, run_name="write query"))
        queries = dict(zip(gaps, written, strict=True))

        def with_next(i: int) -> Search:
            query, place = queries.get(i), chosen[i]
            if query is not None and query.title is not None:
                place = page_named(query.title, searches[i], source) or place
            return planned(searches[i], place, query)

        return await asyncio.to_thread(lambda: [with_next(i) for i in range(len(searches))])

    async def _retrieve(self, searches: Sequence[Search], config: RunnableConfig) -> list[Search]:
        found = await asyncio.gather(*(look(one, self.retrieval, config) for one in searches))
        return [replace(one, found=passages) for one, passages in zip(searches, found, strict=True)]

    async def _verify(self, searches: Sequence[Search], config: RunnableConfig) -> list[Search]:
        found = [i for i, one in enumerate(searches) if one.found]
        speaking = await self._speaking([searches[i] for i in found])
        asked = [i for i, speaks in zip(found, speaking, strict=True) if speaks]
        claims = [claim_with_found(searches[i]) for i in asked]
        decisions = (
            await decide(self.verifier, claims, patch_config(config, run_name="verify")) if asked else []
        )
        lacking = await self._lacking(claims, decisions)
        done = dict(zip(asked, zip(claims, decisions, lacking, strict=True), strict=True))

        def after(i: int, search: Search) -> Search:
            if i in done:
                return judged(search, *done[i])
            return unmoved(search) if search.found else in_vain(search)

        return [after(i, search) for i, search in enumerate(searches)]

    async def _speaking(self, searches: Sequence[Search]) -> list[bool]:
        """Whether what was found speaks of the fact; a verifier that gives reasons finds that by itself."""
        unsaid = [i for i, one in enumerate(searches) if one.decision.reason is None]
        claims = [claim_with_found(searches[i]) for i in unsaid]
        told = await decide(self.why, claims, {}) if unsaid else []
        silent = {i for i, one in zip(unsaid, told, strict=True) if one.reason == "no_evidence"}
        return [i not in silent for i in range(len(searches))]


def _gap(search: Search, place: Place) -> Gap:
    if search.subject is None:
        raise AssertionError("a place is only proposed for a search that has a subject")
    return Gap(search.claim, search.subject, place, tuple(one.query for one in search.looks))


def make_seeking(
    verifier: Verifier, retrieval: Retrieval | None, seek: bool | int, estimator: str | None = None
) -> SeekingVerifier:
    """Puts seeking around a verifier; the model that it asks, if any, writes the queries too.

    Args:
        verifier: What judges.
        retrieval: Where is looked.
        seek: How many rounds at most; True for `MOST_ROUNDS`.
        estimator: The name under which the verifier was made, if it has one.

    Raises:
        UsageError: There is nothing to retrieve from or for, or the number of rounds is none.
    """
    if estimator == "original":
        raise UsageError("'original' is the protocol as published, which looks once. Leave `seek` out.")
    if retrieval is None or not verifier.reads_passages:
        raise UsageError(
            f"{verifier.verifier_name!r} looks nothing up, so there is nothing to seek. "
            "Give `knowledge` and an estimator that reads passages, such as 'embedded'."
        )
    writer = ModelWriter(model=verifier.models[0]) if verifier.models else WordsWriter()
    rounds = MOST_ROUNDS if seek is True else seek
    return SeekingVerifier(verifier=verifier, retrieval=retrieval, writer=writer, rounds=rounds)
