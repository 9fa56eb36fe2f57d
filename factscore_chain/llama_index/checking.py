"""How an answer of LlamaIndex is checked: its text, its evidence, and the policy."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.guard import CallEvidence, as_evidence
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.context import ContextOnly
from factscore_chain.retrievers.opening import AnyKnowledge

Evidence: TypeAlias = Literal["both", "contexts", "knowledge"]
"""What an answer is checked against: the contexts it was written from, the scorer's knowledge, or both."""


@dataclass(frozen=True)
class Sources:
    """What the answers of one evaluator or query engine are checked against.

    Args:
        scorer: Scores; without its own knowledge where that is not to count.
        evidence: What counts.
        further: Sources beside the scorer's own.
    """

    scorer: FactScoreChain
    evidence: Evidence
    further: CallEvidence

    @classmethod
    def of(cls, scorer: AnyScorer, evidence: Evidence, sources: Sequence[AnyKnowledge]) -> Sources:
        """Puts sources together.

        Raises:
            UsageError: `evidence` is none of its values, or names knowledge and there is none.
            KnowledgeSourceError: A knowledge source cannot be opened.
        """
        if evidence not in get_args(Evidence):
            raise UsageError(f"evidence is {evidence!r}; choose one of: {', '.join(get_args(Evidence))}.")
        chain = as_scorer(scorer)
        made = cls(
            _without_knowledge(chain) if evidence == "contexts" else chain,
            evidence,
            as_evidence(None, sources),
        )
        if evidence == "knowledge" and not made.has_knowledge:
            raise UsageError("evidence is 'knowledge', and the scorer has none. Give it a knowledge source.")
        return made

    @property
    def has_knowledge(self) -> bool:
        """Whether there is anything to check an answer against that comes without contexts."""
        scorer = self.scorer.scorer
        if not scorer.verifier.reads_passages or self.further:
            return True
        return scorer.retrieval is not None and not isinstance(scorer.retrieval.retriever, ContextOnly)

    def beside(self, contexts: Any) -> CallEvidence:
        """The evidence of an answer that was written from these contexts."""
        return as_evidence(None if self.evidence == "knowledge" else contexts) + self.further


def _without_knowledge(chain: FactScoreChain) -> FactScoreChain:
    inner = chain.scorer
    if inner.retrieval is None:
        return chain
    alone = Retrieval(retriever=ContextOnly(), k=inner.retrieval.k)
    return chain.model_copy(update={"scorer": inner.model_copy(update={"retrieval": alone})})


async def whole(response: RESPONSE_TYPE) -> Response | PydanticResponse:
    """A response when all of it is there: one that is streamed is read to its end."""
    if isinstance(response, AsyncStreamingResponse):
        return await response.get_response()
    if isinstance(response, StreamingResponse):
        return await asyncio.to_thread(response.get_response)
    return response


def text_of(response: Response | PydanticResponse) -> str | None:
    """What a response says: its text, or the texts in its object, one a line."""
    if isinstance(response, PydanticResponse):
        said = None if response.response is None else response.response.model_dump(mode="json")
        return "\n".join(_texts(said))
    return response.response


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, Mapping)):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
