"""The guardrail as a step of LangChain chains: composes with `|` and `RunnablePassthrough.assign`."""

from factscore_chain.lcel.guard import FactGuard
from factscore_chain.lcel.guarded import GuardedChain
from factscore_chain.lcel.scoring import AnswerScorer

__all__ = ["AnswerScorer", "FactGuard", "GuardedChain"]
