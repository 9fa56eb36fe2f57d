"""factscore-chain: know whether what a language model wrote is true.

A generation is broken into atomic facts, each is checked against a knowledge source, and the share supported
is its FActScore (Min et al., EMNLP 2023).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from factscore_chain.agents.live import LiveFactualityMiddleware
    from factscore_chain.agents.middleware import FactualityMiddleware
    from factscore_chain.agents.tool import verify_claims_tool
    from factscore_chain.chain import FactScoreChain
    from factscore_chain.edit.chain import EditChain
    from factscore_chain.edit.report import EditReport
    from factscore_chain.errors import FactScoreError
    from factscore_chain.estimators import ESTIMATORS
    from factscore_chain.guard.check import TextChecker
    from factscore_chain.guard.checked import FactualityError
    from factscore_chain.guard.policy import GuardPolicy
    from factscore_chain.lcel.guard import FactGuard
    from factscore_chain.report import Report
    from factscore_chain.retrievers.context import ContextOnly
    from factscore_chain.retrievers.ensemble import KnowledgeRetriever
    from factscore_chain.retrievers.knowledge import KnowledgeSource
    from factscore_chain.values import AtomicFact, Claim, Decision, Generation, Passage, Verdict

_HOMES = {
    "ESTIMATORS": "estimators",
    "AtomicFact": "values",
    "Claim": "values",
    "ContextOnly": "retrievers.context",
    "Decision": "values",
    "EditChain": "edit.chain",
    "EditReport": "edit.report",
    "FactGuard": "lcel.guard",
    "FactScoreChain": "chain",
    "FactScoreError": "errors",
    "FactualityError": "guard.checked",
    "FactualityMiddleware": "agents.middleware",
    "Generation": "values",
    "GuardPolicy": "guard.policy",
    "KnowledgeRetriever": "retrievers.ensemble",
    "KnowledgeSource": "retrievers.knowledge",
    "LiveFactualityMiddleware": "agents.live",
    "Passage": "values",
    "Report": "report",
    "TextChecker": "guard.check",
    "Verdict": "values",
    "verify_claims_tool": "agents.tool",
}

__all__ = [
    "ESTIMATORS",
    "AtomicFact",
    "Claim",
    "ContextOnly",
    "Decision",
    "EditChain",
    "EditReport",
    "FactGuard",
    "FactScoreChain",
    "FactScoreError",
    "FactualityError",
    "FactualityMiddleware",
    "Generation",
    "GuardPolicy",
    "KnowledgeRetriever",
    "KnowledgeSource",
    "LiveFactualityMiddleware",
    "Passage",
    "Report",
    "TextChecker",
    "Verdict",
    "verify_claims_tool",
]


def __getattr__(name: str) -> Any:
    # Loaded on first use: a guardrail that only needs the values should not wait for Chroma and LangChain.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
