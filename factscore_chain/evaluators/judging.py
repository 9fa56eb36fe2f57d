"""What every evaluator asks: is enough of this text supported, by these pages and by this context?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig

from factscore_chain.aio import run_sync
from factscore_chain.errors import UsageError
from factscore_chain.gate.wording import MOST_FINDINGS, findings
from factscore_chain.generations import AnyGeneration
from factscore_chain.guard import GuardOutcome, GuardPolicy, as_evidence, judge, with_evidence
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.render import clean
from factscore_chain.report import GenerationReport, Report

OnEmpty = Literal["pass", "fail"]


@dataclass(frozen=True)
class Judgement:
    """What is said of one text, and everything it rests on."""

    outcome: GuardOutcome
    run: Report

    @property
    def report(self) -> GenerationReport:
        """The report of the text."""
        return self.run.generations[0]

    @property
    def score(self) -> float | None:
        """Share of the facts that are supported, 0 to 1; None where there is none."""
        return self.outcome.score

    @property
    def passed(self) -> bool:
        """Whether the text meets the threshold; one that could not be checked does not."""
        return self.outcome.passed

    @property
    def reason(self) -> str:
        """The figures in a clause, then the first facts that are not supported, a line each."""
        found = [clean(words) for _, words in findings(self.report)]
        more = [f"... and {len(found) - MOST_FINDINGS} more"] if len(found) > MOST_FINDINGS else []
        return "\n".join([f"{self.outcome.summary()}.", *found[:MOST_FINDINGS], *more])

    @property
    def figures(self) -> dict[str, Any]:
        """The score with what it rests on, as plain data."""
        kept = self.outcome.model_dump(
            mode="json", include={"cause", "score", "coverage", "facts", "supported"}
        )
        return {**kept, "estimator": self.run.manifest.estimator}


class FactJudge:
    """Judges texts one at a time, by a scorer and a threshold; safe to share between threads and tasks."""

    def __init__(
        self,
        scorer: AnyScorer = None,
        *,
        threshold: float = 0.8,
        on_empty: OnEmpty = "pass",
        min_coverage: float = 0.5,
    ) -> None:
        """Keeps what is needed to judge.

        Args:
            scorer: A `FactScoreChain`; a knowledge source, a path to one or a retriever, for the embedded
                estimator; or None, where the only evidence is the context of each text.
            threshold: Share of the facts that must be supported, 0 to 1.
            on_empty: What a text counts for that states nothing to check: "pass" or "fail". It has no score.
            min_coverage: Share of the facts on which there must be a verdict, 0 to 1.

        Raises:
            UsageError: An argument is not what it should be.
            KnowledgeSourceError: The knowledge source cannot be opened.
        """
        if on_empty not in ("pass", "fail"):
            raise UsageError(f'on_empty is {on_empty!r}; choose "pass" or "fail".')
        self.scorer = as_scorer(scorer)
        self.policy = GuardPolicy(
            threshold=threshold, on_empty=on_empty, on_error="closed", min_coverage=min_coverage
        )

    async def ajudge(
        self,
        text: AnyGeneration,
        topic: str | None = None,
        context: Any = None,
        config: RunnableConfig | None = None,
    ) -> Judgement:
        """Judges a text.

        Args:
            text: A text, a message, or what else a chain takes one of.
            topic: The title that it is about; None searches the whole source.
            context: What the app itself retrieved, in any form that `as_passages` takes.
            config: Passed on to the scorer.

        Raises:
            UsageError: The text or the context is none.
            FatalModelError: The scorer's model cannot be used at all.
        """
        scorer = with_evidence(self.scorer, as_evidence(context))
        report = await scorer.ascore(text, topic, config)
        return Judgement(judge(report.generations[0], self.policy), report)

    def judge(
        self,
        text: AnyGeneration,
        topic: str | None = None,
        context: Any = None,
        config: RunnableConfig | None = None,
    ) -> Judgement:
        """The same from synchronous code, inside a running event loop too."""
        return run_sync(self.ajudge(text, topic, context, config))
