"""Puts checked text in the place of an answer, and leaves everything else as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from langchain_core.messages import BaseMessage

from factscore_chain.guard.checked import CheckedText
from factscore_chain.lcel.keys import Keys, text_of

Message = TypeVar("Message", bound=BaseMessage)

METADATA = "factuality"
"""Under this key a message's `response_metadata` holds what was found."""
_REPEATS = frozenset({"logprobs", "reasoning_content", "reasoning", "refusal"})
"""What repeats, or argues for, a text that is no longer shown."""


def summary(checked: CheckedText) -> dict[str, Any]:
    """What a message's metadata say of its check, in plain data: figures, and no claim that was withheld."""
    shown = checked.outcome if checked.after is None else checked.after
    return {
        "action": checked.action,
        "passed": checked.passed,
        "score": shown.score,
        "coverage": shown.coverage,
        "cause": shown.cause,
        "facts": shown.facts,
        "supported": shown.supported,
        "unsupported": len(shown.unsupported),
        "undecided": len(shown.undecided),
    }


def shown(value: Any, checked: CheckedText, keys: Keys) -> Any:
    """The value with the text that is to be shown; of a dict, all other keys stay."""
    if isinstance(value, Mapping):
        changed = {**value, keys.text: shown(value[keys.text], checked, keys)}
        return changed if keys.outcome is None else {**changed, keys.outcome: checked}
    if isinstance(value, BaseMessage):
        return checked_message(value, checked)
    return checked.text


def has_text(value: Any, keys: Keys) -> bool:
    """Whether there is something to check: a message that only calls tools passes as it is."""
    answer = value.get(keys.text) if isinstance(value, Mapping) else value
    if isinstance(answer, BaseMessage) and getattr(answer, "tool_calls", None):
        return bool(answer.text.strip())
    return True


def checked_message(message: Message, checked: CheckedText) -> Message:
    """The message with the text that is to be shown, and with a summary of its check in its metadata.

    A note at the end leaves everything before it as it was. Beside another text nothing stays that repeats
    the old one: no reasoning, no token probabilities.
    """
    metadata = {**message.response_metadata, METADATA: summary(checked)}
    if checked.text == text_of(message):
        return message.model_copy(update={"response_metadata": metadata})
    if (added := _added(text_of(message), checked.text)) is not None:
        note = {"type": "text", "text": added}
        content = [*message.content, note] if isinstance(message.content, list) else checked.text
        return message.model_copy(update={"content": content, "response_metadata": metadata})
    return message.model_copy(
        update={
            "content": _content(message.content, checked.text),
            "response_metadata": without_repeats(metadata),
            "additional_kwargs": without_repeats(message.additional_kwargs),
        }
    )


def _added(old: str, new: str) -> str | None:
    """What stands behind the old text in the new one; None if the new one does not begin with it."""
    kept = old.rstrip()
    return new[len(kept) :] if kept and new.startswith(kept) else None


def _content(content: Any, text: str) -> Any:
    """The content with another text: of blocks, those that are no text stay."""
    if not isinstance(content, list):
        return text
    other = [one for one in content if isinstance(one, Mapping) and one.get("type") not in _TEXTUAL]
    return [{"type": "text", "text": text}, *other] if other else text


_TEXTUAL = frozenset({"text", "reasoning", "thinking", "redacted_thinking", None})


def without_repeats(values: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata of a message without what repeats its old text."""
    return {key: value for key, value in values.items() if key not in _REPEATS}
