"""Tells chat models apart by all that shapes their answers, and by nothing else."""

from __future__ import annotations

import json
import re
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

_SECRET = re.compile(
    r"api_key|secret|password|credential|(?:access|auth|bearer)_?token|headers", re.IGNORECASE
)
_TRANSPORT = re.compile(r"timeout|retries|proxy|client|verbose|stream|callback|logprobs", re.IGNORECASE)


def model_identity(model: BaseChatModel) -> str:
    """The class of a model and its settings: name, server, temperature, and what else it has.

    Left out are keys, how the server is reached, what every LangChain model has, and what the class itself
    leaves out where it is written down. Not taken from LangChain's own description, since not every class
    puts its settings there.
    """
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    return json.dumps([kind, plain_settings(model, beside=BaseChatModel)], sort_keys=True)


def plain_settings(model: BaseModel, beside: type[BaseModel]) -> dict[str, Any]:
    """The settings of a model that are data, without keys and without how its server is reached.

    Args:
        model: A model whose class is pydantic's.
        beside: The base class whose own fields are left out.
    """
    return {
        name: value
        for name, field in sorted(type(model).model_fields.items())
        if name not in beside.model_fields and not field.exclude
        if not _SECRET.search(name) and not _TRANSPORT.search(name)
        if (value := _plain(getattr(model, name))) is not None
    }


def _plain(value: Any) -> Any:
    """The value if it is data; None if it is an object such as a client."""
    if isinstance(value, dict):
        # Free-form settings may carry headers.
        value = {name: one for name, one in value.items() if not _SECRET.search(str(name))}
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return None
    return value
