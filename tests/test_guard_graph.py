"""The guardrail in LangGraph."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from factscore_chain import FactScoreChain, GuardPolicy, TextChecker
from factscore_chain.errors import UsageError
from factscore_chain.graphs import (
    Factuality,
    FactualityState,
    guard_graph,
    guard_node,
    outcome_of,
    route,
    score_node,
)
from factscore_chain.guard import FactualityError
from factscore_chain.retrievers.context import ContextOnly
from tests.stages import GivenVerifier, SentenceDecomposer, WordVerifier

DOCUMENTS = [Document("Nintendo was founded in Kyoto in 1889."), Document("Kyoto is a city in Japan.")]
KYOTO = ("Kyoto", "Nintendo began here in 1889 as a maker of cards, and still has its office in the city.")
TRUE = "Nintendo was founded in Kyoto."
FALSE = "Nintendo was founded in Osaka."
WRONG_YEAR = "Nintendo was founded in Kyoto in 1905."


def scorer() -> FactScoreChain:
    return FactScoreChain(ContextOnly(), decomposer=SentenceDecomposer(), verifier=WordVerifier())


def checker(**policy: Any) -> TextChecker:
    return TextChecker(scorer(), GuardPolicy(**policy))


def ask(graph: Any, answer: Any, context: Any = DOCUMENTS) -> dict[str, Any]:
    result: dict[str, Any] = graph.invoke({"answer": answer, "context": context})
    return result


def steps(graph: Any, state: dict[str, Any]) -> list[str]:
    return [name for update in graph.stream(state, stream_mode="updates") for name in update]


def test_an_answer_that_passes_goes_through_without_an_edit() -> None:
    graph = guard_graph(scorer())
    assert steps(graph, {"answer": TRUE, "context": DOCUMENTS}) == ["score", "show"]
    result = ask(graph, TRUE)
    assert (result["answer"], result["factuality"]["action"], result["factuality"]["passed"]) == (
        TRUE,
        "pass",
        True,
    )


def test_an_answer_that_fails_is_edited_and_scored_again() -> None:
    graph = guard_graph(policy=GuardPolicy(on_fail="correct", threshold=1))
    state = {"answer": WRONG_YEAR, "context": [KYOTO]}
    assert steps(graph, state) == ["score", "edit", "score", "show"]
    result = graph.invoke(state)
    assert result["answer"] == "Nintendo was founded in Kyoto in 1889."
    found = result["factuality"]
    assert (found["round"], found["action"], found["passed"]) == (1, "correct", True)
    assert (found["original"], found["outcome"]["score"]) == (WRONG_YEAR, 1.0)
    assert found["edits"][0]["kept"]


async def test_it_does_the_same_without_blocking() -> None:
    graph = guard_graph(policy=GuardPolicy(on_fail="remove", threshold=1))
    result = await graph.ainvoke({"answer": WRONG_YEAR, "context": [KYOTO]})
    assert result["answer"] == TRUE


@pytest.mark.parametrize(
    ("policy", "answer"),
    [
        ({"on_fail": "annotate"}, f"{FALSE}\n\nNote: 1 of 1 statements in this answer is not supported"),
        ({"on_fail": "replace", "message": "No."}, "No."),
        ({"on_fail": "remove", "message": "No."}, "No."),
    ],
)
def test_what_does_not_pass_is_treated_as_the_policy_says(policy: dict[str, Any], answer: str) -> None:
    result = ask(guard_graph(scorer(), GuardPolicy(**policy)), FALSE)
    assert result["answer"].startswith(answer)
    assert not result["factuality"]["passed"]


def test_raise_ends_the_graph() -> None:
    with pytest.raises(FactualityError):
        ask(guard_graph(scorer(), GuardPolicy(on_fail="raise")), FALSE)


@pytest.mark.parametrize(("on_error", "shown"), [("open", "BREAK."), ("closed", "No.")])
def test_trouble_with_the_check_is_treated_as_on_error_says(on_error: Any, shown: str) -> None:
    graph = guard_graph(scorer(), GuardPolicy(on_fail="correct", on_error=on_error, message="No."))
    assert ask(graph, "BREAK.")["answer"] == shown


@pytest.mark.parametrize(("on_error", "shown"), [("open", "0.9 is sure. It is not."), ("closed", "No.")])
def test_too_few_verdicts_are_treated_as_on_error_says(on_error: Any, shown: str) -> None:
    chain = FactScoreChain(ContextOnly(), decomposer=SentenceDecomposer(), verifier=GivenVerifier())
    policy = GuardPolicy(on_fail="correct", on_error=on_error, min_coverage=0.6, message="No.")
    assert ask(guard_graph(chain, policy), "0.9 is sure. It is not.")["answer"] == shown


@pytest.mark.parametrize(("on_empty", "shown"), [("pass", "I don't know."), ("fail", "No.")])
def test_an_answer_that_states_nothing_is_treated_as_on_empty_says(on_empty: Any, shown: str) -> None:
    graph = guard_graph(scorer(), GuardPolicy(on_empty=on_empty, message="No."))
    assert ask(graph, "I don't know.")["answer"] == shown


def test_the_state_is_plain_data_that_a_checkpointer_keeps() -> None:
    graph = guard_graph(scorer(), checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    graph.invoke({"answer": TRUE, "context": ["Nintendo was founded in Kyoto."]}, config)
    kept = graph.get_state(config).values
    assert json.loads(json.dumps(kept)) == kept
    # Another answer in the same thread begins anew.
    graph.invoke({"answer": FALSE}, config)
    assert graph.get_state(config).values["factuality"]["original"] == FALSE


def test_the_graph_is_a_node_of_another_one() -> None:
    graph: StateGraph[Any, None, Any, Any] = StateGraph(FactualityState)
    graph.add_node("answer_it", lambda state: {"answer": WRONG_YEAR, "context": [KYOTO]})
    graph.add_node("guard", guard_graph(policy=GuardPolicy(on_fail="correct", threshold=1)))
    graph.add_edge(START, "answer_it")
    graph.add_edge("answer_it", "guard")
    graph.add_edge("guard", END)
    assert graph.compile().invoke({})["answer"].endswith("1889.")


class Chat(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    factuality: Factuality


def test_of_messages_the_models_last_one_is_checked_by_what_tools_found_and_replaced_in_place() -> None:
    graph: StateGraph[Any, None, Any, Any] = StateGraph(Chat)
    graph.add_node("guard", guard_node(checker(on_fail="replace", message="No."), text_key="messages"))
    graph.add_edge(START, "guard")
    call = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    found = ToolMessage(DOCUMENTS[0].page_content, tool_call_id="1", name="search")
    for answer, shown in ((TRUE, TRUE), (FALSE, "No.")):
        messages = [HumanMessage("Where?"), call, found, AIMessage(answer, id="a")]
        result = graph.compile().invoke({"messages": messages})
        assert [one.text for one in result["messages"]][-2:] == [found.text, shown]
        assert (len(result["messages"]), result["messages"][-1].id) == (4, "a")


async def test_a_loop_of_ones_own_asks_the_model_again() -> None:
    guard = checker(on_fail="retry")
    answers = iter([FALSE, TRUE])
    graph: StateGraph[Any, None, Any, Any] = StateGraph(FactualityState)
    graph.add_node("model", lambda state: {"answer": next(answers), "context": DOCUMENTS})
    graph.add_node("score", score_node(guard))
    graph.add_edge(START, "model")
    graph.add_edge("model", "score")
    graph.add_conditional_edges("score", route, {"retry": "model", "show": END})
    result = await graph.compile().ainvoke({})
    assert (result["answer"], outcome_of(result).passed) == (TRUE, True)


def test_a_state_without_an_answer_or_an_outcome_is_refused() -> None:
    with pytest.raises(UsageError, match="There is no 'answer'"):
        guard_graph(scorer()).invoke({"context": []})
    with pytest.raises(UsageError, match="no message of a model"):
        guard_node(checker(), text_key="messages").invoke({"messages": [HumanMessage("Hi")]})
    with pytest.raises(UsageError, match="score_node"):
        outcome_of({})


@pytest.mark.parametrize("wrong", [{"policy": GuardPolicy(on_fail="retry")}, {"max_rounds": 0}])
def test_a_graph_refuses_what_it_cannot_do(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        guard_graph(scorer(), **wrong)
