"""An agent whose answers are checked before anybody sees them, by what its tool brought.

    python examples/langchain_agent.py openai:gpt-4.1-mini "When was Nintendo founded?"

With a key for the model that is named. The check itself needs none: shipped models do it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.tools import tool

from factscore_chain import FactualityMiddleware, KnowledgeRetriever
from factscore_chain.retrievers.opening import open_knowledge

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"


def make_agent(model: Any, on_fail: Any = "correct") -> Any:
    """An agent with a search over the pages.

    Args:
        model: A chat model or "provider:name".
        on_fail: What is done about an answer that its evidence does not support.
    """
    pages = KnowledgeRetriever(source=open_knowledge(KNOWLEDGE))

    @tool(response_format="content_and_artifact")
    def search(query: str) -> tuple[str, list[Document]]:
        """Searches the encyclopedia."""
        found = pages.invoke(query, k=3)
        # The documents, which only the application sees, keep their titles: better evidence than the text.
        return "\n\n".join(one.page_content for one in found), found

    # Without a scorer of its own it checks by what the tools brought, and by nothing else.
    guard = FactualityMiddleware(on_fail=on_fail)
    return create_agent(model, tools=[search], middleware=[guard])


def ask(agent: Any, question: str) -> dict[str, Any]:
    """Prints the answer as it may be shown, then what was found, and returns the final state."""
    state: dict[str, Any] = {}
    given = {"messages": [{"role": "user", "content": question}]}
    for mode, piece in agent.stream(given, stream_mode=["messages", "values"]):
        if mode == "values":
            state = piece
        elif piece[0].type != "tool":
            print(piece[0].text, end="", flush=True)
    found = state["factuality"]
    print(f"\n[{found['action']}; {found['cause']}; score {found['score']}, coverage {found['coverage']}]")
    return state


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python {sys.argv[0]} PROVIDER:MODEL QUESTION")
    ask(make_agent(sys.argv[1]), sys.argv[2])
