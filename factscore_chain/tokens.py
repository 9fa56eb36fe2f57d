"""How many tokens a text takes, without the tokenizer of the model that will read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langchain_core.messages import BaseMessage

CountTokens = Callable[[str], int]

_AROUND_MESSAGE = 4
"""Tokens that a chat template puts around a message."""


def estimate_tokens(text: str) -> int:
    """Tokens that a text takes, roughly: one for four characters, or for one of a script without blanks."""
    dense = sum(character > "\u2e80" for character in text)
    return dense + (len(text) - dense + 3) // 4


def message_tokens(messages: Sequence[BaseMessage], count: CountTokens = estimate_tokens) -> int:
    """Tokens of a conversation."""
    return sum(count(message.text) + _AROUND_MESSAGE for message in messages)
