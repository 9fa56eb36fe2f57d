"""Answers with a schema as text that can be checked, and what is given in their place.

An object can be given as it is or withheld, but not mended or noted upon: another text would no longer be
what the schema, and what the application does with it, ask for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic_core import to_jsonable_python

from factscore_chain.agents.messages import SOURCE

_CLAUSE = 4
"""Words from which a text says something by itself; a shorter one is a value, known by its field's name."""


def object_text(value: Any, topic: str | None) -> str:
    """What an object says, a paragraph a text.

    Short texts and numbers say something only of a topic: "born: Paris" is checked as a list item about it,
    and without one not at all.

    Args:
        value: A pydantic model, a dataclass, or plain data.
        topic: What it is about.
    """
    said = to_jsonable_python(value, fallback=str)
    return "\n\n".join(_texts(said, None, topic))


def in_its_place(messages: Sequence[Any], text: str) -> list[Any]:
    """The messages of a call whose object is withheld: one that says so, with the id of the model's own."""
    own = next((one for one in messages if isinstance(one, AIMessage)), None)
    return [AIMessage(text, id=own.id if own is not None else None)]


def as_answers(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages, with those marked as no evidence that only repeat the object."""
    return [
        one.model_copy(update={"additional_kwargs": {**one.additional_kwargs, "lc_source": SOURCE}})
        if isinstance(one, ToolMessage)
        else one
        for one in messages
    ]


def _texts(value: Any, name: str | None, topic: str | None) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(one, str(key), topic)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, name, topic)
    elif isinstance(value, str) and len(value.split()) >= _CLAUSE:
        yield value
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and topic and name:
        yield f"- {name.replace('_', ' ').capitalize()}: {value}"
