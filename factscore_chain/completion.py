"""What a chat model's reply is, the same whatever backend made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from langchain_core.messages import AIMessage

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
    reread_tokens: int = 0
    """Of the input tokens, those that the server had kept from an earlier prompt."""
    cached_answers: int = 0
    """Answers that came from the answer cache; they are no calls, and cost nothing."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.reread_tokens + other.reread_tokens,
            self.cached_answers + other.cached_answers,
        )

    def __sub__(self, other: Usage) -> Usage:
        return self + Usage(
            -other.calls,
            -other.input_tokens,
            -other.output_tokens,
            -other.reread_tokens,
            -other.cached_answers,
        )


@dataclass(frozen=True)
class Completion:
    """A model's reply, the same whatever backend made it."""

    text: str
    finish_reason: FinishReason = "stop"
    tokens: tuple[TokenChoice, ...] | None = None
    """None where the backend gives no log-probabilities."""
    usage: Usage = field(default=Usage(), compare=False)
    """What the call took when it was made."""

    @property
    def is_whole(self) -> bool:
        """Whether the model said all that it had to say, so that asking again would bring nothing new."""
        return self.finish_reason == "stop" and bool(self.text.strip())


def read_message(message: AIMessage) -> Completion:
    """Reads a LangChain reply: text, why it ended, log-probabilities and usage."""
    metadata = message.response_metadata
    reply = Completion(
        message.text or _arguments(message),
        _finish_reason(metadata),
        read_token_choices(metadata.get("logprobs")),
        _usage(message),
    )
    if refusal := _refusal(message):
        return replace(reply, text=reply.text or refusal, finish_reason="filtered")
    return reply


def _arguments(message: AIMessage) -> str:
    """What a model wrote that answers in a given form by calling a tool."""
    return json.dumps(message.tool_calls[0]["args"]) if message.tool_calls else ""


def _usage(message: AIMessage) -> Usage:
    counts = message.usage_metadata
    if counts is None:
        return Usage(1)
    reread = counts.get("input_token_details", {}).get("cache_read") or 0
    return Usage(1, counts["input_tokens"], counts["output_tokens"], reread)


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
