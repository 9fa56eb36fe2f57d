"""A run that asks nothing: which calls would be made, and how many tokens and dollars they would take.

Everything but the models works as in the run itself: the texts are split, passages retrieved, local verifiers
asked, prompts written and looked up among the cached answers. In place of each answer that is not known
stands a typical one, so that what is asked later can only be near what will be asked: facts of a text that
was not decomposed yet are those of the embedded decomposer, and a verdict is "True".
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, Field

from factscore_chain.completion import Completion, Usage
from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.fresh import is_fresh
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.language_model import LanguageModel, total_cost
from factscore_chain.tokens import estimate_tokens, message_tokens
from factscore_chain.values import Decomposition, Generation


@dataclass(frozen=True)
class CostEstimate:
    """What a run would take; tokens are estimated at four characters each (`tokens.py`)."""

    generations: int
    facts: int
    usage: Usage
    dollars: float | None
    """US dollars; None where the price of a model that would be asked is not known."""
    models: tuple[str, ...]
    """Names of the models that would be asked."""
    prices: date
    """Day of the table of prices."""
    problems: tuple[str, ...] = ()
    """Why some generations would not be scored, such as an unknown topic."""

    def lines(self) -> list[str]:
        """The estimate for people."""
        usage = self.usage
        return [
            f"generations: {self.generations}, facts: about {self.facts}",
            *(f"cannot be scored: {problem}" for problem in self.problems),
            f"about {usage.calls} model calls, and {usage.cached_answers} answers from the cache",
            f"about {usage.input_tokens} input tokens and {usage.output_tokens} output tokens",
            self._cost(),
        ]

    def _cost(self) -> str:
        if not self.usage.calls:
            return "no model would be asked, so it costs nothing"
        if self.dollars is None:
            return f"price not known: {', '.join(self.models)} is not in the table of {self.prices}"
        return f"about ${self.dollars:.4f}, at list prices of {self.prices}"


class RehearsedModel(LanguageModel):
    """Stands in for a model and asks nothing: cached answers are real, others typical; all are counted."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model.model, limits=model.limits, cache=model.cache, price=model.price)
        self._asked: set[str] = set()

    async def complete(
        self,
        messages: Sequence[BaseMessage],
        config: RunnableConfig | None = None,
        *,
        logprobs: bool = False,
        schema: type[BaseModel] | None = None,
        sample: int = 0,
        typical: str = "True",
    ) -> Completion:
        """Gives the cached answer or the typical one; see `LanguageModel.complete`."""
        call = self._call(messages, logprobs, sample, schema)
        if self.cache is not None and not is_fresh(config):
            kept = await asyncio.to_thread(self.cache.find, call)
            if kept is not None or call.key in self._asked:
                self._account.add(Usage(cached_answers=1))
                return kept or Completion(typical)
            self._asked.add(call.key)
        self._account.add(Usage(1, message_tokens(messages), estimate_tokens(typical)))
        return Completion(typical)


class RehearsedDecomposer(Decomposer):
    """Counts what a decomposer would ask; its facts are those of the cache, or else of the embedded one."""

    decomposer: Decomposer
    stand_in: Decomposer = Field(default_factory=EmbeddedDecomposer)

    @property
    def identity(self) -> dict[str, str]:
        """That of the decomposer."""
        return self.decomposer.identity

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        before = _calls(self.decomposer.models)
        found = await self.decomposer.ainvoke(value, config)
        if _calls(self.decomposer.models) == before:
            return found
        return await self.stand_in.ainvoke(value, config)


async def rehearse(
    scorer: GenerationScorer, generations: Sequence[Generation], prices: date, config: RunnableConfig
) -> CostEstimate:
    """Takes the generations through all stages without asking a model.

    Args:
        scorer: Whose models have their prices and caches.
        generations: What would be scored.
        prices: Day of the table of prices, for the estimate's record.
        config: Of the run.
    """
    rehearsed = scorer.with_models(RehearsedModel)
    decomposer = RehearsedDecomposer(decomposer=rehearsed.decomposer)
    rehearsed = rehearsed.model_copy(update={"decomposer": decomposer, "kept": None})
    # One after the other, or calls could not be told apart by generation.
    reports = [await rehearsed.ainvoke(generation, config) for generation in generations]
    asked = [model for model in rehearsed.models if model.usage.calls]
    return CostEstimate(
        generations=len(reports),
        facts=sum(len(report.facts) for report in reports),
        usage=sum((model.usage for model in rehearsed.models), Usage()),
        dollars=total_cost((model, model.usage) for model in asked),
        models=tuple(dict.fromkeys(model.name for model in asked)),
        prices=prices,
        problems=tuple(dict.fromkeys(report.error for report in reports if report.error is not None)),
    )


def _calls(models: Sequence[LanguageModel]) -> int:
    return sum(model.usage.calls for model in models)
