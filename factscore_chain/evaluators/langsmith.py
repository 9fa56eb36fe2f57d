"""An evaluator for LangSmith's `evaluate` and `aevaluate`, and for whoever calls with the same keywords.

evaluate(target, data="my questions", evaluators=[factscore_evaluator("pages.jsonl")])
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any
from uuid import UUID

from langsmith.evaluation import EvaluationResult, RunEvaluator
from langsmith.run_helpers import tracing_context
from langsmith.schemas import Example, Run
from langsmith.utils import tracing_is_enabled

from factscore_chain.aio import run_sync
from factscore_chain.errors import UsageError
from factscore_chain.evaluators.judging import FactJudge, Judgement, OnEmpty
from factscore_chain.evaluators.reading import answer_in, context_at, text_at
from factscore_chain.guard.scorers import AnyScorer


class FactScoreRunEvaluator(RunEvaluator):
    """Gives the share of an answer's facts that are supported.

    LangSmith takes it as it is. It can also be called: with a run and its example, or with `inputs`,
    `outputs` and `reference_outputs`, as openevals' evaluators are.
    """

    def __init__(
        self,
        judge: FactJudge,
        *,
        key: str = "factscore",
        output_key: str | None = None,
        topic_key: str = "topic",
        context_key: str | None = None,
    ) -> None:
        """Keeps where things are found; see `factscore_evaluator`."""
        self._judge = judge
        self._output_key = output_key
        self._topic_key = topic_key
        self._context_key = context_key
        self.key = self.__name__ = key

    @property
    def feedback_keys(self) -> list[str]:
        """The keys of the feedback that it gives."""
        return [self.key]

    def evaluate_run(
        self, run: Run, example: Example | None = None, evaluator_run_id: UUID | None = None
    ) -> EvaluationResult:
        """Evaluates one run.

        Raises:
            UsageError: The run's outputs hold no answer.
            FatalModelError: The scorer's model cannot be used at all.
        """
        return run_sync(self.aevaluate_run(run, example, evaluator_run_id))

    async def aevaluate_run(
        self, run: Run, example: Example | None = None, evaluator_run_id: UUID | None = None
    ) -> EvaluationResult:
        """The same without blocking."""
        reference = None if example is None else example.outputs
        metadata = None if example is None else example.metadata
        inputs = run.inputs if example is None else example.inputs
        found = await self._evaluate(inputs, run.outputs, reference, metadata)
        return found.model_copy(update={"source_run_id": evaluator_run_id})

    def __call__(
        self,
        run: Run | None = None,
        example: Example | None = None,
        *,
        inputs: Any = None,
        outputs: Any = None,
        reference_outputs: Any = None,
        **more: Any,
    ) -> dict[str, Any]:
        """Evaluates a run, or outputs; other keywords may hold the topic and the context.

        Raises:
            UsageError: There is neither a run nor outputs, or they hold no answer.
            FatalModelError: The scorer's model cannot be used at all.
        """
        if run is not None:
            return _plain(self.evaluate_run(run, example))
        if outputs is None:
            raise UsageError("There is nothing to evaluate. Give a run, or `outputs`.")
        return _plain(run_sync(self._evaluate(inputs, outputs, reference_outputs, more)))

    async def _evaluate(self, inputs: Any, outputs: Any, reference: Any, more: Any) -> EvaluationResult:
        text = answer_in({} if outputs is None else outputs, self._output_key)
        places = (outputs, inputs, reference, more)
        topic, context = text_at(self._topic_key, *places), context_at(self._context_key, *places)
        with _as_local_as_asked():
            return self._result(await self._judge.ajudge(text, topic, context))

    def _result(self, found: Judgement) -> EvaluationResult:
        return EvaluationResult(
            key=self.key,
            score=found.score,
            value=None if found.score is not None else found.outcome.cause,
            comment=found.reason,
            metadata={**found.figures, "passed": found.passed},
        )


def factscore_evaluator(
    scorer: AnyScorer = None,
    *,
    threshold: float = 0.8,
    on_empty: OnEmpty = "pass",
    min_coverage: float = 0.5,
    key: str = "factscore",
    output_key: str | None = None,
    topic_key: str = "topic",
    context_key: str | None = None,
) -> FactScoreRunEvaluator:
    """Makes an evaluator for LangSmith.

    Args:
        scorer: A `FactScoreChain`; knowledge, for the embedded estimator; or None, where the context that the
            application gives out is the only evidence.
        threshold: Share of the facts that must be supported, 0 to 1, for "passed" in the feedback's metadata.
        on_empty: Whether an answer that states nothing to check counts as passed; it has no score.
        min_coverage: Share of the facts on which there must be a verdict, 0 to 1.
        key: Name of the feedback.
        output_key: The output that holds the answer; None looks for messages or a usual name.
        topic_key: The output, input, reference or metadata that names the topic, where there is one.
        context_key: The output (or input) that holds what the application retrieved: documents, or texts.

    Raises:
        UsageError: An argument is not what it should be.
        KnowledgeSourceError: The knowledge source cannot be opened.
    """
    judge = FactJudge(scorer, threshold=threshold, on_empty=on_empty, min_coverage=min_coverage)
    return FactScoreRunEvaluator(
        judge, key=key, output_key=output_key, topic_key=topic_key, context_key=context_key
    )


def _as_local_as_asked() -> AbstractContextManager[None]:
    # Where nothing is to be uploaded LangSmith traces "local"ly, which LangChain's tracer takes for a yes.
    return tracing_context(enabled=False) if tracing_is_enabled() == "local" else nullcontext()


def _plain(result: EvaluationResult) -> dict[str, Any]:
    return result.model_dump(include={"key", "score", "value", "comment", "metadata"})
