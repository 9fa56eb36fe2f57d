"""A LangGraph graph that answers, and has its answer checked and mended by the ready subgraph.

python examples/langgraph_guard.py                             # a scripted model, which makes mistakes
python examples/langgraph_guard.py --model openai:gpt-4o-mini  # any model that LangChain knows

retrieve -> answer -> guard (score -> edit if the answer fails -> score -> show)
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from factscore_chain import GuardPolicy, KnowledgeRetriever
from factscore_chain.graphs import FactualityState, guard_graph
from factscore_chain.retrievers.opening import open_knowledge

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
QUESTION = "When was Nintendo founded?"
ANSWER = "Nintendo was founded in Kyoto in 1905. It began as a maker of playing cards."


class State(FactualityState, total=False):
    """The state of the app: a question, and what the guard reads and writes."""

    question: str


def make_graph(model: BaseChatModel) -> CompiledStateGraph[Any, None, Any, Any]:
    """The whole graph."""
    retriever = KnowledgeRetriever(source=open_knowledge(KNOWLEDGE), k=3)

    def retrieve(state: State) -> dict[str, list[Document]]:
        return {"context": retriever.invoke(state["question"])}

    def answer(state: State) -> dict[str, str]:
        passages = "\n".join(one.page_content for one in state["context"])
        return {"answer": model.invoke(f"{passages}\n\nQuestion: {state['question']}").text}

    graph: StateGraph[Any, None, Any, Any] = StateGraph(State)
    graph.add_node("retrieve", retrieve)
    graph.add_node("answer", answer)
    graph.add_node("guard", guard_graph(policy=GuardPolicy(on_fail="correct")))
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "answer")
    graph.add_edge("answer", "guard")
    graph.add_edge("guard", END)
    return graph.compile()


def make_model(name: str | None) -> BaseChatModel:
    """A model by name; without one, a script."""
    if name is None:
        return GenericFakeChatModel(messages=iter([ANSWER]))
    from langchain.chat_models import init_chat_model

    return init_chat_model(name)


def run(model: str | None = None) -> None:
    """Asks a question, and shows what the guard did."""
    result = make_graph(make_model(model)).invoke({"question": QUESTION})
    found = result["factuality"]
    print(f"the model wrote: {found['original']}")
    print(f"the user sees:   {result['answer']}")
    print(f"{found['action']}, {found['round']} round(s), score {found['outcome']['score']:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a model that LangChain knows; by default a script")
    run(parser.parse_args().model)
