"""Reads what an agent's messages hold of evidence, turns and text; pure functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from factscore_chain.guard import CallEvidence, as_evidence
from factscore_chain.lcel.values import without_repeats
from factscore_chain.values import Passage

SOURCE = "factscore"
"""What `lc_source` says of messages that are none of the application's."""
VERDICTS = "factscore_verdicts"
"""The entry of a tool message's artifact that holds verdicts with their passages."""
_TEXTUAL = ("text", "reasoning", "thinking", "redacted_thinking")


def feedback_message(text: str) -> HumanMessage:
    """What the model that is asked again is told."""
    return HumanMessage(text, additional_kwargs={"lc_source": SOURCE})


def is_ours(message: BaseMessage) -> bool:
    """Whether the message is our own feedback to the model."""
    return isinstance(message, HumanMessage) and message.additional_kwargs.get("lc_source") == SOURCE


def turn_of(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """The messages from the user's last one on; all of them where no user wrote."""
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], HumanMessage) and not is_ours(messages[index]):
            return messages[index:]
    return messages


def tool_evidence(messages: Sequence[BaseMessage], tools: Collection[str] | None = None) -> CallEvidence:
    """The passages that tools brought, each with the origin "tool:NAME".

    Documents that a tool returned as its artifact stand for its text. What a tool says of an error is no
    evidence, and neither is the text of a verdict, but the passages it rests on are.

    Args:
        messages: The messages to look in.
        tools: Names of the tools whose results count; None for all.
    """
    found = CallEvidence()
    for message in messages:
        if not isinstance(message, ToolMessage) or message.status == "error":
            continue
        if message.additional_kwargs.get("lc_source") == SOURCE:
            continue  # an answer with a schema, which LangChain keeps as the result of a tool
        if tools is None or message.name in tools:
            found += _evidence_of(message)
    return found


def _evidence_of(message: ToolMessage) -> CallEvidence:
    origin, artifact = f"tool:{message.name or 'unnamed'}", message.artifact
    if isinstance(artifact, Mapping) and VERDICTS in artifact:
        return as_evidence(
            [
                Passage(one["id"], one["text"], one["title"], origins=(*one["origins"], origin))
                for verdict in artifact[VERDICTS]
                for one in verdict["passages"]
            ]
        )
    if isinstance(artifact, list) and artifact and all(isinstance(one, Document) for one in artifact):
        return as_evidence(artifact, origin=origin)
    return as_evidence(message if message.text.strip() else None)


def without_text(message: AIMessage) -> AIMessage:
    """The message with nothing but its calls of tools."""
    content: Any = ""
    if isinstance(message.content, list):
        content = [one for one in message.content if _kind(one) not in _TEXTUAL]
    return message.model_copy(
        update={
            "content": content,
            "response_metadata": without_repeats(message.response_metadata),
            "additional_kwargs": without_repeats(message.additional_kwargs),
        }
    )


def _kind(block: Any) -> str:
    return str(block.get("type")) if isinstance(block, Mapping) else "text"
