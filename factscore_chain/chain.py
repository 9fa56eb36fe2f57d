"""The chain that people hold: generations in, report out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from langchain_core.callbacks.manager import adispatch_custom_event
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.abstain import check_kind
from factscore_chain.aio import iterate_sync, run_sync
from factscore_chain.answer_cache import AnswerCache
from factscore_chain.beyond import check_k
from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import MissingKnowledgeError, UsageError
from factscore_chain.estimators import make_estimator
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.generations import AnyGeneration, as_generation, as_generations
from factscore_chain.kept_stages import KeptStages
from factscore_chain.language_model import LanguageModel, Usage, total_cost
from factscore_chain.limits import CallLimits
from factscore_chain.manifest import now, versions
from factscore_chain.progress import OnDone, progress_config, watched
from factscore_chain.recall import Against, make_recall
from factscore_chain.rehearsal import CostEstimate, rehearse
from factscore_chain.report import GenerationReport, Manifest, Report
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.score import aggregate, check_gamma
from factscore_chain.scoring_run import ScoringRun, as_completed
from factscore_chain.seek.verifier import make_seeking
from factscore_chain.spending import Budget, PriceTable, load_prices
from factscore_chain.stage import Stage
from factscore_chain.storage import RUNS, Store, open_store
from factscore_chain.strict import check_complete, check_topics
from factscore_chain.values import Generation
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.calibration import Calibration, read_calibration
from factscore_chain.verify.judging import Judging

GENERATION_DONE = "factscore.generation"
"""Name of the custom event sent for each finished generation, with its `index` and `report`."""


class FactScoreChain(Stage[Any, Report]):
    """Scores generations against a knowledge source; a LangChain Runnable.

    Takes a text, a message, a `Generation`, a mapping with "output" (and "topic", "facts", "id"), or a list
    of these; gives a `Report`.

    Every way of calling it raises `UsageError` for input that is no generation, and `FatalModelError` where
    a model cannot be used at all and nothing was scored yet. Whatever else goes wrong is recorded in the
    report of its generation; a fatal error later in a run ends the run and keeps what was scored. A strict
    chain raises instead (`strict.py`).
    """

    scorer: GenerationScorer
    estimator: str
    prices: PriceTable
    budget: Budget | None = None
    max_failures: int | None = Field(default=None, ge=1)
    strict: bool = False
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
        cache: AnswerCache | str | Path | None = None,
        store: str | Path | Store | None = None,
        limits: CallLimits | None = None,
        max_cost: float | None = None,
        max_failures: int | None = None,
        strict: bool = False,
        prices: PriceTable | str | Path | None = None,
        calibration: Calibration | str | Path | None = None,
        facts_per_call: int = 1,
        structured: bool = False,
        irrelevant: bool = False,
        seek: bool | int = False,
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
            cache: A file that keeps the models' answers, so that nothing is asked twice, or the URL of a
                PostgreSQL database that machines share; None keeps none.
            store: A file, or the URL of a database, that keeps what each stage makes at once, and without a
                `cache` the models' answers too: a run that was ended goes on from there.
            limits: Bounds on the calls of all its models together; by default at most 16 in flight, or what
                a `LanguageModel` brings.
            max_cost: US dollars that this chain may spend in all its runs; what was done by then is kept.
            max_failures: Failed calls and generations at which a run stops, and keeps what was done; None
                goes on whatever fails.
            strict: Raise rather than record: `UnknownTopicsError` before anything is asked where a topic
                names no page, `IncompleteError` with the report where something failed or got no verdict.
            prices: A table of prices in place of the shipped one, or a YAML file with one.
            calibration: What the model's verdicts are worth, or a file of `factscore eval calibrate`.
            facts_per_call: Facts of one set of passages that a chat model is asked about together.
            structured: Ask for facts and verdicts as data, where the model's profile says that it can.
            irrelevant: Report facts whose subject is neither the topic nor in a passage as irrelevant.
            seek: Look again, at most twice, for facts that found no evidence; 1 for at most once.

        Raises:
            UsageError: An argument is not what it should be, no knowledge was given to an estimator that
                reads passages, or there is a `max_cost` for a model without a price.
            KnowledgeSourceError: The knowledge source cannot be opened.
        """
        worth = read_calibration(calibration) if isinstance(calibration, (str, Path)) else calibration
        parts = make_estimator(
            estimator, llm, decomposer, verifier, Judging(worth, facts_per_call, structured, irrelevant)
        )
        if parts.needs_passages and knowledge is None:
            raise MissingKnowledgeError(
                parts.name, "`knowledge`: a knowledge source, a path to one, or a LangChain retriever"
            )
        retrieval = None if knowledge is None else Retrieval(retriever=as_retriever(knowledge), k=k)
        scorer = GenerationScorer(
            decomposer=parts.decomposer,
            verifier=make_seeking(parts.verifier, retrieval, seek, parts.name) if seek else parts.verifier,
            retrieval=retrieval,
            gamma=check_gamma(gamma),
            abstain=check_kind(abstain),
            kept=None if store is None else KeptStages(open_store(store, RUNS)),
            recall=recall
            and make_recall(parts.decomposer, parts.verifier, retrieval, recall, max_reference_facts),
        )
        table = prices if isinstance(prices, PriceTable) else load_prices(prices)
        answers = AnswerCache(cache) if isinstance(cache, (str, Path)) else cache
        if answers is None and scorer.kept is not None:
            answers = AnswerCache(scorer.kept.store)
        budget = None if max_cost is None else Budget(max_cost)
        shared = limits or next((model.limits for model in scorer.models), None)

        def equipped(model: LanguageModel) -> LanguageModel:
            bounds = model.limits if limits is None and model.limited else shared
            return _equipped(model, answers, budget, table, bounds)

        super().__init__(
            scorer=scorer.with_models(equipped),
            estimator=f"{parts.name}+seek" if seek else parts.name,
            prices=table,
            budget=budget,
            max_failures=max_failures,
            strict=strict,
            f1_k=check_k(f1_k),
        )

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

    def score_many(
        self,
        generations: Iterable[AnyGeneration],
        on_result: OnDone[GenerationReport] | None = None,
        *,
        progress: bool = False,
    ) -> Report:
        """Scores several together.

        Args:
            generations: Whatever the chain takes one of.
            on_result: Called with the index and the report of each one as it is done.
            progress: Whether to show a bar, on a terminal or as a notebook's widget.
        """
        items = list(generations)
        with watched(on_result, progress, len(items), "generation") as watch:
            return self.invoke(items, progress_config(GENERATION_DONE, "report", watch))

    async def ascore_many(
        self,
        generations: Iterable[AnyGeneration],
        on_result: OnDone[GenerationReport] | None = None,
        *,
        progress: bool = False,
    ) -> Report:
        """Scores several together without blocking; the arguments are those of `score_many`."""
        items = list(generations)
        with watched(on_result, progress, len(items), "generation") as watch:
            return await self.ainvoke(items, progress_config(GENERATION_DONE, "report", watch))

    def score_as_completed(
        self, generations: Iterable[AnyGeneration], config: RunnableConfig | None = None
    ) -> Generator[tuple[int, GenerationReport], None, None]:
        """Scores several together, and gives each as soon as it is done, with its number.

        Generations are taken from the iterable as they are needed, so there may be any number of them. Who
        stops asking stops the work.

        Raises:
            UsageError: One is no generation.
            FatalModelError: A model cannot be used at all, and nothing was scored.
            UnknownTopicsError: The chain is strict, and a topic names no page; found when its turn comes.
            IncompleteError: The chain is strict, and something of one is missing; it holds that one's report.
        """
        return iterate_sync(self.ascore_as_completed(generations, config))

    async def ascore_as_completed(
        self, generations: Iterable[AnyGeneration], config: RunnableConfig | None = None
    ) -> AsyncGenerator[tuple[int, GenerationReport], None]:
        """Scores several together, and gives each as soon as it is done; see `score_as_completed`."""
        taken = map(self._taken, generations)
        async with aclosing(as_completed(self._run(), taken, config or {})) as completed:
            async for index, report in completed:
                if self.strict:
                    check_complete(self.report((report,)))
                yield index, report

    def estimate_cost(self, generations: Any) -> CostEstimate:
        """What scoring would take: calls, tokens and dollars. No model is asked; see `rehearsal.py`.

        Args:
            generations: What the chain takes: one generation, or a list.
        """
        return run_sync(self.aestimate_cost(generations))

    async def aestimate_cost(self, generations: Any) -> CostEstimate:
        """What scoring would take, without blocking; see `estimate_cost`."""
        return await rehearse(self.scorer, as_generations(generations), self.prices.as_of, {})

    @property
    def manifest(self) -> Manifest:
        """What a report of this chain says made it, before anything was asked."""
        return self.report(()).manifest

    @property
    def usages(self) -> tuple[Usage, ...]:
        """What each of its models has used so far."""
        return tuple(model.usage for model in self.models)

    def used_since(self, before: Sequence[Usage]) -> tuple[Usage, ...]:
        """What each of its models has used since `usages` was `before`."""
        return tuple(now - then for now, then in zip(self.usages, before, strict=True))

    async def _process(self, value: Any, config: RunnableConfig) -> Report:
        generations = as_generations(value)
        before = self.usages
        done: dict[int, GenerationReport] = {}

        async def keep(index: int, report: GenerationReport) -> None:
            done[index] = report
            await adispatch_custom_event(GENERATION_DONE, {"index": index, "report": report}, config=config)

        if self.strict:
            check_topics(generations, self.scorer.retrieval)
        await self._run().each(generations, config, keep)
        report = self.report(tuple(done[index] for index in sorted(done)), self.used_since(before))
        if self.strict:
            check_complete(report)
        return report

    def _taken(self, given: AnyGeneration) -> Generation:
        generation = as_generation(given)
        if self.strict:
            check_topics([generation], self.scorer.retrieval)
        return generation

    def _run(self) -> ScoringRun:
        return ScoringRun(self.scorer, self.budget, self.max_failures)

    def report(
        self, generations: tuple[GenerationReport, ...], spent: Sequence[Usage] | None = None
    ) -> Report:
        """Puts the report of generations together that this chain scored.

        Args:
            generations: What it made of each.
            spent: What each of its models used for them; None for nothing.
        """
        scores = aggregate((one.tally for one in generations), self.scorer.gamma)
        return Report.of(generations, scores, self._manifest(spent or [Usage() for _ in self.models]))

    def _manifest(self, spent: Sequence[Usage]) -> Manifest:
        retrieval = self.scorer.retrieval
        usage = sum(spent, Usage())
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
            cost=total_cost(zip(self.models, spent, strict=True)),
            prices=self.prices.as_of.isoformat() if usage.calls else None,
        )


def _equipped(
    model: LanguageModel,
    cache: AnswerCache | None,
    budget: Budget | None,
    table: PriceTable,
    limits: CallLimits | None,
) -> LanguageModel:
    """The model with the chain's means."""
    price = model.price or table.of(model.name, model.server)
    if budget is not None and price is None:
        raise UsageError(
            f"The price of {model.name!r} is not in the table of {table.as_of}, so max_cost cannot be kept. "
            "Give `prices`, a YAML file that has it."
        )
    return model.using(cache=cache, budget=budget, price=price, limits=limits)
