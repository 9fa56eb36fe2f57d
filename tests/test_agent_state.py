"""The middleware over several turns, beside others, in threads, and where something breaks."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from factscore_chain.agents import FactualityMiddleware, LiveFactualityMiddleware
from factscore_chain.agents.messages import tool_evidence, turn_of
from factscore_chain.chain import FactScoreChain
from factscore_chain.guard import FactualityError
from factscore_chain.guard.policy import DEFAULT_MESSAGE
from factscore_chain.retrievers.context import ContextOnly
from tests.agents import ASK, agent, call, model
from tests.judged import ADA, FALSE, TRUE, scorer
from tests.scripted import ScriptedChatModel

KINDS = [FactualityMiddleware, LiveFactualityMiddleware]
both_kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def test_the_live_middleware_takes_its_attempts_out_of_the_conversation() -> None:
    asked = model(call(), FALSE, TRUE)
    done = agent(asked, LiveFactualityMiddleware(scorer(), on_fail="retry")).invoke(ASK)
    assert [type(one) for one in done["messages"]] == [HumanMessage, AIMessage, ToolMessage, AIMessage]
    assert (done["messages"][-1].text, done["factuality"]["retries"]) == (TRUE, 1)
    assert FALSE in asked.prompts[2][-1].text


@pytest.mark.parametrize(
    ("on_fail", "shown"), [("block", DEFAULT_MESSAGE), ("remove", TRUE), ("retry", DEFAULT_MESSAGE)]
)
async def test_the_live_middleware_does_what_the_policy_says(on_fail: Any, shown: str) -> None:
    text = f"{TRUE} {FALSE}"
    made = agent([call(), text, text], LiveFactualityMiddleware(scorer(), on_fail=on_fail))
    assert (await made.ainvoke(ASK))["messages"][-1].text == shown


def test_the_live_middleware_raises_where_the_policy_says_so() -> None:
    with pytest.raises(FactualityError):
        agent([call(), FALSE], LiveFactualityMiddleware(scorer(), on_fail="error")).invoke(ASK)


@both_kinds
def test_a_conversation_is_kept_and_each_turn_has_its_own_record(kind: Any) -> None:
    made = agent([call(), TRUE, FALSE], kind(scorer()), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    first, second = made.invoke(ASK, config), made.invoke(ASK, config)
    # The page was looked up in the first turn only, so in the second there is nothing to go by.
    assert (first["factuality"]["score"], second["factuality"]["score"]) == (1.0, 0.0)
    assert second["factuality"]["outcome"]["unsupported"][0]["passage"] is None


@both_kinds
def test_evidence_of_the_whole_thread_counts_where_that_is_wanted(kind: Any) -> None:
    made = agent([call(), TRUE, TRUE], kind(scorer(), tool_evidence="thread"), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    made.invoke(ASK, config)
    assert made.invoke(ASK, config)["factuality"]["passed"]


@both_kinds
def test_retries_are_counted_for_each_turn(kind: Any) -> None:
    asked = model(FALSE, "I do not know.", FALSE, "I do not know.")
    made = agent(asked, kind(scorer(), on_fail="retry"), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    for _ in range(2):
        done = made.invoke(ASK, config)
        assert (done["messages"][-1].text, done["factuality"]["retries"]) == ("I do not know.", 1)


@both_kinds
def test_an_earlier_record_does_not_stay_beside_a_call_of_a_tool(kind: Any) -> None:
    made = agent([TRUE, call()], kind(scorer()), checkpointer=InMemorySaver(), interrupt_before=["tools"])
    config = {"configurable": {"thread_id": "1"}}
    made.invoke(ASK, config)
    made.invoke(ASK, config)
    assert made.get_state(config).values["factuality"] is None


def test_two_middlewares_work_beside_each_other_and_the_first_has_the_last_word() -> None:
    inner = FactualityMiddleware(scorer(), on_fail="remove", name="inner")
    outer = FactualityMiddleware(scorer(), on_fail="annotate", name="outer")
    made = agent([call(), f"{TRUE} {FALSE}"], outer, inner, ToolRetryMiddleware())
    pieces = list(made.stream(ASK, stream_mode=["messages", "updates"]))
    updates = [piece for mode, piece in pieces if mode == "updates"][-1]["model"]
    (messages,) = [one["messages"] for one in updates if "messages" in one]
    records = [one["factuality"] for one in updates if "factuality" in one]
    assert messages[-1].text == TRUE
    assert [(one["name"], one["score"]) for one in records] == [("inner", 0.5), ("outer", 1.0)]
    said = [piece[0].text for mode, piece in pieces if mode == "messages" and piece[0].type != "tool"]
    assert "".join(said) == TRUE


def test_two_middlewares_of_one_name_are_refused_by_langchain_and_a_name_tells_them_apart() -> None:
    assert FactualityMiddleware(scorer()).name == "FactualityMiddleware[annotate]"
    with pytest.raises(AssertionError, match="duplicate"):
        agent([TRUE], FactualityMiddleware(scorer()), FactualityMiddleware(scorer()))
    agent([TRUE], FactualityMiddleware(scorer()), FactualityMiddleware(scorer(), name="second"))


@both_kinds
def test_one_middleware_serves_many_threads_at_once(kind: Any) -> None:
    shared = kind(scorer(), on_fail="block")

    def one(number: int) -> str:
        text = f"Ada was born in {('London', 'Paris')[number % 2]}."
        done = agent([call(), text], shared).invoke(ASK)
        return str(done["messages"][-1].text)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(16))) == [TRUE, DEFAULT_MESSAGE] * 8


@both_kinds
async def test_a_cancelled_run_cancels_the_check(kind: Any) -> None:
    slow = ScriptedChatModel(script=lambda asked: "True", delay=30)
    made = agent([TRUE], kind(FactScoreChain(ContextOnly(), llm=slow)))
    task = asyncio.create_task(made.ainvoke(ASK))
    while slow.most_in_flight == 0:  # noqa: ASYNC110  the model cannot say that it is being asked
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (slow.prompts, slow._in_flight) == ([], 0)


@both_kinds
def test_an_error_of_the_agents_own_model_stays_what_it_is(kind: Any) -> None:
    with pytest.raises(ConnectionError, match="down"):
        agent([ConnectionError("down")], kind(scorer())).invoke(ASK)


@both_kinds
def test_the_middleware_adds_nothing_to_what_the_model_is_told(kind: Any) -> None:
    asked = model(call(), TRUE)
    agent(asked, kind(scorer()), system_prompt="Be brief.").invoke(ASK)
    assert [one.text for one in asked.prompts[1]] == ["Be brief.", "Who was Ada?", "", ADA]


def test_what_a_tool_says_of_an_error_is_no_evidence() -> None:
    messages = [
        HumanMessage("Who?"),
        ToolMessage("It broke.", tool_call_id="1", name="search", status="error"),
        ToolMessage("Found.", tool_call_id="2", name="search"),
        ToolMessage("Other.", tool_call_id="3", name="clock"),
    ]
    assert [one.text for one in tool_evidence(messages).context] == ["Found.", "Other."]
    assert [one.text for one in tool_evidence(messages, {"search"}).context] == ["Found."]


def test_documents_that_a_tool_returned_stand_for_its_text() -> None:
    from langchain_core.documents import Document

    found = Document("Ada wrote notes.", id="d1", metadata={"title": "Ada"})
    message = ToolMessage("Ada wrote notes.", tool_call_id="1", name="search", artifact=[found])
    (passage,) = tool_evidence([message]).context
    assert (passage.id, passage.title, passage.origins) == ("d1", "Ada", ("tool:search",))


def test_a_turn_begins_with_what_the_user_wrote_last() -> None:
    first, last = HumanMessage("One?"), HumanMessage("Two?")
    assert turn_of([first, AIMessage("1"), last, AIMessage("2")]) == [last, AIMessage("2")]
    assert turn_of([AIMessage("1")]) == [AIMessage("1")]
