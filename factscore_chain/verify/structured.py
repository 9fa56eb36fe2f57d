"""A verdict as data, for models whose profile says that they can keep to a schema."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factscore_chain.verify.mentions import Labels


class VerdictReply(BaseModel):
    """Whether the passages support the statement."""

    model_config = ConfigDict(extra="forbid")

    verdict: Literal["True", "False"]
    passage: int | None = Field(
        description="Number of the passage that decides it; null if no single one does."
    )


def verdict_text(reply: str, labels: Labels) -> str:
    """The reply in the words of a plain one, so that one reader reads both; any other text as it is.

    Args:
        reply: What the model wrote.
        labels: The words that a plain reply has.
    """
    try:
        read = VerdictReply.model_validate_json(reply)
    except ValidationError:
        return reply
    word = (labels.supported if read.verdict == "True" else labels.not_supported)[0]
    return word if read.passage is None else f"{word} [{read.passage}]"
