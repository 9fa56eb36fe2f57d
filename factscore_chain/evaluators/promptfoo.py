"""An assertion for promptfoo.

Who asserts with it has a file of one line beside the configuration:

    from factscore_chain.evaluators.promptfoo import get_assert

and names that file in the configuration:

    assert:
      - type: python
        value: file://factscore_assert.py
        config: {knowledge: pages.jsonl, threshold: 0.9}
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.evaluators.judging import FactJudge, Judgement, OnEmpty
from factscore_chain.evaluators.reading import answer_in, context_at, text_at
from factscore_chain.render import clean, verdict_words
from factscore_chain.retrievers.context import ContextOnly
from factscore_chain.values import Verdict


class AssertConfig(BaseModel):
    """The assertion's `config`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    knowledge: str | None = None
    """A JSONL file or a database; without one, the context is the only evidence."""
    llm: str | None = None
    """A chat model as "provider:name"; without one, the shipped models judge."""
    estimator: str | None = None
    cache: str | None = None
    """A file that keeps the model's answers."""
    threshold: float = 0.8
    min_coverage: float = 0.5
    on_empty: OnEmpty = "pass"
    topic: str | None = None
    """The topic of every test; else the variable `topic_var` of each."""
    topic_var: str = "topic"
    context_var: str = "context"
    """The variable that holds what the application retrieved."""
    output_key: str | None = None
    """Where the output is an object: the entry with the answer."""


def get_assert(output: Any, context: dict[str, Any]) -> dict[str, Any]:
    """Grades one output, as promptfoo calls it.

    Args:
        output: What the provider gave: a text, or an object with one.
        context: promptfoo's; its "config" and "vars" are read.

    Returns:
        A grading result: "pass", "score", "reason", "namedScores", and a component for each fact. An output
        without anything to check has no share of supported facts: its "score" is then 1 if it passes, else 0,
        and "namedScores" has no "factscore".

    Raises:
        UsageError: The config has an unknown key or a wrong value, or the output holds no text.
        KnowledgeSourceError: The knowledge source cannot be opened.
        FatalModelError: The model cannot be used at all.
    """
    config = _config(context.get("config"))
    places = (context.get("vars"), output)
    found = _judge(config).judge(
        answer_in(output, config.output_key),
        config.topic or text_at(config.topic_var, *places),
        context_at(config.context_var, *places),
    )
    return _graded(found)


def _config(given: Any) -> AssertConfig:
    try:
        return AssertConfig.model_validate(given or {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(
            f"The assertion's config: {'.'.join(map(str, first['loc']))}: {first['msg']}."
        ) from error


@lru_cache(maxsize=8)
def _judge(config: AssertConfig) -> FactJudge:
    # Kept, since opening a source and loading models takes longer than judging a text.
    scorer = FactScoreChain(
        ContextOnly() if config.knowledge is None else Path(config.knowledge),
        llm=config.llm,
        estimator=config.estimator,
        cache=config.cache,
    )
    return FactJudge(
        scorer,
        threshold=config.threshold,
        on_empty=config.on_empty,
        min_coverage=config.min_coverage,
    )


def _graded(found: Judgement) -> dict[str, Any]:
    outcome = found.outcome
    named = {"factscore": outcome.score, "factscore_coverage": outcome.coverage}
    return {
        "pass": found.passed,
        "score": float(found.passed) if outcome.score is None else outcome.score,
        "reason": found.reason,
        "namedScores": {name: value for name, value in named.items() if value is not None},
        "componentResults": [
            {
                "pass": fact.verdict is Verdict.SUPPORTED,
                "score": float(fact.verdict is Verdict.SUPPORTED),
                "reason": clean(f"{verdict_words(fact)}: {fact.text}"),
            }
            for fact in found.report.facts
        ],
    }
