"""One generation through all stages: abstained? -> facts -> passages -> decisions -> score."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config
from pydantic import Field

from factscore_chain.abstain import is_abstention
from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.padding import padding
from factscore_chain.errors import FatalModelError
from factscore_chain.failures import cause_of
from factscore_chain.fresh import is_fresh
from factscore_chain.kept_stages import KeptStages
from factscore_chain.overlap import about, decided_along
from factscore_chain.recall import Recall
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
from factscore_chain.verify.base import Verifier, decide


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
    recall: Recall | None = None
    """None where nobody asked how much of a reference is stated."""
    kept: KeptStages | None = Field(default=None, exclude=True)
    """What stages made in earlier runs, and make now; None keeps nothing."""

    async def _process(self, value: Generation, config: RunnableConfig) -> GenerationReport:
        report = await self._scored(value, config)
        if self.recall is None:
            return report
        # An abstention states nothing, so nothing need be asked of its text.
        said = value if report.status in {"scored", "failed"} else replace(value, text="")
        record = await self.recall.ainvoke(
            replace(said, topic=report.title or value.topic), patch_config(config, run_name="recall")
        )
        return report.model_copy(update={"recall": record})

    async def again(
        self, value: Generation, known: Mapping[str, Decision], config: RunnableConfig
    ) -> GenerationReport:
        """Scores another version of a text: broken up from scratch, and only what is new is verified.

        Args:
            value: The text.
            known: Decisions on facts of other versions, by the fact's text; a verifier that needs all facts
                at once decides them anew.
            config: Passed on.

        Raises:
            FatalModelError: The model cannot be used at all.
        """
        return await self._scored(value, config, known)

    async def _scored(
        self, value: Generation, config: RunnableConfig, known: Mapping[str, Decision] | None = None
    ) -> GenerationReport:
        if value.facts is None and not value.text.strip():
            return unscored(value, "no_facts", "The text is empty.")
        if value.facts is None and is_abstention(value.text, self.abstain):
            return unscored(value, "abstained")
        try:
            title = None if self.retrieval is None else self.retrieval.resolve(value.topic)
            named = value if title is None else replace(value, topic=title)
            found, decisions = await self._decided(named, config, known or {})
        except FatalModelError:
            raise
        except Exception as error:  # noqa: BLE001  one generation's trouble must not cost the others
            return unscored(value, "failed", cause_of(error))
        return self.report(value, title, found, decisions)

    async def _decided(
        self, generation: Generation, config: RunnableConfig, known: Mapping[str, Decision]
    ) -> tuple[Decomposition, tuple[Decision, ...]]:
        async def decide(facts: tuple[AtomicFact, ...]) -> tuple[Decision, ...]:
            return await self._decisions(facts, generation.topic, config, known)

        if generation.facts is not None:
            given = Decomposition((), tuple(AtomicFact(text) for text in generation.facts))
            return given, await decide(given.facts)
        named = patch_config(config, run_name="decompose")
        if self.verifier.needs_all:
            found = await self._found(generation, lambda: self.decomposer.ainvoke(generation, named))
            return found, await self.decide(found.facts, generation.topic, config)
        return await decided_along(
            lambda tell: self._found(
                generation, lambda: self.decomposer.decompose_along(generation, named, tell)
            ),
            decide,
        )

    async def _found(
        self, generation: Generation, decompose: Callable[[], Awaitable[Decomposition]]
    ) -> Decomposition:
        """What is kept of an earlier run, or is found now."""
        if self.kept is None:
            return await decompose()
        made_by = self.decomposer.identity
        if (kept := await self.kept.decomposition(generation, made_by)) is not None:
            return kept
        found = await decompose()
        await self.kept.keep_decomposition(generation, made_by, found)
        return found

    async def _decisions(
        self,
        facts: tuple[AtomicFact, ...],
        topic: str | None,
        config: RunnableConfig,
        known: Mapping[str, Decision],
    ) -> tuple[Decision, ...]:
        old = [fact.checkable and fact.text in known for fact in facts]
        new = tuple(fact for fact, is_old in zip(facts, old, strict=True) if not is_old)
        decided = iter(await self.decide(new, topic, config) if new else ())
        return tuple(
            replace(known[fact.text], fact=fact) if is_old else next(decided)
            for fact, is_old in zip(facts, old, strict=True)
        )

    async def decide(
        self, facts: tuple[AtomicFact, ...], topic: str | None, config: RunnableConfig
    ) -> tuple[Decision, ...]:
        """Retrieves passages for facts and has them verified; decisions in the order of the facts.

        Args:
            facts: Facts about one topic.
            topic: As the knowledge source spells it.
            config: Passed on.

        Raises:
            FatalModelError: Every further call would fail the same way.
        """
        asked = tuple(fact for fact in facts if fact.checkable)
        claims = await self._claims(asked, topic, config)
        outcomes = iter(await self._verified(claims, config))
        return tuple(next(outcomes) if fact.checkable else _not_checkable(fact) for fact in facts)

    async def _claims(
        self, facts: tuple[AtomicFact, ...], topic: str | None, config: RunnableConfig
    ) -> tuple[Claim, ...]:
        if self.retrieval is None or not facts:
            return tuple(Claim(fact, topic=topic) for fact in facts)
        made_by = {**self.retrieval.identity, **self.retrieval.knowledge_identity}
        # Only of a source that is known by its content is it known that it would say the same again.
        kept = self.kept if made_by.get("content_hash") else None
        known = [None for _ in facts]
        found = known if kept is None else await kept.passages([fact.text for fact in facts], topic, made_by)
        rest = tuple(fact for fact, passages in zip(facts, found, strict=True) if passages is None)
        fresh: tuple[Claim, ...] = ()
        if rest:
            named = patch_config(config, run_name="retrieve")
            fresh = await self.retrieval.ainvoke(Question(rest, topic), named)
            if kept is not None:
                await kept.keep_passages(fresh, made_by)
        others = iter(fresh)
        return tuple(
            next(others) if passages is None else Claim(fact, passages, topic)
            for fact, passages in zip(facts, found, strict=True)
        )

    async def _verified(self, claims: Sequence[Claim], config: RunnableConfig) -> list[Decision]:
        named = patch_config(config, run_name="verify")
        if self.kept is None or is_fresh(config):
            return await decide(self.verifier, claims, named)
        made_by: dict[str, object] = dict(self.verifier.identity)
        if self.retrieval is not None:
            made_by["knowledge"] = self.retrieval.knowledge_identity
        found = await self.kept.decisions(claims, made_by)
        rest = [claim for claim, kept in zip(claims, found, strict=True) if kept is None]
        fresh = await decide(self.verifier, rest, named)
        await self.kept.keep_decisions(rest, fresh, made_by)
        others = iter(fresh)
        return [
            next(others) if kept is None else about(claim.fact, kept)
            for claim, kept in zip(claims, found, strict=True)
        ]

    def report(
        self, generation: Generation, title: str | None, found: Decomposition, decisions: tuple[Decision, ...]
    ) -> GenerationReport:
        """Puts the report of a generation together from its facts, decided in their order."""
        counted = tally(decisions)
        supported = [one.verdict is Verdict.SUPPORTED for one in decisions]
        adds = padding([one.fact.text for one in decisions], title or generation.topic, supported)
        lost = bool(found.failures) and counted.status == "no_facts"
        return GenerationReport(
            id=generation.id,
            topic=generation.topic,
            title=title,
            input=generation.input,
            place=generation.place,
            text=generation.text,
            status="failed" if lost else counted.status,
            error=_what_is_missing(found, decisions),
            facts=tuple(map(FactRecord.of, decisions, adds)),
            failures=found.failures,
            dropped=found.dropped,
        ).rescored(self.gamma)


def unscored(generation: Generation, status: Status, error: str | None = None) -> GenerationReport:
    """The report of a generation that got no score, and why."""
    return GenerationReport(
        id=generation.id,
        topic=generation.topic,
        input=generation.input,
        place=generation.place,
        text=generation.text,
        status=status,
        error=error,
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
