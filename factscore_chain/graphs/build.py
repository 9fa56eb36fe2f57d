"""The ready subgraph: score -> edit if the answer fails -> score -> show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer
from typing_extensions import Unpack

from factscore_chain.edit.base import Editor
from factscore_chain.errors import UsageError
from factscore_chain.graphs.nodes import edit_node, route, score_node, show_node
from factscore_chain.graphs.state import FactualityState
from factscore_chain.guard.check import TextChecker
from factscore_chain.guard.policy import GuardPolicy, PolicySettings, policy_with
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.retrievers.opening import AnyKnowledge

GuardGraph = CompiledStateGraph[Any, None, Any, Any]


def guard_graph(
    scorer: AnyScorer = None,
    policy: GuardPolicy | None = None,
    *,
    max_rounds: int = 2,
    editor: Editor | str | None = None,
    llm: Any = None,
    sources: Sequence[AnyKnowledge] = (),
    state_schema: type[Any] = FactualityState,
    text_key: str = "answer",
    context_key: str | Sequence[str] | None = "context",
    topic_key: str | None = "topic",
    checkpointer: Checkpointer = None,
    **settings: Unpack[PolicySettings],
) -> GuardGraph:
    """Builds the guardrail as a graph, to run alone or as a node of another one.

    Args:
        scorer: A `FactScoreChain`; or knowledge that one is made of; None checks by the context alone.
        policy: What is required, and what is done; by default an answer that fails is mended. Settings that
            are given go before its own.
        max_rounds: Edits at most; what does not pass then is treated as the policy says otherwise.
        editor: Who edits, as in `EditChain`.
        llm: The chat model that edits; by default the scorer's, if it asks one.
        sources: Further knowledge sources or retrievers, searched for every answer.
        state_schema: State of the graph; one of one's own needs the keys below and "factuality".
        text_key: Key of the answer: a text, a message, or messages, of which the model's last one counts.
        context_key: Key of the retrieved context, or several; None for none.
        topic_key: Key of the title in the knowledge source that the answer is about.
        checkpointer: Keeps the state after each step, by thread.
        settings: Those of a `GuardPolicy`, such as `threshold` and `on_fail`.

    Raises:
        UsageError: The policy asks a model again, which this graph knows none of, or a setting is wrong.
        KnowledgeSourceError: A source cannot be opened.
    """
    rules = policy_with(guard_graph, policy or GuardPolicy(on_fail="correct"), **settings)
    if rules.on_fail == "retry":
        raise UsageError(
            "guard_graph has no model to ask again. Build the loop from score_node and `route`, whose "
            "'retry' leads to your own node, or choose another on_fail."
        )
    if max_rounds < 1:
        raise UsageError(f"max_rounds is {max_rounds}; give 1 or more.")
    checker = TextChecker(as_scorer(scorer), rules, editor=editor, llm=llm)
    graph: StateGraph[Any, None, Any, Any] = StateGraph(state_schema)
    for name, make in {"score": score_node, "edit": edit_node, "show": show_node}.items():
        step = make(checker, text_key=text_key, context_key=context_key, topic_key=topic_key, sources=sources)
        graph.add_node(name, step)
    following = partial(route, max_rounds=max_rounds)
    graph.add_edge(START, "score")
    graph.add_conditional_edges("score", following, ["edit", "show"])
    graph.add_conditional_edges("edit", _rescored, ["score", "show"])
    graph.add_edge("show", END)
    return graph.compile(checkpointer=checkpointer, name="factscore_guard")


def _rescored(state: Any) -> str:
    """An answer that was not changed need not be scored again."""
    return "show" if state["factuality"]["stuck"] else "score"
