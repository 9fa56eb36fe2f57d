"""What is sent and answered, as the OpenAPI schema shows it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Verdicts = tuple[Literal["not_supported", "irrelevant", "undecided"], ...]
PolicyName = Literal["auto", "correct", "remove", "hedge"]


class Body(BaseModel):
    """Base of everything that is sent: a key that nobody reads is an error, not a silence."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Answer(BaseModel):
    """Base of what is answered."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class PassageBody(Body):
    """A piece of evidence that comes with a request."""

    text: str
    title: str | None = None
    id: str | None = None


class ScoreRequest(Body):
    """A text to check."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": "Nintendo was founded in Kyoto in 1905.", "topic": "Kyoto"}],
        }
    )

    text: str
    """The text, as a model or a person wrote it."""
    topic: str | None = None
    """Title of the knowledge source's document that it is about; null searches the whole source."""
    knowledge: str | None = None
    """Name of the knowledge source, of those that `GET /knowledge` lists; null for the first."""
    facts: (
        Annotated[tuple[Annotated[str, Field(pattern=r"\S")], ...], Field(strict=False, min_length=1)] | None
    ) = None
    """Atomic facts in place of those that the text would be broken into; one or more, or null."""
    passages: Annotated[tuple[PassageBody, ...], Field(strict=False)] = ()
    """Evidence of your own, beside that of the knowledge source."""
    id: str | None = None
    """Your own name for it, kept in the report."""

    @property
    def length(self) -> int:
        """Characters that cost work."""
        return len(self.text) + sum(map(len, self.facts or ()))


class EditRequest(ScoreRequest):
    """A text to check and mend."""

    policy: PolicyName = "auto"
    """What is done about an unsupported fact: `auto` corrects where a passage says how, else removes."""
    mend: Annotated[Verdicts, Field(strict=False, min_length=1)] = ("not_supported",)
    """Verdicts of the facts to mend."""


class Knowledge(Answer):
    """A knowledge source that texts can be checked against."""

    name: str
    documents: int | None = None
    """Null where the source does not count them."""
    passages: int | None = None
    content_hash: str | None = None
    """SHA-256 over its content, in hex; equal content, equal hash."""
    built: str | None = None
    """When it was registered: ISO 8601, UTC."""
    estimator: str
    """What checks texts against it."""


class KnowledgeList(Answer):
    """The knowledge sources of the server."""

    default: str
    """Asked where a request names none."""
    sources: tuple[Knowledge, ...]


class Health(Answer):
    """How the server is."""

    status: Literal["ok"] = "ok"
    version: str
