"""How a chain is asked again: its input, with what was not supported of its last answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import BasePromptTemplate
from langchain_core.runnables import Runnable

from factscore_chain.errors import UsageError
from factscore_chain.guard.checked import CheckedText

AskAgain: TypeAlias = Callable[[Any, CheckedText], Any]
"""Makes the input of the next attempt of the last one and what came of it."""

FEEDBACK = "feedback"
"""Key of a dict under which a prompt may have a place for what was not supported; empty at first."""
_QUESTIONS = ("question", "input", "query")


def first_input(value: Any, chain: Runnable[Any, Any]) -> Any:
    """The input of the first attempt: a dict with empty feedback, where a prompt of the chain asks for it."""
    if not isinstance(value, Mapping) or not any(_asks(prompt) for prompt in chain.get_prompts()):
        return value
    return {FEEDBACK: "", **value}


def _asks(prompt: BasePromptTemplate[Any]) -> bool:
    return FEEDBACK in (*prompt.input_variables, *prompt.optional_variables)


def with_feedback(value: Any, checked: CheckedText) -> Any:
    """The input with the feedback where a chain will read it.

    A text gets it at its end; messages and prompts as two more messages, the answer and the feedback. A dict
    gets it under "feedback" if it has that key, else in its "messages", else at the end of its "question",
    "input" or "query".

    Raises:
        UsageError: There is no place for it.
    """
    told = checked.feedback()
    if isinstance(value, str):
        return f"{value}\n\n{told}"
    if isinstance(value, PromptValue):
        return _conversation(value.to_messages(), checked)
    if isinstance(value, BaseMessage):
        return _conversation([value], checked)
    if isinstance(value, Mapping):
        return _mapping(value, checked, told)
    if isinstance(value, Sequence):
        return _conversation(value, checked)
    raise UsageError(_NO_PLACE.format(type(value).__name__))


_NO_PLACE = (
    "{} has no place for feedback. Give it the key 'feedback', 'messages' or 'question', or give "
    "`ask_again`, a function of the last input and what was found."
)


def _conversation(messages: Sequence[Any], checked: CheckedText) -> list[Any]:
    return [*messages, AIMessage(checked.original), HumanMessage(checked.feedback())]


def _mapping(value: Mapping[str, Any], checked: CheckedText, told: str) -> dict[str, Any]:
    if FEEDBACK in value:
        return {**value, FEEDBACK: told}
    if isinstance(messages := value.get("messages"), Sequence) and not isinstance(messages, str):
        return {**value, "messages": _conversation(messages, checked)}
    for key in _QUESTIONS:
        if isinstance(question := value.get(key), str):
            return {**value, key: f"{question}\n\n{told}"}
    raise UsageError(_NO_PLACE.format(f"A dict with the keys {sorted(map(str, value))}"))
