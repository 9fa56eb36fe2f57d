"""The FActScore as a LlamaIndex evaluator."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType

from factscore_chain.aio import run_sync
from factscore_chain.errors import FactScoreError
from factscore_chain.guard import CheckedText, CheckRequest, GuardOutcome, GuardPolicy, TextChecker
from factscore_chain.guard.policy import policy_with
from factscore_chain.guard.scorers import AnyScorer
from factscore_chain.llama_index.checking import Evidence, Sources, text_of, whole
from factscore_chain.llama_index.nodes import to_documents
from factscore_chain.report import GenerationReport
from factscore_chain.retrievers.opening import AnyKnowledge


class FactScoreEvaluationResult(EvaluationResult):
    """LlamaIndex's result, with everything that it rests on."""

    outcome: GuardOutcome | None = None
    """Counts, and the facts that are not supported, each with a passage."""
    report: GenerationReport | None = None
    """Every fact with its verdict and its passages."""


class FactScoreEvaluator(BaseEvaluator):
    """Says which share of a response's facts its contexts and a knowledge source support.

    Works wherever LlamaIndex takes an evaluator, such as `BatchEvalRunner` and `RetryQueryEngine`. It never
    raises for a response: what cannot be judged is an invalid result with its reason. `score` is the share of
    supported facts, 0 to 1; `feedback` says what is not supported, in words that a model can act on.

    `passing` is None for a response about which the check could say too little, unless the policy's
    `on_error` is "open" (True) or "closed" (False). A response that states nothing passes, unless `on_empty`
    is "fail".

    Args:
        scorer: A `FactScoreChain`; a knowledge source, a path to one or a LangChain retriever, for the
            embedded estimator; or None, where the contexts are the only evidence.
        threshold: Share of the facts that must be supported to pass, 0 to 1; by default 0.8.
        evidence: "both" checks against the contexts and the scorer's knowledge, "contexts" and "knowledge"
            against one of the two.
        policy: What else is to be decided: `on_empty`, `on_error`, `min_coverage`, `timeout`.
        topic: Title of the knowledge source that all responses are about; `topic=` of a call goes before it.
        sources: Further knowledge sources, paths to them, or LangChain retrievers.

    Raises:
        UsageError: An argument is not what it should be.
        KnowledgeSourceError: A knowledge source cannot be opened.
    """

    def __init__(
        self,
        scorer: AnyScorer = None,
        *,
        threshold: float | None = None,
        evidence: Evidence = "both",
        policy: GuardPolicy | None = None,
        topic: str | None = None,
        sources: Sequence[AnyKnowledge] = (),
    ) -> None:
        self._sources = Sources.of(scorer, evidence, sources)
        # It only judges, so nothing is edited, whatever else the policy is used for.
        only_judged = policy_with(type(self), policy, threshold=threshold, on_fail="annotate")
        self._checker = TextChecker(self._sources.scorer, only_judged)
        self._topic = topic

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> FactScoreEvaluationResult:
        """Evaluates a response; works inside a running event loop too. For the arguments see `aevaluate`."""
        return run_sync(self.aevaluate(query, response, contexts, **kwargs))

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        sleep_time_in_seconds: float = 0,
        topic: str | None = None,
        **kwargs: Any,
    ) -> FactScoreEvaluationResult:
        """Evaluates a response.

        Args:
            query: The question; kept in the result.
            response: The response.
            contexts: What it was written from; a lone text is one context. An empty list supports nothing;
                None is no evidence at all.
            sleep_time_in_seconds: Waits before it begins.
            topic: Title in the scorer's knowledge source; None searches the whole source.
            kwargs: Meant for other evaluators, and ignored.
        """
        await asyncio.sleep(sleep_time_in_seconds)
        given = [contexts] if isinstance(contexts, str) else contexts
        return await self._evaluated(query, response, given, given, topic)

    def evaluate_response(
        self, query: str | None = None, response: RESPONSE_TYPE | None = None, **kwargs: Any
    ) -> FactScoreEvaluationResult:
        """Evaluates what a query engine gave, by its source nodes; works inside a running event loop too."""
        return run_sync(self.aevaluate_response(query, response, **kwargs))

    async def aevaluate_response(
        self,
        query: str | None = None,
        response: RESPONSE_TYPE | None = None,
        sleep_time_in_seconds: float = 0,
        topic: str | None = None,
        **kwargs: Any,
    ) -> FactScoreEvaluationResult:
        """Evaluates what a query engine gave, by its source nodes, whose ids and titles are kept."""
        await asyncio.sleep(sleep_time_in_seconds)
        if response is None:
            return await self._evaluated(query, None, None, None, topic)
        said = await whole(response)
        shown = [node.get_content() for node in said.source_nodes]
        return await self._evaluated(query, text_of(said), shown, to_documents(said.source_nodes), topic)

    async def _evaluated(
        self,
        query: str | None,
        text: Any,
        contexts: Any,
        evidence: Any,
        topic: str | None,
    ) -> FactScoreEvaluationResult:
        # LlamaIndex's runner tries whatever raises again, after seconds of waiting.
        result = FactScoreEvaluationResult(query=_if_text(query), contexts=_if_texts(contexts))
        if text is None:
            return _invalid(result, "There is no response.")
        if not isinstance(text, str):
            return _invalid(result, f"The response is no text, but of the type {type(text).__name__}.")
        result = result.model_copy(update={"response": text})
        if evidence is None and not self._sources.has_knowledge:
            return _invalid(result, "There are no contexts, and the scorer has no knowledge of its own.")
        try:
            request = CheckRequest(text, topic or self._topic, self._sources.beside(evidence))
            checked = await self._checker.ainvoke(request)
        except FactScoreError as error:
            return _invalid(result, str(error))
        return self._filled(result, checked)

    def _filled(self, result: FactScoreEvaluationResult, checked: CheckedText) -> FactScoreEvaluationResult:
        outcome, said = checked.outcome, checked.outcome.summary()
        return result.model_copy(
            update={
                "score": outcome.score if outcome.checked else None,
                "passing": self._passing(outcome),
                "feedback": checked.feedback() if outcome.cause == "unsupported" else f"{said}.",
                "invalid_result": not outcome.checked,
                "invalid_reason": None if outcome.checked else f"{said}.",
                "outcome": outcome,
                "report": checked.report,
            }
        )

    def _passing(self, outcome: GuardOutcome) -> bool | None:
        if outcome.cause in ("error", "undecided") and self._checker.policy.on_error == "annotate":
            return None
        return outcome.passed

    def _get_prompts(self) -> PromptDictType:
        # The prompts of a judge are versioned files, which reports name; they are not changed in flight.
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        pass


def _if_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _if_texts(values: Any) -> Sequence[str] | None:
    is_list = isinstance(values, Sequence) and all(isinstance(one, str) for one in values)
    return values if is_list else None


def _invalid(result: FactScoreEvaluationResult, why: str) -> FactScoreEvaluationResult:
    return result.model_copy(update={"invalid_result": True, "invalid_reason": why, "feedback": why})
