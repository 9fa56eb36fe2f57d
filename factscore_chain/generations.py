"""What a user may hand in as a generation, and how it becomes one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from factscore_chain.errors import UsageError
from factscore_chain.values import Generation

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")

AnyGeneration: TypeAlias = str | BaseMessage | Generation | Mapping[str, Any]


class GenerationRow(BaseModel):
    """A row of a generations file, in the original package's words; other keys are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)

    output: str
    topic: str | None = None
    id: str | int | None = None
    input: Annotated[str | None, BeforeValidator(lambda value: value if isinstance(value, str) else None)] = (
        None
    )
    """The prompt; one that is no plain text is another tool's and is ignored like any other key."""
    facts: list[str] | None = None
    """Atomic facts given in place of decomposition."""
    reference: Any = None
    """A text that recall is measured against, or a list of its parts; anything else is taken for none."""


def as_generation(value: AnyGeneration, topic: str | None = None) -> Generation:
    """Makes a `Generation` of a text, a message, or a mapping with "output".

    A mapping may also hold "topic", "id", "facts" and "reference".

    Raises:
        UsageError: It is none of these, or a field has the wrong type.
    """
    if isinstance(value, Generation):
        return _writable(value)
    if isinstance(value, str):
        return _writable(Generation(value, topic))
    if isinstance(value, BaseMessage):
        return _writable(Generation(value.text, topic))
    if isinstance(value, Mapping):
        return _writable(_from_row(value, topic))
    raise UsageError(
        f"A generation cannot be made of {type(value).__name__}. "
        "Give a text, a message, or a mapping with 'output' and, where there is one, 'topic'."
    )


def as_generations(value: AnyGeneration | Sequence[AnyGeneration]) -> tuple[Generation, ...]:
    """Makes a tuple of generations of one or several.

    Raises:
        UsageError: See `as_generation`.
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(as_generation(one) for one in value)
    return (as_generation(value),)


def _writable(generation: Generation) -> Generation:
    # A lone surrogate cannot be written to any file or sent to any model; its stand-in keeps all positions.
    facts = None if generation.facts is None else tuple(map(whole, generation.facts))
    if facts is not None and not all(fact.strip() for fact in facts):
        raise UsageError("Not a generation: one of its 'facts' is empty. Leave empty facts out.")
    return replace(
        generation,
        text=whole(generation.text),
        topic=whole(generation.topic or "").strip() or None,
        facts=facts,
        reference=None if generation.reference is None else whole(generation.reference),
        input=None if generation.input is None else whole(generation.input),
    )


def whole(text: str) -> str:
    """The text with a stand-in for every half of a character that has lost its other half."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _from_row(value: Mapping[str, Any], topic: str | None) -> Generation:
    try:
        row = GenerationRow.model_validate(dict(value))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"Not a generation: {where!r}: {first['msg']}.") from error
    return Generation(
        row.output,
        row.topic if row.topic is not None else topic,
        None if row.facts is None else tuple(row.facts),
        None if row.id is None else str(row.id),
        _reference(row.reference),
        row.input,
    )


def _reference(value: Any) -> str | None:
    # Many data sets have a key of this name, with whatever type.
    parts = [value] if isinstance(value, str) else value
    readable = isinstance(parts, list) and all(isinstance(part, str) for part in parts)
    return "\n".join(parts) if readable and parts else None
