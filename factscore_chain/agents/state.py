"""What the middleware leaves in an agent's state: plain data, so that any checkpointer can keep it."""

from __future__ import annotations

from typing import Annotated, Any

from langchain.agents.middleware.types import AgentState, OmitFromInput, PrivateStateAttr
from typing_extensions import NotRequired, TypedDict

from factscore_chain.guard import CheckedText
from factscore_chain.guard.outcome import Action, Cause


class FactualityRecord(TypedDict):
    """What a check of an answer found, and what was done."""

    name: str
    """The middleware that checked."""
    passed: bool
    """Whether what is shown is the model's answer, as it is or mended, and meets the policy."""
    score: float | None
    """Share of the answer's facts that are supported, 0 to 1; None where there is none."""
    coverage: float | None
    """Share of the facts that got a verdict, 0 to 1."""
    cause: Cause
    action: Action
    retries: int
    """Times that the model was asked again."""
    outcome: dict[str, Any]
    """The `GuardOutcome` of the answer as plain data: every fact that is not supported, with its passage."""
    after: dict[str, Any] | None
    """The same of the edited answer, where it was edited."""


class Retries(TypedDict):
    """How often the model was asked again in one turn, so that calls of tools in between cannot hide it."""

    turn: str
    """Tells the turn from others."""
    count: int


def newest(old: FactualityRecord | None, new: FactualityRecord | None) -> FactualityRecord | None:
    """Of several middlewares the outermost writes last, about the text that is shown."""
    return new


def joined(old: dict[str, Retries] | None, new: dict[str, Retries] | None) -> dict[str, Retries]:
    """Counts by the names of the middlewares."""
    return {**(old or {}), **(new or {})}


class FactualityState(AgentState[Any]):
    """The state of an agent whose answers are checked."""

    factuality: NotRequired[Annotated[FactualityRecord | None, OmitFromInput, newest]]
    """Of the model's last message; None where nothing of it was checked, as with a call of a tool."""
    factuality_retries: NotRequired[Annotated[dict[str, Retries], PrivateStateAttr, joined]]


def record_of(checked: CheckedText, name: str) -> FactualityRecord:
    """What is kept of a check."""
    outcome = checked.outcome
    return FactualityRecord(
        name=name,
        passed=checked.passed,
        score=outcome.score,
        coverage=outcome.coverage,
        cause=outcome.cause,
        action=checked.action,
        retries=checked.retries,
        outcome=outcome.model_dump(mode="json"),
        after=None if checked.after is None else checked.after.model_dump(mode="json"),
    )
