"""One generation through all stages: abstained? -> facts -> passages -> decisions -> score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.abstain import is_abstention
from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import FatalModelError
from factscore_chain.failures import cause_of
from factscore_chain.report import FactRecord, GenerationReport
from factscore_chain.retrieve import Question, Retrieval
from factscore_chain.score import Status, tally
from factscore_chain.stage import Stage
from factscore_chain.values import (
    AtomicFact,
    Claim,
    Decision,
    Decomposition,
    Generation,
    Verdict,
)
from factscore_chain.verify.base import Verifier


class GenerationScorer(Stage[Generation, GenerationReport]):
    """Scores one generation; what goes wrong with it is recorded in its report.

    Raises:
        FatalModelError: The model cannot be used at all, so the next generation would fail too.
    """

    decomposer: Decomposer
    verifier: Verifier
    retrieval: Retrieval | None = None
    gamma: float | None = 10.0
    abstain: str = "default"

    async def _process(self, value: Generation, config: RunnableConfig) -> GenerationReport:
        if value.facts is None and not value.text.strip():
            return unscored(value, "no_facts", "The text is empty.")
        if value.facts is None and is_abstention(value.text, self.abstain):
            return unscored(value, "abstained")
        try:
            title = None if self.retrieval is None else self.retrieval.resolve(value.topic)
            named = value if title is None else replace(value, topic=title)
            found = await self._facts(named, config)
            decisions = await self._decide(found.facts, named.topic, config)
        except FatalModelError:
            raise
        except Exception as error:  # noqa: BLE001  one generation's trouble must not cost the others
            return unscored(value, "failed", cause_of(error))
        return self._report(value, title, found, decisions)

    async def _facts(self, generation: Generation, config: RunnableConfig) -> Decomposition:
        if generation.facts is not None:
            return Decomposition((), tuple(AtomicFact(text) for text in generation.facts))
        return await self.decomposer.ainvoke(generation, patch_config(config, run_name="decompose"))

    async def _decide(
        self, facts: tuple[AtomicFact, ...], topic: str | None, config: RunnableConfig
    ) -> tuple[Decision, ...]:
        asked = tuple(fact for fact in facts if fact.checkable)
        claims: Sequence[Claim] = [Claim(fact, topic=topic) for fact in asked]
        if self.retrieval is not None and asked:
            question = Question(asked, topic)
            claims = await self.retrieval.ainvoke(question, patch_config(config, run_name="retrieve"))
        replies = await self.verifier.abatch(
            list(claims), patch_config(config, run_name="verify"), return_exceptions=True
        )
        name = self.verifier.verifier_name
        outcomes = iter([settled(claim, reply, name) for claim, reply in zip(claims, replies, strict=True)])
        return tuple(next(outcomes) if fact.checkable else _not_checkable(fact) for fact in facts)

    def _report(
        self, generation: Generation, title: str | None, found: Decomposition, decisions: tuple[Decision, ...]
    ) -> GenerationReport:
        counted = tally(decisions)
        lost = bool(found.failures) and counted.status == "no_facts"
        return GenerationReport(
            id=generation.id,
            topic=generation.topic,
            title=title,
            text=generation.text,
            status="failed" if lost else counted.status,
            error=_what_is_missing(found, decisions),
            init_score=counted.precision,
            score=counted.score(self.gamma),
            coverage=counted.coverage,
            facts=tuple(map(FactRecord.of, decisions)),
            failures=found.failures,
            dropped=found.dropped,
        )


def unscored(generation: Generation, status: Status, error: str | None = None) -> GenerationReport:
    """The report of a generation that got no score, and why."""
    return GenerationReport(
        id=generation.id, topic=generation.topic, text=generation.text, status=status, error=error
    )


def settled(claim: Claim, reply: Decision | BaseException, verifier: str) -> Decision:
    """A verifier's reply as a decision: an exception costs only its own fact.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """
    if isinstance(reply, Decision):
        return reply
    if isinstance(reply, FatalModelError) or not isinstance(reply, Exception):
        raise reply
    return Decision(
        claim.fact,
        Verdict.FAILED,
        verifier,
        passages=claim.passages,
        cause=cause_of(reply),
    )


def _not_checkable(fact: AtomicFact) -> Decision:
    return Decision(
        fact, Verdict.UNDECIDED, "decomposition", cause="It refers to something that the text does not name."
    )


def _what_is_missing(found: Decomposition, decisions: tuple[Decision, ...]) -> str | None:
    lost = [f"sentence {failure.sentence + 1} not decomposed: {failure.cause}" for failure in found.failures]
    failed = [decision.cause or "" for decision in decisions if decision.verdict is Verdict.FAILED]
    if failed:
        lost.append(f"{len(failed)} of {len(decisions)} facts not verified: {failed[0]}")
    elif decisions and all(decision.verdict is Verdict.UNDECIDED for decision in decisions):
        lost.append(f"no fact could be decided, such as {decisions[0].fact.text!r}: {decisions[0].cause}")
    return "; ".join(lost) or None
