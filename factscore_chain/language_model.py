"""Every call to a chat model goes through here: one limiter, one account of usage, one reading of errors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from pydantic import BeforeValidator

from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.failures import model_call_error, rejects_logprobs
from factscore_chain.fresh import is_fresh
from factscore_chain.token_choices import TokenChoice, read_token_choices

FinishReason = Literal["stop", "length", "filtered"]

_FINISH_REASONS: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "filtered",
    "content_filtered": "filtered",
    "guardrail_intervened": "filtered",
    "safety": "filtered",
    "prohibited_content": "filtered",
    "recitation": "filtered",
    "refusal": "filtered",
}
"""What providers call it, in lower case."""


@dataclass(frozen=True)
class Usage:
    """What model calls used; tokens as the server counted them, zero where it reports none."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )

    def __sub__(self, other: Usage) -> Usage:
        return self + Usage(-other.calls, -other.input_tokens, -other.output_tokens)


@dataclass(frozen=True)
class Completion:
    """A model's reply, the same whatever backend made it."""

    text: str
    finish_reason: FinishReason = "stop"
    tokens: tuple[TokenChoice, ...] | None = None
    """None where the backend gives no log-probabilities."""


class LanguageModel:
    """A LangChain chat model with a bound on calls in flight and a running account of usage.

    Share one between stages, and the bound holds for all of them together.
    """

    def __init__(self, model: BaseChatModel, *, concurrency: int = 16) -> None:
        if concurrency < 1:
            raise UsageError(f"concurrency is {concurrency}; give 1 or more calls in flight.")
        self.model = model
        self.concurrency = concurrency
        self._usage = Usage()
        self._usage_lock = threading.Lock()
        self._limiters: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        fields = type(model).model_fields
        self._fatal: FatalModelError | None = None
        self._offers_logprobs = "logprobs" in fields and "top_logprobs" in fields

    @property
    def name(self) -> str:
        """The model's name as its provider spells it, else the class's."""
        for attribute in ("model_name", "model", "model_id"):
            if isinstance(value := getattr(self.model, attribute, None), str) and value:
                return value
        return type(self.model).__name__

    @property
    def usage(self) -> Usage:
        """Everything used so far."""
        return self._usage

    async def complete(
        self,
        messages: Sequence[BaseMessage],
        config: RunnableConfig | None = None,
        *,
        logprobs: bool = False,
    ) -> Completion:
        """Asks the model once.

        Raises:
            FatalModelError: Every further call would fail too (wrong key, unknown model).
            ModelCallError: This call failed.
        """
        stopped_before = self._fatal
        try:
            if logprobs and self._offers_logprobs:
                try:
                    return await self._ask(messages, config, stopped_before, logprobs=True, top_logprobs=5)
                except Exception as error:
                    if not rejects_logprobs(error):
                        raise
                    self._offers_logprobs = False
            return await self._ask(messages, config, stopped_before)
        except Exception as error:
            meaning = model_call_error(error, self.name)
            if isinstance(meaning, FatalModelError):
                self._fatal = meaning
            raise meaning from error

    async def _ask(
        self,
        messages: Sequence[BaseMessage],
        config: RunnableConfig | None,
        stopped_before: FatalModelError | None,
        **options: Any,
    ) -> Completion:
        limiter = self._limiters.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self.concurrency))
        async with limiter:
            # Calls that were waiting when another met a fatal error are not made; later ones try anew.
            if self._fatal is not None and self._fatal is not stopped_before:
                raise self._fatal
            model = self.model.model_copy(update={"cache": False}) if is_fresh(config) else self.model
            message = await model.ainvoke(list(messages), config, **options)
        self._account(message)
        return _completion(message)

    def _account(self, message: AIMessage) -> None:
        counts = message.usage_metadata
        spent = Usage(1, counts["input_tokens"], counts["output_tokens"]) if counts else Usage(1)
        with self._usage_lock:
            self._usage = self._usage + spent


def _completion(message: AIMessage) -> Completion:
    metadata = message.response_metadata
    reply = Completion(message.text, _finish_reason(metadata), read_token_choices(metadata.get("logprobs")))
    if refusal := _refusal(message):
        return replace(reply, text=reply.text or refusal, finish_reason="filtered")
    return reply


def _finish_reason(metadata: Mapping[str, Any]) -> FinishReason:
    given = (metadata.get(key) for key in ("finish_reason", "stop_reason", "done_reason"))
    incomplete = metadata.get("incomplete_details")
    reason = next(filter(None, given), None) or (incomplete.get("reason") if incomplete else None)
    return _FINISH_REASONS.get(str(reason).lower(), "stop")


def _refusal(message: AIMessage) -> str | None:
    """The text of a refusal that a provider reports beside the content, or as a block of it."""
    if refusal := message.additional_kwargs.get("refusal"):
        return str(refusal)
    blocks = (block for block in message.content if isinstance(block, dict))
    return next((str(block.get("refusal")) for block in blocks if block.get("type") == "refusal"), None)


def as_language_model(value: Any) -> LanguageModel:
    """Makes a `LanguageModel` of what a user may give: one, a chat model, or "provider:name".

    Raises:
        UsageError: It is none of these, or the provider's package or key is missing.
    """
    if isinstance(value, LanguageModel):
        return value
    if isinstance(value, BaseChatModel):
        return LanguageModel(value)
    if isinstance(value, str):
        return LanguageModel(init_model(value))
    raise UsageError(
        f"{type(value).__name__} is no model. "
        "Give a LangChain chat model or a name such as 'openai:gpt-4o-mini'."
    )


def init_model(name: str, **options: Any) -> BaseChatModel:
    """Makes a chat model from "provider:name" through LangChain, at temperature 0.

    Raises:
        UsageError: Unknown provider, missing package or missing key.
    """
    from langchain.chat_models import init_chat_model

    try:
        model = init_chat_model(name, **{"temperature": 0, **options})
    except Exception as error:
        raise UsageError(f"The model {name!r} cannot be set up: {error}") from error
    if not isinstance(model, BaseChatModel):
        raise UsageError(f"The model {name!r} is not a chat model. Name one as 'provider:name'.")
    return model


AnyModel = Annotated[LanguageModel, BeforeValidator(as_language_model)]
"""Field type of stages that ask a model: accepts whatever `as_language_model` does."""
