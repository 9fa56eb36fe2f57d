"""A metric for deepeval: `FactScoreMetric`, for `evaluate`, `assert_test` and `deepeval test run`."""

from __future__ import annotations

from typing import Any

from factscore_chain.aio import run_sync
from factscore_chain.errors import MissingPackageError, ModelCallError
from factscore_chain.evaluators.judging import FactJudge, Judgement, OnEmpty
from factscore_chain.evaluators.reading import text_at
from factscore_chain.guard.scorers import AnyScorer, as_scorer

try:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError as error:
    raise MissingPackageError("FactScoreMetric", "deepeval") from error


class FactScoreMetric(BaseMetric):
    """The share of the facts of a test case's actual output that are supported.

    The evidence is the scorer's knowledge and the test case's `retrieval_context`. After a measurement
    `score` is that share, or None where the output states nothing to check, which is no failure unless
    `on_empty` says so; `reason` names the facts that are not supported; `judgement` holds the whole report.
    """

    score: float | None
    reason: str | None
    success: bool | None
    error: str | None

    def __init__(
        self,
        scorer: AnyScorer = None,
        threshold: float = 0.8,
        *,
        topic: str | None = None,
        use_context: bool = True,
        on_empty: OnEmpty = "pass",
        min_coverage: float = 0.5,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        flaky: bool = False,
    ) -> None:
        """Puts a metric together.

        Args:
            scorer: A `FactScoreChain`; knowledge, for the embedded estimator; or None, where the retrieval
                context is the only evidence.
            threshold: Share of the facts that must be supported, 0 to 1.
            topic: The title that outputs are about; else "topic" of a test case's metadata.
            use_context: Whether the retrieval context is evidence.
            on_empty: What an output counts for that states nothing to check: "pass" or "fail".
            min_coverage: Share of the facts on which there must be a verdict, 0 to 1.
            include_reason: Whether `reason` is given.
            async_mode: Whether deepeval measures test cases together.
            strict_mode: Whether every fact must be supported; a lower score counts as 0.
            flaky: As in deepeval: whether a failure only warns.

        Raises:
            UsageError: An argument is not what it should be.
            KnowledgeSourceError: The knowledge source cannot be opened.
        """
        # deepeval copies a metric by handing these attributes to its constructor again, by name.
        self.scorer = as_scorer(scorer)
        self.threshold = 1.0 if strict_mode else threshold
        self.topic = topic
        self.use_context = use_context
        self.on_empty = on_empty
        self.min_coverage = min_coverage
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.flaky = flaky
        self.evaluation_model = self.scorer.estimator
        self.judgement: Judgement | None = None
        self._judge = FactJudge(
            self.scorer, threshold=self.threshold, on_empty=on_empty, min_coverage=min_coverage
        )

    @property
    def __name__(self) -> str:
        """The name under which deepeval reports the metric."""
        return "FActScore"

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float | None:
        """Measures one test case; returns `score`.

        Raises:
            MissingTestCaseParamsError: It has no actual output.
            ModelCallError: The output could not be checked.
            FatalModelError: The scorer's model cannot be used at all.
        """
        return run_sync(self.a_measure(test_case, *args, **kwargs))

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float | None:
        """The same without blocking."""
        from deepeval.errors import MissingTestCaseParamsError

        self._clear()
        if test_case.actual_output is None:
            self.error = "The test case has no 'actual_output', which FActScore needs."
            raise MissingTestCaseParamsError(self.error)
        topic = self.topic or text_at("topic", test_case.metadata)
        found = await self._judge.ajudge(test_case.actual_output, topic, self._context(test_case))
        if found.outcome.cause == "error":
            self.error = f"The check failed: {found.outcome.error}"
            raise ModelCallError(self.error)
        self._keep(found)
        return self.score

    def is_successful(self) -> bool:
        """Whether the last test case that was measured passes."""
        passes = self.error is None and self.judgement is not None and self.judgement.passed
        self.success = passes
        return passes

    def _clear(self) -> None:
        self.score = None
        self.reason = None
        self.success = None
        self.error = None
        self.judgement = None

    def _context(self, test_case: LLMTestCase) -> list[Any] | None:
        if not self.use_context or test_case.retrieval_context is None:
            return None
        return [
            one if isinstance(one, str) else (one.source, one.context) for one in test_case.retrieval_context
        ]

    def _keep(self, found: Judgement) -> None:
        usage, score = found.run.manifest.usage, found.score
        self.judgement = found
        self.score = 0.0 if self.strict_mode and score is not None and score < 1 else score
        self.score_breakdown = found.figures
        self.reason = found.reason if self.include_reason else None
        self.evaluation_cost = found.run.manifest.cost
        self.input_tokens, self.output_tokens = usage.get("input_tokens"), usage.get("output_tokens")
        self.is_successful()
