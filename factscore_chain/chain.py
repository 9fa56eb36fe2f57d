"""The chain that people hold: generations in, report out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.callbacks.manager import adispatch_custom_event
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.abstain import check_kind
from factscore_chain.beyond import check_k
from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.estimators import make_estimator
from factscore_chain.generation_scorer import GenerationScorer, unscored
from factscore_chain.generations import AnyGeneration, as_generation, as_generations
from factscore_chain.language_model import Usage
from factscore_chain.manifest import now, versions
from factscore_chain.recall import Against, make_recall
from factscore_chain.report import GenerationReport, Manifest, Report
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.score import aggregate, check_gamma
from factscore_chain.stage import Stage
from factscore_chain.values import Generation
from factscore_chain.verify.base import Verifier

OnResult: TypeAlias = Callable[[int, GenerationReport], None]

GENERATIONS_AT_ONCE = 4
"""Generations in work together; the model calls of all of them share one limiter."""

GENERATION_DONE = "factscore.generation"
"""Name of the custom event sent for each finished generation, with its `index` and `report`."""


class FactScoreChain(Stage[Any, Report]):
    """Scores generations against a knowledge source; a LangChain Runnable.

    Takes a text, a message, a `Generation`, a mapping with "output" (and "topic", "facts", "id"), or a list
    of these; gives a `Report`.

    Every way of calling it raises `UsageError` for input that is no generation, and `FatalModelError` where
    a model cannot be used at all and nothing was scored yet. Whatever else goes wrong is recorded in the
    report of its generation; a fatal error later in a run ends the run and keeps what was scored.
    """

    scorer: GenerationScorer
    estimator: str
    f1_k: float | None = None

    def __init__(
        self,
        knowledge: KnowledgeSource | BaseRetriever | str | Path | None = None,
        *,
        llm: Any = None,
        estimator: str | None = None,
        decomposer: Decomposer | None = None,
        verifier: Verifier | None = None,
        gamma: float | None = 10.0,
        abstain: str = "default",
        k: int = 5,
        f1_k: float | None = None,
        recall: Against | None = None,
        max_reference_facts: int = 50,
    ) -> None:
        """Puts a chain together.

        Args:
            knowledge: A knowledge source, a path to one (a registered database or a JSONL file), or any
                LangChain retriever.
            llm: A chat model or "provider:name", for the estimators that ask one.
            estimator: Name of the estimator; by default "retrieval+llm" with a model, else "embedded".
            decomposer: Takes the place of the estimator's own.
            verifier: Takes the place of the estimator's own.
            gamma: Facts a generation needs to escape the length penalty; None or 0 for none.
            abstain: "default", "generic", "perplexity_ai" or "none".
            k: Passages retrieved a fact.
            f1_k: Supported facts that a full answer has, for F1@K; None for the median of the answers.
            recall: Also measure how much of a reference each generation states: "page" for its "reference"
                or else its topic's page, "reference" for its "reference" alone.
            max_reference_facts: Facts of a reference that are looked for, from its beginning.

        Raises:
            UsageError: An argument is not what it should be, or no knowledge was given to an estimator
                that reads passages.
            KnowledgeSourceError: The knowledge source cannot be opened.
        """
        parts = make_estimator(estimator, llm, decomposer, verifier)
        if parts.needs_passages and knowledge is None:
            raise UsageError(
                f"The estimator {parts.name!r} reads passages. Give `knowledge`: a knowledge source, "
                "a path to one, or a LangChain retriever."
            )
        retrieval = None if knowledge is None else Retrieval(retriever=as_retriever(knowledge), k=k)
        scorer = GenerationScorer(
            decomposer=parts.decomposer,
            verifier=parts.verifier,
            retrieval=retrieval,
            gamma=check_gamma(gamma),
            abstain=check_kind(abstain),
            recall=recall
            and make_recall(parts.decomposer, parts.verifier, retrieval, recall, max_reference_facts),
        )
        super().__init__(scorer=scorer, estimator=parts.name, f1_k=check_k(f1_k))

    def score(
        self, text: AnyGeneration, topic: str | None = None, config: RunnableConfig | None = None
    ) -> Report:
        """Scores one generation; works inside a running event loop too."""
        return self.invoke(as_generation(text, topic), config)

    async def ascore(
        self, text: AnyGeneration, topic: str | None = None, config: RunnableConfig | None = None
    ) -> Report:
        """Scores one generation without blocking."""
        return await self.ainvoke(as_generation(text, topic), config)

    def score_many(self, generations: Iterable[AnyGeneration], on_result: OnResult | None = None) -> Report:
        """Scores several together; `on_result(index, report)` is called as each one is done."""
        return self.invoke(list(generations), _config(on_result))

    async def ascore_many(
        self, generations: Iterable[AnyGeneration], on_result: OnResult | None = None
    ) -> Report:
        """Scores several together without blocking; `on_result` as in `score_many`."""
        return await self.ainvoke(list(generations), _config(on_result))

    @property
    def manifest(self) -> Manifest:
        """What a report of this chain says made it, before anything was asked."""
        return self._manifest(Usage())

    @property
    def usage(self) -> Usage:
        """Everything that its models have used so far."""
        return sum((model.usage for model in self.models), Usage())

    async def _process(self, value: Any, config: RunnableConfig) -> Report:
        generations = as_generations(value)
        before = self.usage
        done = await self._score_all(generations, config)
        scores = aggregate((one.tally for one in done), self.scorer.gamma)
        return Report.of(done, scores, self._manifest(self.usage - before))

    async def _score_all(
        self, generations: tuple[Generation, ...], config: RunnableConfig
    ) -> tuple[GenerationReport, ...]:
        limiter = asyncio.Semaphore(GENERATIONS_AT_ONCE)
        fatal: list[FatalModelError] = []

        async def one(index: int, generation: Generation) -> GenerationReport:
            async with limiter:
                report = await self._score_one(generation, config, fatal)
            await adispatch_custom_event(GENERATION_DONE, {"index": index, "report": report}, config=config)
            return report

        done = await asyncio.gather(*(one(*item) for item in enumerate(generations)))
        if fatal and all(report.score is None for report in done):
            raise fatal[0]
        return tuple(done)

    async def _score_one(
        self, generation: Generation, config: RunnableConfig, fatal: list[FatalModelError]
    ) -> GenerationReport:
        if fatal:
            return unscored(generation, "failed", f"Not tried, since the run was stopped: {fatal[0]}")
        try:
            return await self.scorer.ainvoke(generation, patch_config(config, run_name="generation"))
        except FatalModelError as error:
            fatal.append(error)
            return unscored(generation, "failed", str(error))

    def _manifest(self, usage: Usage) -> Manifest:
        retrieval = self.scorer.retrieval
        return Manifest(
            created=now(),
            estimator=self.estimator,
            decomposer=self.scorer.decomposer.identity,
            verifier=self.scorer.verifier.identity,
            knowledge={} if retrieval is None else retrieval.knowledge_identity,
            retriever={} if retrieval is None else retrieval.identity,
            gamma=self.scorer.gamma,
            f1_k=self.f1_k,
            abstain=self.scorer.abstain,
            versions=versions(),
            usage=asdict(usage),
            cost=0.0 if not self.models else None,
        )


class _Progress(BaseCallbackHandler):
    """Hands each finished generation to a plain function."""

    def __init__(self, on_result: OnResult) -> None:
        self._on_result = on_result

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        if name == GENERATION_DONE:
            self._on_result(data["index"], data["report"])


def _config(on_result: OnResult | None) -> RunnableConfig | None:
    return None if on_result is None else {"callbacks": [_Progress(on_result)]}
