"""Generations in work together, each handed over as soon as it is scored, whatever becomes of the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.errors import FatalModelError
from factscore_chain.generation_scorer import GenerationScorer, unscored
from factscore_chain.report import GenerationReport
from factscore_chain.run_scope import count_failures, given_up, one_run
from factscore_chain.spending import Budget
from factscore_chain.values import Generation, Verdict

GENERATIONS_AT_ONCE = 4
"""Generations in work together at least; with many calls allowed in flight there are more."""

HandOver = Callable[[int, GenerationReport], Awaitable[None]]
"""Takes the report of a generation, with its number."""


@dataclass
class ScoringRun:
    """One run over some generations."""

    scorer: GenerationScorer
    budget: Budget | None = None
    max_failures: int | None = None
    fatal: list[FatalModelError] = field(default_factory=list)
    """What ended the run, if anything did."""
    scored: int = 0
    """Generations that have a score."""

    @property
    def at_once(self) -> int:
        """Generations in work together: enough to keep as many calls in flight as are allowed."""
        calls = max((model.limits.concurrency for model in self.scorer.models), default=0)
        return max(GENERATIONS_AT_ONCE, calls // 2)

    async def each(
        self, generations: Iterable[Generation], config: RunnableConfig, hand_over: HandOver
    ) -> None:
        """Scores generations; they are taken as places become free, and nothing is left running.

        Args:
            generations: In their order.
            config: Of the run.
            hand_over: Takes each report; while it does not return, the generation keeps its place.

        Raises:
            FatalModelError: A model cannot be used at all, and nothing was scored.
        """
        free = asyncio.Semaphore(self.at_once)
        tasks: set[asyncio.Future[None]] = set()
        lost: list[BaseException] = []

        def over(task: asyncio.Future[None]) -> None:
            tasks.discard(task)
            free.release()
            if not task.cancelled() and (error := task.exception()) is not None:
                lost.append(error)

        async def one(index: int, generation: Generation) -> None:
            report = await self._score(generation, config)
            self.scored += report.score is not None
            await hand_over(index, report)

        with one_run(self.max_failures):
            try:
                for index, generation in enumerate(generations):
                    await free.acquire()
                    if lost:
                        break
                    task = asyncio.ensure_future(one(index, generation))
                    tasks.add(task)
                    task.add_done_callback(over)
                while tasks and not lost:
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                left = list(tasks)
                for unfinished in left:
                    unfinished.cancel()
                await asyncio.gather(*left, return_exceptions=True)
        if lost:
            raise lost[0]
        if self.fatal and not self.scored:
            raise self.fatal[0]

    async def _score(self, generation: Generation, config: RunnableConfig) -> GenerationReport:
        if self.fatal:
            return unscored(generation, "failed", f"Not tried, since the run was stopped: {self.fatal[0]}")
        if self.budget is not None and self.budget.exhausted:
            return unscored(
                generation, "failed", f"Not tried, since the budget of ${self.budget.dollars:g} is used up."
            )
        if (hopeless := given_up()) is not None:
            return unscored(generation, "failed", f"Not tried: {hopeless}")
        try:
            report = await self.scorer.ainvoke(generation, patch_config(config, run_name="generation"))
        except FatalModelError as error:
            self.fatal.append(error)
            return unscored(generation, "failed", str(error))
        count_failures(self._lost_without_a_call(report))
        return report

    def _lost_without_a_call(self, report: GenerationReport) -> int:
        """What failed of a generation, less what its models' calls counted themselves."""
        if report.status == "failed" and not report.facts and not report.failures:
            return 1
        return 0 if self.scorer.models else sum(fact.verdict is Verdict.FAILED for fact in report.facts)


async def as_completed(
    run: ScoringRun, generations: Iterable[Generation], config: RunnableConfig
) -> AsyncGenerator[tuple[int, GenerationReport], None]:
    """Each report with its number as soon as it is there; who stops asking stops the work.

    Raises:
        FatalModelError: A model cannot be used at all, and nothing was scored.
    """
    done = asyncio.Queue[tuple[int, GenerationReport] | None](1)

    async def work() -> None:
        try:
            await run.each(generations, config, keep)
        finally:
            # Whoever listens no more has cancelled this.
            await done.put(None)

    async def keep(index: int, report: GenerationReport) -> None:
        await done.put((index, report))

    working = asyncio.ensure_future(work())
    try:
        while (one := await done.get()) is not None:
            yield one
        await working
    finally:
        working.cancel()
