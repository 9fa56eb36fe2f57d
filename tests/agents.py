"""LangChain's own agents over a scripted model, with a tool that brings a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import Runnable
from langchain_core.tools import tool

from tests.judged import ADA
from tests.scripted import ScriptedChatModel


class ScriptedAgentModel(ScriptedChatModel):
    """The same for agents: takes tools, and streams its words one by one."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Runnable[Any, Any]:
        return self.bind(tools=[getattr(one, "name", one) for one in tools])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self._generate(messages, stop, None, **kwargs).generations[0].message
        assert isinstance(message, AIMessage)
        if isinstance(message.content, str):
            for word in message.content.split(" "):
                yield ChatGenerationChunk(message=AIMessageChunk(content=f"{word} "))
        calls = [
            {"name": one["name"], "args": "{}", "id": one["id"], "index": index, "type": "tool_call_chunk"}
            for index, one in enumerate(message.tool_calls)
        ]
        content = [] if isinstance(message.content, str) else message.content
        yield ChatGenerationChunk(message=AIMessageChunk(content=content or "", tool_call_chunks=calls))


@tool
def look_up() -> str:
    """Brings the page on Ada."""
    return ADA


def call(name: str = "look_up", text: str = "", id: str = "call-1") -> AIMessage:  # noqa: A002
    """A call of a tool, with text beside it or without."""
    return AIMessage(text, tool_calls=[{"name": name, "args": {}, "id": id}])


def model(*replies: Any) -> ScriptedAgentModel:
    return ScriptedAgentModel(script=list(replies))


def agent(replies: Any, *middleware: Any, tools: Sequence[Any] = (look_up,), **more: Any) -> Any:
    """An agent whose model gives these replies."""
    asked = replies if isinstance(replies, ScriptedAgentModel) else model(*replies)
    return create_agent(asked, tools=list(tools), middleware=list(middleware), **more)


ASK = {"messages": [{"role": "user", "content": "Who was Ada?"}]}
