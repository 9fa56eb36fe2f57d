"""The loop of a search, as a LangGraph graph: plan -> retrieve -> verify, and again while facts are open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from langchain_core.runnables import RunnableConfig

from factscore_chain.seek.values import Search

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

Step: TypeAlias = Callable[[Sequence[Search], RunnableConfig], Awaitable[list[Search]]]
"""Takes all searches and gives them back, in order, one step further."""


class State(TypedDict):
    """What goes round: all facts of one batch, so that each step handles them together."""

    searches: list[Search]
    rounds_left: int


def seeking_graph(plan: Step, retrieve: Step, verify: Step) -> CompiledStateGraph[State, None, State, State]:
    """Builds the graph.

    Args:
        plan: Gives each open search a place and a query, or closes it where there is nowhere to look.
        retrieve: Finds passages for those that have a query.
        verify: Judges those that got passages anew.
    """
    from langgraph.graph import END, START, StateGraph

    async def planned(state: State, config: RunnableConfig) -> dict[str, Any]:
        return {"searches": await plan(state["searches"], config)}

    async def retrieved(state: State, config: RunnableConfig) -> dict[str, Any]:
        return {"searches": await retrieve(state["searches"], config)}

    async def verified(state: State, config: RunnableConfig) -> dict[str, Any]:
        return {"searches": await verify(state["searches"], config), "rounds_left": state["rounds_left"] - 1}

    def after_plan(state: State) -> str:
        return "retrieve" if any(one.query for one in state["searches"]) else END

    def after_verify(state: State) -> str:
        return "plan" if state["rounds_left"] > 0 and any(one.open for one in state["searches"]) else END

    graph = StateGraph(State)
    graph.add_node("plan", planned)
    graph.add_node("retrieve", retrieved)
    graph.add_node("verify", verified)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", after_plan, ["retrieve", END])
    graph.add_edge("retrieve", "verify")
    graph.add_conditional_edges("verify", after_verify, ["plan", END])
    return graph.compile(name="seek evidence")
