"""Where in a chain's value the answer, its context and its topic stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.guard.check import CheckRequest
from factscore_chain.guard.evidence import CallEvidence, as_evidence
from factscore_chain.retrievers.context import ContextOnly


@dataclass(frozen=True)
class Keys:
    """Keys of a chain's dict; plain texts and messages have no context and no topic."""

    text: str = "answer"
    context: tuple[str, ...] = ("context",)
    """All that are there count; those that are not are no evidence."""
    topic: str | None = None
    outcome: str | None = "factuality"
    """Where the result of the check goes; None puts it nowhere."""

    @classmethod
    def of(
        cls, text: str, context: str | Sequence[str] | None, topic: str | None, outcome: str | None
    ) -> Keys:
        """Makes keys of what a user may give.

        Raises:
            UsageError: Two of them are one.
        """
        several = () if context is None else (context,) if isinstance(context, str) else tuple(context)
        names = [text, *several, *(name for name in (topic, outcome) if name is not None)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise UsageError(f"The key {twice[0]!r} is given for two things. Give each its own.")
        return cls(text, several, topic, outcome)

    def request(self, value: Any, always: CallEvidence) -> CheckRequest:
        """What is to be checked of a value, and by what.

        Args:
            value: A text, a message, or a mapping.
            always: Evidence of every call.

        Raises:
            UsageError: It is something else, or its text or topic is none.
        """
        if not isinstance(value, Mapping):
            return CheckRequest(text_of(value), None, always)
        if self.text not in value:
            raise UsageError(
                f"There is no {self.text!r} among the keys {sorted(map(str, value))}. Name the answer's key "
                "with text_key."
            )
        return CheckRequest(text_of(value[self.text]), self.topic_of(value), self.evidence(value, always))

    def require_evidence(self, value: Any, scorer: FactScoreChain, always: CallEvidence) -> None:
        """Makes sure that there is something to check an answer by; no passage at all may be among it.

        Raises:
            UsageError: The scorer knows nothing itself, and the value has no place for a context.
        """
        retrieval = scorer.scorer.retrieval
        if always or retrieval is None or not isinstance(retrieval.retriever, ContextOnly):
            return
        if not isinstance(value, Mapping) or not any(key in value for key in self.context):
            where = (
                f"the keys {sorted(map(str, value))}" if isinstance(value, Mapping) else type(value).__name__
            )
            raise UsageError(
                f"There is nothing to check the answer by: no context in {where}, and no knowledge. Name the "
                "key of the context with context_key, or give a scorer with knowledge, or sources."
            )

    def topic_of(self, value: Mapping[str, Any]) -> str | None:
        """The topic, where there is one."""
        topic = value.get(self.topic) if self.topic is not None else None
        if topic is not None and not isinstance(topic, str):
            raise UsageError(f"{self.topic!r} holds {type(topic).__name__}; a topic is a title.")
        return topic

    def evidence(self, value: Mapping[str, Any], always: CallEvidence) -> CallEvidence:
        """The context that is there, and the evidence of every call.

        Raises:
            UsageError: It holds something that is no evidence.
        """
        found = CallEvidence()
        for key in self.context:
            found += as_evidence(value.get(key), origin=key)
        return found + always if found or always else found


def text_of(value: Any) -> str:
    """The text of an answer.

    Raises:
        UsageError: It is neither a text nor a message.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return value.text
    raise UsageError(
        f"{type(value).__name__} is no answer that could be checked. Give a text, a message, or a dict with "
        "one; StrOutputParser makes texts of messages."
    )
