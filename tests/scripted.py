"""A chat model that follows a script: a real LangChain model in everything but where its words come from."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field, PrivateAttr

Reply = str | AIMessage | Exception
Script = Sequence[Reply] | Callable[[str], Reply]
"""Replies in the order of the calls, or a function of the last message's text."""


class ScriptedChatModel(BaseChatModel):
    """Answers from `script`, raises the exceptions that stand in it, and remembers what it was asked."""

    script: Any
    delay: float = 0.0
    """Seconds that an asynchronous call takes."""
    prompts: list[list[BaseMessage]] = Field(default_factory=list, exclude=True)
    options: list[dict[str, Any]] = Field(default_factory=list, exclude=True)
    most_in_flight: int = Field(default=0, exclude=True)
    max_retries: int | None = Field(default=None, exclude=True)
    """None, as with most providers' clients: an exception in the script stands for all their attempts."""
    number: int = Field(default_factory=itertools.count(1).__next__)
    """Tells one script from another where answers are cached."""
    _in_flight: int = PrivateAttr(0)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with self._lock:
            turn = len(self.prompts)
            self.prompts.append(messages)
            self.options.append(kwargs)
        reply = self.script(messages[-1].text) if callable(self.script) else self.script[turn]
        if isinstance(reply, Exception):
            raise reply
        message = scripted_reply(reply) if isinstance(reply, str) else reply
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            await asyncio.sleep(self.delay)
            return self._generate(messages, stop, None, **kwargs)
        finally:
            self._in_flight -= 1


class ScriptedLogprobModel(ScriptedChatModel):
    """The same, of a kind that declares log-probabilities as the OpenAI client does."""

    logprobs: bool | None = None
    top_logprobs: int | None = None


def scripted_reply(
    text: str,
    *,
    finish_reason: str = "stop",
    tokens: Sequence[dict[str, float]] = (),
    input_tokens: int = 10,
    output_tokens: int = 2,
) -> AIMessage:
    """Makes a reply with usage; `tokens` gives, for each output token, its alternatives, the chosen first."""
    metadata: dict[str, Any] = {"finish_reason": finish_reason}
    if tokens:
        metadata["logprobs"] = {"content": [_token(alternatives) for alternatives in tokens]}
    usage = {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
    }
    return AIMessage(text, response_metadata=metadata, usage_metadata=usage)


def _token(alternatives: dict[str, float]) -> dict[str, Any]:
    listed = [{"token": token, "logprob": value} for token, value in alternatives.items()]
    return {**listed[0], "top_logprobs": listed}
