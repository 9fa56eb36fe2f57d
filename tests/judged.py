"""A scorer by plain rules whose only evidence is each text's context, for tests of what hands that over."""

from __future__ import annotations

from factscore_chain.chain import FactScoreChain
from factscore_chain.retrievers.context import ContextOnly
from tests.stages import SentenceDecomposer, WordVerifier

ADA = "Ada was born in London in 1815. Ada wrote notes on the engine."
TRUE = "Ada was born in London."
FALSE = "Ada was born in Paris."
REFUSED = "REFUSE this."
"""A text that cannot be broken into facts."""


def scorer() -> FactScoreChain:
    """Takes each sentence as a fact, and finds it supported if all its words stand in one passage."""
    return FactScoreChain(ContextOnly(), decomposer=SentenceDecomposer(), verifier=WordVerifier())
