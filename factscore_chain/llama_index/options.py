"""What a call asks of a model beside its messages; log-probabilities only where it has a setting for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

_LOGPROBS = ("logprobs", "top_logprobs")


def options_for(inside: BaseModel, outside: BaseModel, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one call.

    Args:
        inside: The model that is asked.
        outside: The adapter around it, whose `logprobs` and `top_logprobs` hold unless the call names others.
        given: What the caller of the adapter names.
    """
    own = {name: value for name in _LOGPROBS if (value := getattr(outside, name)) is not None}
    options = {**own, **given}
    if set(_LOGPROBS) <= set(type(inside).model_fields):
        return options
    return {name: value for name, value in options.items() if name not in _LOGPROBS}
