"""A scorer for inspect, the package inspect_ai.

Task(dataset=..., solver=generate(), scorer=factscore("pages.jsonl"))
"""

from __future__ import annotations

from typing import Any

from factscore_chain.errors import MissingPackageError
from factscore_chain.evaluators.judging import FactJudge, Judgement, OnEmpty
from factscore_chain.evaluators.reading import context_at, text_at
from factscore_chain.guard.scorers import AnyScorer

try:
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError as error:
    raise MissingPackageError("The inspect scorer", "inspect-ai") from error


@scorer(metrics=[mean(), stderr()], name="factscore")
def factscore(
    knowledge: AnyScorer = None,
    threshold: float = 0.8,
    topic_key: str = "topic",
    context_key: str = "context",
    on_empty: OnEmpty = "pass",
    min_coverage: float = 0.5,
) -> Scorer:
    """Gives each sample the share of its output's facts that are supported, 0 to 1.

    A sample whose output states nothing to check is not scored, and neither is one whose check failed:
    inspect keeps both, with the reason, out of the mean.

    Args:
        knowledge: A `FactScoreChain`; knowledge, for the embedded estimator; or None, where each sample's
            context is the only evidence.
        threshold: Share of the facts that must be supported for "passed" in the score's metadata.
        topic_key: The entry of a sample's metadata that names its topic, where there is one.
        context_key: The entry of a sample's metadata that holds further evidence: texts or documents.
        on_empty: "fail" scores an output that states nothing to check as 0.
        min_coverage: Share of the facts on which there must be a verdict, 0 to 1.

    Raises:
        UsageError: An argument is not what it should be.
        KnowledgeSourceError: The knowledge source cannot be opened.
    """
    judge = FactJudge(knowledge, threshold=threshold, on_empty=on_empty, min_coverage=min_coverage)

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        topic = text_at(topic_key, state.metadata)
        found = await judge.ajudge(text, topic, context_at(context_key, state.metadata))
        return _score(found, text)

    return score


def _score(found: Judgement, text: str) -> Score:
    told: dict[str, Any] = {
        "answer": text,
        "explanation": found.reason,
        "metadata": {**found.figures, "passed": found.passed},
    }
    if found.outcome.cause == "error":
        return Score.unscored(reason="scoring_failed", **told)
    if found.score is not None:
        return Score(value=found.score, **told)
    return Score.unscored(reason=found.outcome.cause, **told) if found.passed else Score(value=0.0, **told)
