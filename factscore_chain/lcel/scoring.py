"""The score of a chain's answer by the chain's own context, beside the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.chain import FactScoreChain
from factscore_chain.guard.evidence import CallEvidence, as_evidence, with_evidence
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.lcel.keys import Keys
from factscore_chain.report import Report
from factscore_chain.retrievers.opening import AnyKnowledge
from factscore_chain.stage import Stage
from factscore_chain.values import Generation


class AnswerScorer(Stage[Any, Report]):
    """Scores the answer in a chain's dict by the context that stands beside it.

        rag | RunnablePassthrough.assign(factuality=AnswerScorer(scorer))

    Takes a text, a message, or a dict with either; gives a `Report` and changes nothing.

    Raises:
        UsageError: The input is no answer, or its context is no evidence.
        FatalModelError: The scorer's model cannot be used.
    """

    scorer: FactScoreChain
    keys: Keys
    always: CallEvidence

    def __init__(
        self,
        scorer: AnyScorer = None,
        *,
        text_key: str = "answer",
        context_key: str | Sequence[str] | None = "context",
        topic_key: str | None = None,
        sources: Sequence[AnyKnowledge] = (),
    ) -> None:
        """Puts a scorer together; the arguments are those of `FactGuard`."""
        super().__init__(
            scorer=as_scorer(scorer),
            keys=Keys.of(text_key, context_key, topic_key, None),
            always=as_evidence(None, sources),
        )

    async def _process(self, value: Any, config: RunnableConfig) -> Report:
        request = self.keys.request(value, self.always)
        self.keys.require_evidence(value, self.scorer, self.always)
        scorer = with_evidence(self.scorer, request.evidence)
        generation = Generation(request.text, request.topic)
        return await scorer.ainvoke(generation, patch_config(config, run_name="score"))
