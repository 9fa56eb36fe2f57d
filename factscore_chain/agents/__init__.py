"""For LangChain agents: middleware that checks answers, and a tool with which an agent checks claims."""

from factscore_chain.agents.live import LiveFactualityMiddleware
from factscore_chain.agents.middleware import FactualityMiddleware
from factscore_chain.agents.state import FactualityRecord, FactualityState
from factscore_chain.agents.tool import verify_claims_tool

__all__ = [
    "FactualityMiddleware",
    "FactualityRecord",
    "FactualityState",
    "LiveFactualityMiddleware",
    "verify_claims_tool",
]
