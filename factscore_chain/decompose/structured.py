"""Facts as data, for models whose profile says that they can keep to a schema."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class FactsReply(BaseModel):
    """The atomic facts that a sentence states."""

    model_config = ConfigDict(extra="forbid")

    facts: list[str] = Field(description="One short statement each; empty if the sentence states nothing.")


def facts_text(reply: str) -> str:
    """The reply in the form of a plain one, so that one reader reads both; any other text as it is."""
    try:
        read = FactsReply.model_validate_json(reply)
    except ValidationError:
        return reply
    return "\n".join(f"- {' '.join(fact.split())}" for fact in read.facts if fact.strip()) or "NONE"
