"""Keeps what is not for the user's eyes out of the user's streams, and puts into them what is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from langchain.agents.middleware.internal_call_transformer import internal_call_metadata
from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig

NOSTREAM = "nostream"
"""LangGraph's tag for models whose tokens are not streamed."""


def unseen(config: RunnableConfig, *, internal: bool = False) -> RunnableConfig:
    """A config under which nothing reaches the user's streams; tracers and other callbacks still see it.

    The tag alone does not do: `astream_events` shows every run that its handler is told of.

    Args:
        config: The config of the run.
        internal: Whether what runs is no part of the agent, such as a judge.
    """
    metadata = dict(config.get("metadata") or {})
    return {
        **config,
        "callbacks": _only(config.get("callbacks"), streams=False),
        "tags": [*(config.get("tags") or []), NOSTREAM],
        "metadata": {**metadata, **internal_call_metadata(), "lc_source": "factscore"}
        if internal
        else metadata,
    }


def seen_only(config: RunnableConfig) -> RunnableConfig | None:
    """A config under which a run reaches the user's streams and nobody else; None where nobody streams."""
    callbacks = _only(config.get("callbacks"), streams=True)
    shown = callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks
    hidden = NOSTREAM in (config.get("tags") or [])
    return {**config, "callbacks": callbacks} if shown and not hidden else None


def _only(callbacks: Any, *, streams: bool) -> Any:
    if isinstance(callbacks, BaseCallbackManager):
        kept = callbacks.copy()
        kept.handlers = [one for one in kept.handlers if _streams(one) is streams]
        kept.inheritable_handlers = [one for one in kept.inheritable_handlers if _streams(one) is streams]
        return kept
    return [one for one in callbacks or [] if _streams(one) is streams]


def _streams(handler: BaseCallbackHandler) -> bool:
    # By its methods: the class that all such handlers share is private to LangChain.
    return hasattr(handler, "tap_output_aiter")


class Replay(BaseChatModel):
    """A model whose only answer is a finished message: shows it where the tokens of a model are shown."""

    message: AIMessage

    @property
    def _llm_type(self) -> str:
        return "factscore-replay"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=_chunk_of(self.message))


def _chunk_of(message: AIMessage) -> AIMessageChunk:
    """A message as the only piece of a stream."""
    calls = [
        tool_call_chunk(name=one["name"], args=json.dumps(one["args"]), id=one["id"], index=index)
        for index, one in enumerate(message.tool_calls)
    ]
    return AIMessageChunk(
        content=message.content,
        id=message.id,
        name=message.name,
        additional_kwargs=message.additional_kwargs,
        response_metadata=message.response_metadata,
        usage_metadata=message.usage_metadata,
        tool_call_chunks=calls,
    )
