"""Finds the answer, its topic and its context in what an application gives out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages

from factscore_chain.errors import UsageError

ANSWER_KEYS = ("output", "answer", "response", "text", "result", "generation", "content")
"""Where an answer is looked for, in this order, in a mapping of several keys."""


def answer_in(value: Any, key: str | None = None) -> str:
    """The text of an answer: itself, or that of a message, of a list's last answer, of a mapping's entry.

    Args:
        value: What the application gave out.
        key: The entry that holds the answer; None looks for "messages", a single entry, or a usual name.

    Raises:
        UsageError: There is no text where it was looked for.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return value.text
    if isinstance(value, Mapping):
        return _in_mapping(value, key)
    if isinstance(value, Sequence):
        return _last_answer(value)
    raise UsageError(
        f"{type(value).__name__} holds no answer. Give a text, a message, or a mapping with one."
    )


def text_at(key: str, *places: Any) -> str | None:
    """The first text under this key in any of several mappings; None if there is none."""
    found = (place.get(key) for place in places if isinstance(place, Mapping))
    return next((value for value in found if isinstance(value, str) and value.strip()), None)


def context_at(key: str | None, *places: Any) -> Any:
    """Whatever stands under this key in the first mapping that has it; None if there is none."""
    if key is None:
        return None
    return next((place[key] for place in places if isinstance(place, Mapping) and key in place), None)


def _in_mapping(value: Mapping[str, Any], key: str | None) -> str:
    if key is not None:
        if key not in value:
            raise UsageError(
                f"The outputs have no {key!r}, but {sorted(value)}. Name the one with the answer."
            )
        return answer_in(value[key])
    if "role" in value and "content" in value:
        return _last_answer([value])
    if "messages" in value:
        return answer_in(value["messages"])
    entry = next((name for name in ANSWER_KEYS if name in value), None)
    if entry is None and len(value) == 1:
        (entry,) = value
    if entry is None:
        raise UsageError(
            f"Which of the outputs {sorted(value)} is the answer is not clear. Give `output_key`, the "
            "name of the one that is."
        )
    return answer_in(value[entry])


def _last_answer(messages: Sequence[Any]) -> str:
    try:
        read = convert_to_messages(list(messages))
    except (NotImplementedError, ValueError, TypeError) as error:
        raise UsageError(
            "The outputs hold a list that is none of messages, so no answer was found."
        ) from error
    answer = next((one for one in reversed(read) if isinstance(one, AIMessage)), None)
    if answer is None:
        raise UsageError("The outputs hold no message of the model, so no answer was found.")
    return answer.text
