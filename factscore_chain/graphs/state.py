"""What a graph remembers of a check: plain data, so that any checkpointer can keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from typing_extensions import TypedDict

from factscore_chain.errors import UsageError
from factscore_chain.guard.check import CheckRequest
from factscore_chain.guard.checked import CheckedText
from factscore_chain.guard.evidence import CallEvidence, as_evidence
from factscore_chain.guard.outcome import GuardOutcome
from factscore_chain.lcel.keys import Keys
from factscore_chain.lcel.values import shown

KEY = "factuality"
"""Key of the state that the nodes write to."""


class Factuality(TypedDict, total=False):
    """What is known of the answer."""

    outcome: dict[str, Any]
    """`GuardOutcome` of the answer as it stands."""
    report: dict[str, Any] | None
    """`GenerationReport` of it; null where the check gave none."""
    action: str
    """What is to be done, or was done in the end."""
    passed: bool
    """Whether what is shown is the model's text, as it is or mended, and meets the policy."""
    original: str
    """The answer before the first edit."""
    round: int
    """Edits so far."""
    edited: str
    """The answer as the last edit left it."""
    edits: list[dict[str, Any]]
    """`EditRecord`s of all rounds, kept or not."""
    stuck: bool
    """Whether the editor had nothing to change."""


class FactualityState(TypedDict, total=False):
    """The state of `guard_graph`; a graph of one's own may have more, and other names."""

    answer: str
    context: list[Any]
    """Documents, texts, (title, text) pairs: whatever `as_evidence` takes."""
    topic: str | None
    factuality: Factuality


def outcome_of(state: Mapping[str, Any]) -> GuardOutcome:
    """What was found of the answer.

    Raises:
        UsageError: No node has checked it.
    """
    found = state.get(KEY) or {}
    if "outcome" not in found:
        raise UsageError(f"The state has no {KEY!r} yet: let score_node or guard_node run first.")
    return GuardOutcome.model_validate(found["outcome"])


def request_of(state: Mapping[str, Any], keys: Keys, always: CallEvidence) -> CheckRequest:
    """What is to be checked of a state.

    Of a list of messages it is the last one of the model; what tools answered since the user's last message
    is evidence then.

    Raises:
        UsageError: There is no answer.
    """
    messages = state.get(keys.text)
    if not isinstance(messages, list):
        return keys.request(state, always)
    answer = last_answer(messages)
    if answer is None:
        raise UsageError(f"There is no message of a model in {keys.text!r}.")
    tools = [one for one in _turn(messages) if isinstance(one, ToolMessage) and one.status != "error"]
    return CheckRequest(answer.text, keys.topic_of(state), as_evidence(tools) + keys.evidence(state, always))


def last_answer(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The last message of a model that says something."""
    return next((one for one in reversed(messages) if isinstance(one, AIMessage) and one.text.strip()), None)


def _turn(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    starts = [place for place, one in enumerate(messages) if isinstance(one, HumanMessage)]
    return messages[starts[-1] :] if starts else messages


def update(state: Mapping[str, Any], keys: Keys, checked: CheckedText) -> dict[str, Any]:
    """The answer's key with the text that is to be shown; empty where it stays as it is.

    A message is replaced under its id, as LangGraph's `add_messages` does it.
    """
    messages = state.get(keys.text)
    if isinstance(messages, list):
        answer = last_answer(messages)
        return {} if answer is None else {keys.text: [shown(answer, checked, keys)]}
    now = shown(state[keys.text], checked, keys)
    return {} if now == state[keys.text] else {keys.text: now}
