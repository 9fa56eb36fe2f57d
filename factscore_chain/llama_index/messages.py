"""Messages of LangChain and of LlamaIndex, each as the other's: only text, and nothing is dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from llama_index.core.base.llms.types import ChatMessage, MessageRole

from factscore_chain.errors import UsageError

_CALL_ID = "tool_call_id"

_ROLES: dict[type[BaseMessage], MessageRole] = {
    SystemMessage: MessageRole.SYSTEM,
    HumanMessage: MessageRole.USER,
    AIMessage: MessageRole.ASSISTANT,
    ToolMessage: MessageRole.TOOL,
}
_MAKERS: dict[MessageRole, Callable[[str], BaseMessage]] = {
    MessageRole.SYSTEM: SystemMessage,
    MessageRole.DEVELOPER: SystemMessage,
    MessageRole.USER: HumanMessage,
    MessageRole.ASSISTANT: AIMessage,
    MessageRole.CHATBOT: AIMessage,
    MessageRole.MODEL: AIMessage,
}
_TEXT = frozenset({"text", "thinking", "reasoning", "cache"})
"""Kinds of content that are text, or no part of what was said."""


def to_llama_index(messages: Sequence[BaseMessage]) -> list[ChatMessage]:
    """LangChain's messages as LlamaIndex's.

    Raises:
        UsageError: A message calls tools, or holds something else than text.
    """
    return [_chat_message(message) for message in messages]


def to_langchain(messages: Sequence[ChatMessage]) -> list[BaseMessage]:
    """LlamaIndex's messages as LangChain's.

    Raises:
        UsageError: A message calls tools, or holds something else than text.
    """
    return [_base_message(message) for message in messages]


def _chat_message(message: BaseMessage) -> ChatMessage:
    role = next((role for kind, role in _ROLES.items() if isinstance(message, kind)), None)
    if role is None:
        raise UsageError(
            f"A {type(message).__name__} has no place in a chat of LlamaIndex. Send system, human, AI and "
            "tool messages."
        )
    calls = isinstance(message, AIMessage) and message.tool_calls
    blocks = [block.get("type", "text") for block in message.content if isinstance(block, dict)]
    _check(["tool_call", *blocks] if calls else blocks)
    extra = {_CALL_ID: message.tool_call_id} if isinstance(message, ToolMessage) else {}
    return ChatMessage(message.text, role=role, additional_kwargs=extra)


def _base_message(message: ChatMessage) -> BaseMessage:
    calls = message.additional_kwargs.get("tool_calls")
    blocks = [block.block_type for block in message.blocks]
    _check(["tool_call", *blocks] if calls else blocks)
    text = message.content or ""
    if message.role in _MAKERS:
        return _MAKERS[message.role](text)
    return ToolMessage(text, tool_call_id=str(message.additional_kwargs.get(_CALL_ID, "")))


def _check(kinds: Iterable[str]) -> None:
    for kind in kinds:
        if kind not in _TEXT:
            raise UsageError(
                f"The adapters between LangChain and LlamaIndex pass text on, and a message holds {kind!r}. "
                "Send it to the model itself."
            )
