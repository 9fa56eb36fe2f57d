"""The log-probabilities of a reply's tokens, in the shapes that servers give them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TokenChoice:
    """One output token and the alternatives that the server listed for its place, as log-probabilities."""

    token: str
    alternatives: tuple[tuple[str, float], ...]


def read_token_choices(logprobs: Any) -> tuple[TokenChoice, ...] | None:
    """Reads what a server calls log-probabilities; never raises.

    Known shapes: a list of tokens with their alternatives, alone or as "content" (chat completions), and
    parallel lists "tokens", "token_logprobs" and "top_logprobs" (completions). An alternative without a
    usable number is left out.

    Returns:
        None where nothing is given, or a token cannot be read: with one missing, no place is sure.
    """
    if isinstance(logprobs, Mapping):
        logprobs = logprobs.get("content") or _joined(logprobs)
    if not isinstance(logprobs, (list, tuple)) or not logprobs:
        return None
    choices = tuple(map(_choice, logprobs))
    return None if None in choices else tuple(choice for choice in choices if choice is not None)


def _joined(logprobs: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    tokens, listed = logprobs.get("tokens"), logprobs.get("top_logprobs")
    if not isinstance(tokens, list) or not isinstance(listed, list) or len(tokens) != len(listed):
        return None
    return [
        {"token": token, "top_logprobs": [{"token": t, "logprob": p} for t, p in one.items()]}
        for token, one in zip(tokens, listed, strict=True)
        if isinstance(one, Mapping)
    ]


def _choice(item: Any) -> TokenChoice | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("token"), str):
        return None
    listed = item.get("top_logprobs")
    return TokenChoice(
        item["token"], tuple(_usable(listed if isinstance(listed, list) and listed else [item]))
    )


def _usable(listed: Iterable[Any]) -> Iterable[tuple[str, float]]:
    for one in listed:
        if not isinstance(one, Mapping) or not isinstance(one.get("token"), str):
            continue
        value = one.get("logprob")
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value):
            yield one["token"], float(value)
