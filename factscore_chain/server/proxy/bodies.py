"""What a chat request may hold beside what the upstream takes, and what is added to its answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.guard.checked import CheckedText
from factscore_chain.guard.outcome import Action, GuardOutcome
from factscore_chain.records import Record
from factscore_chain.server.bodies import Body, PassageBody

OPTIONS = "factscore"
"""The key of a request for the guard; it is not passed on. The same key of a choice holds the outcome."""


class GuardOptions(Body):
    """What an answer is checked against, beside what the server was started with."""

    topic: str | None = None
    """Title of the knowledge source's document that the answer is about."""
    knowledge: str | None = None
    """Name of the knowledge source; null for the first."""
    passages: Annotated[tuple[PassageBody, ...], Field(strict=False)] = ()
    """Evidence that comes with the request."""


class ChatRequest(BaseModel):
    """A chat request as the upstream takes it; only what the guard reads is described here."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        strict=True,
        use_attribute_docstrings=True,
        json_schema_extra={
            "examples": [
                {"model": "any", "messages": [{"role": "user", "content": "Where was Marie Curie born?"}]}
            ]
        },
    )

    messages: list[dict[str, Any]]
    """The conversation."""
    stream: bool | None = None
    response_format: dict[str, Any] | None = None
    factscore: GuardOptions | None = None
    """For the guard; not passed on."""

    @property
    def options(self) -> GuardOptions:
        """What the answer is checked against."""
        return self.factscore or GuardOptions()

    @property
    def wants_json(self) -> bool:
        """Whether the answer is data for a program, in which no note may stand."""
        return (self.response_format or {}).get("type") in ("json_object", "json_schema")

    def for_upstream(self, **changed: Any) -> dict[str, Any]:
        """What is passed on."""
        return {**self.model_dump(exclude_unset=True, exclude={OPTIONS}), **changed}


class ChatCompletion(BaseModel):
    """The upstream's answer; each choice has the outcome of its check beside it."""

    model_config = ConfigDict(extra="allow")

    choices: list[dict[str, Any]]


class GuardRecord(Record):
    """What the guard says of a choice, under the key `factscore`."""

    passed: bool
    action: Action
    retries: int = 0
    outcome: GuardOutcome
    after: GuardOutcome | None = None
    """Of the mended text."""

    @classmethod
    def of(cls, checked: CheckedText) -> GuardRecord:
        """The record of a checked text, without the text."""
        return cls(
            passed=checked.passed,
            action=checked.action,
            retries=checked.retries,
            outcome=checked.outcome,
            after=checked.after,
        )
