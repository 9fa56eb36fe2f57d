"""An agent that checks claims itself, before it states them.

    python examples/verify_claims_tool.py openai:gpt-4.1-mini "Is it true that Nintendo was founded in 1905?"

With a key for the model that is named; the claims are checked by shipped models.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langchain.agents import create_agent

from factscore_chain import verify_claims_tool

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
PROMPT = "Check every fact that you state with verify_claims first, and state none that is not supported."


def make_agent(model: Any) -> Any:
    """An agent that has the tool."""
    return create_agent(model, tools=[verify_claims_tool(KNOWLEDGE)], system_prompt=PROMPT)


def ask(agent: Any, question: str) -> str:
    """The agent's answer."""
    done = agent.invoke({"messages": [{"role": "user", "content": question}]})
    return str(done["messages"][-1].text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python {sys.argv[0]} PROVIDER:MODEL QUESTION")
    print(ask(make_agent(sys.argv[1]), sys.argv[2]))
