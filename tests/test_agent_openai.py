"""The middleware with the client that most agents use, against a server that speaks as OpenAI does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from factscore_chain.agents import FactualityMiddleware
from factscore_chain.chain import FactScoreChain
from factscore_chain.guard.policy import DEFAULT_MESSAGE
from factscore_chain.retrievers.context import ContextOnly
from tests.agents import ASK, look_up
from tests.judged import FALSE, TRUE, scorer
from tests.openai_server import KEY, Answer, OpenAIServer

CALL = {"id": "call-1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """Calls the tool, then says something false; as a judge it finds one fact, and finds it false."""

    def answer(question: str) -> Answer:
        if "true or false" in question.lower():
            return Answer("False")
        if "Who was Ada?" in question:
            return Answer("", tool_calls=[CALL], finish_reason="tool_calls")
        return Answer(f"- {FALSE}" if FALSE in question else FALSE)

    with OpenAIServer(answer) as running:
        yield running


def made(model: ChatOpenAI, *middleware: Any, **more: Any) -> Any:
    return create_agent(model, tools=[look_up], middleware=list(middleware), **more)


def client(server: OpenAIServer, **more: Any) -> ChatOpenAI:
    return ChatOpenAI(model="test", base_url=server.url, api_key=KEY, **more)


@pytest.mark.parametrize("streaming", [True, False])
def test_nothing_of_the_answer_or_the_judge_is_streamed(server: OpenAIServer, streaming: bool) -> None:
    judge = FactScoreChain(ContextOnly(), llm=client(server, streaming=streaming))
    guard = FactualityMiddleware(judge, on_fail="block")
    agent = made(client(server, streaming=streaming), guard)
    pieces = [one for one, _ in agent.stream(ASK, stream_mode="messages")]
    said = [one.text for one in pieces if isinstance(one, (AIMessage, AIMessageChunk)) and one.text]
    assert said == [DEFAULT_MESSAGE]
    assert server.calls == 4


async def test_events_of_an_asynchronous_agent_show_the_checked_answer_alone(server: OpenAIServer) -> None:
    guard = FactualityMiddleware(scorer(), on_fail="block")
    agent = made(client(server), guard)
    chunks = [
        event["data"]["chunk"]
        async for event in agent.astream_events(ASK, version="v2")
        if event["event"] == "on_chat_model_stream"
    ]
    assert [one.text for one in chunks if one.text] == [DEFAULT_MESSAGE]
    assert chunks[0].tool_calls[0]["name"] == "look_up"


def test_what_the_model_used_is_counted_once(server: OpenAIServer) -> None:
    counted = {}
    guard = FactualityMiddleware(scorer(), on_fail="block")
    for name, middleware in {"with": [guard], "without": []}.items():
        usage = UsageMetadataCallbackHandler()
        agent = made(client(server), *middleware)
        list(agent.stream(ASK, {"callbacks": [usage]}, stream_mode="updates"))
        counted[name] = usage.usage_metadata
    assert counted["with"] == counted["without"] != {}


def test_a_turn_after_a_withheld_answer_sends_the_message_and_not_the_answer(server: OpenAIServer) -> None:
    guard = FactualityMiddleware(scorer(), on_fail="block")
    agent = made(client(server), guard, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    agent.invoke(ASK, config)
    agent.invoke({"messages": [{"role": "user", "content": "And?"}]}, config)
    told = [one["content"] for one in server.requests[-1].body["messages"] if one["role"] == "assistant"]
    assert DEFAULT_MESSAGE in told
    assert FALSE not in told
    assert TRUE not in told
