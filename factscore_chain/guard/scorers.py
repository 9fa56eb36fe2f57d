"""Makes a scorer of whatever a guardrail or an evaluator is given to check by."""

from __future__ import annotations

from typing import TypeAlias

from factscore_chain.chain import FactScoreChain
from factscore_chain.retrievers.context import ContextOnly
from factscore_chain.retrievers.opening import AnyKnowledge

AnyScorer: TypeAlias = "FactScoreChain | AnyKnowledge | None"
"""A chain; or what makes one with the embedded estimator: knowledge, or None for the context alone."""


def as_scorer(value: AnyScorer) -> FactScoreChain:
    """Makes a scorer of knowledge; a scorer comes back as it is.

    Args:
        value: A `FactScoreChain`; a knowledge source, a path to one or a LangChain retriever; or None, where
            the only evidence is what comes with each call.

    Raises:
        KnowledgeSourceError: The knowledge source cannot be opened.
    """
    if isinstance(value, FactScoreChain):
        return value
    return FactScoreChain(ContextOnly() if value is None else value)
