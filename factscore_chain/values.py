"""The values that flow from stage to stage: frozen, typed, in the words of the field.

    Generation -> Sentence -> AtomicFact -> Claim (with its passages) -> Decision

Text becomes data at the edges (files, model replies, reports) through pydantic; in between these carry it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple


class Span(NamedTuple):
    """Character positions in the generation: `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True)
class Place:
    """The line of a file that something was read from."""

    file: str
    line: int
    """1 for the first."""


@dataclass(frozen=True)
class Generation:
    """A text that a language model wrote, and what it is about."""

    text: str
    topic: str | None = None
    """Title in the knowledge source; None searches the whole source."""
    facts: tuple[str, ...] | None = None
    """Atomic facts given by the caller; decomposition is skipped."""
    id: str | None = None
    """The caller's own name for it, kept in the report."""
    reference: str | None = None
    """A text that says what a full answer holds: what its recall is measured against."""
    input: str | None = None
    """The prompt that it answers; tells which generations of two runs belong together."""
    place: Place | None = field(default=None, compare=False)
    """Where it was read."""


SentenceKind = Literal["prose", "heading", "list_item", "table_row", "code"]


@dataclass(frozen=True)
class Sentence:
    """A sentence, or the like of one, of a generation."""

    text: str
    """Equal to `generation.text[span.start:span.end]`."""
    span: Span
    index: int
    kind: SentenceKind = "prose"
    headings: tuple[str, ...] = ()
    """Titles of the sections it stands in, outermost first: context, not content."""


@dataclass(frozen=True)
class AtomicFact:
    """A short statement with one piece of information (paper, section 3.1)."""

    text: str
    span: Span | None = None
    """Where the generation states it; None if the fact was given without its text."""
    sentence: int | None = None
    """Index of its sentence."""
    checkable: bool = True
    """False where it refers to something that nobody can look up ("They said so")."""
    also: tuple[Span, ...] = ()
    """Where else the generation states it, in like words."""


@dataclass(frozen=True)
class Passage:
    """A piece of a knowledge source, or of the caller's own context."""

    id: str
    text: str
    title: str | None = None
    rank: int | None = None
    """1 for the best of its retrieval."""
    score: float | None = None
    """Higher is better; comparable only within one retrieval."""
    origins: tuple[str, ...] = ()
    """What found it: "bm25", "vector", "context", ..."""


@dataclass(frozen=True)
class Claim:
    """An atomic fact with the passages it is to be judged by."""

    fact: AtomicFact
    passages: tuple[Passage, ...] = ()
    topic: str | None = None


class Verdict(str, Enum):
    """What a verifier says of a fact."""

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not_supported"
    IRRELEVANT = "irrelevant"
    """Not about the topic; counts as not supported in the paper's own figures."""
    UNDECIDED = "undecided"
    """The verifier answered, but gave no verdict. Never counts as supported."""
    FAILED = "failed"
    """The verifier could not be asked. Never counts as supported."""


Reason = Literal["contradicted", "no_evidence"]


@dataclass(frozen=True)
class Look:
    """One further look for evidence: what was asked, by whom, where, and what came of it."""

    query: str
    writer: str
    """Who wrote the query: "words", or the name of a chat model."""
    title: str | None
    """The page that was looked at; None for the whole source."""
    added: tuple[str, ...]
    """Ids of the passages that it added."""
    verdict: Verdict
    """What the verifier says after it."""


@dataclass(frozen=True)
class Decision:
    """The verdict on one fact, with everything it rests on."""

    fact: AtomicFact
    verdict: Verdict
    verifier: str
    """Name of the verifier that decided."""
    probability: float | None = None
    """Probability of being supported, 0 to 1, where the verifier has one."""
    reason: Reason | None = None
    """Why it is not supported, where the verifier can tell."""
    passages: tuple[Passage, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of the passages the verdict rests on, the best first; always among `passages`."""
    raw: str | None = None
    """The model's own words."""
    cause: str | None = None
    """Why it is undecided or failed."""
    note: str | None = None
    """What else to know of how it was decided, such as passages left out for their length."""
    parts: tuple[Decision, ...] = ()
    """The decisions that an ensemble combined."""
    route: tuple[Look, ...] = ()
    """The looks after the first retrieval, where evidence was sought further."""


@dataclass(frozen=True)
class Padding:
    """Whether a fact adds something to its topic and to the facts beside it."""

    trivial: bool = False
    """It only restates the topic: "X is a person", "X is X", "X exists"."""
    repeats: int | None = None
    """Number of the fact that says all that it says."""


@dataclass(frozen=True)
class SentenceFailure:
    """A sentence that could not be decomposed, and why."""

    sentence: int
    cause: str
    raw: str | None = None


@dataclass(frozen=True)
class DroppedFact:
    """A fact that the decomposer gave, but the text does not: it is not judged, only counted."""

    text: str
    sentence: int
    cause: str


@dataclass(frozen=True)
class Decomposition:
    """What a decomposer makes of a generation."""

    sentences: tuple[Sentence, ...]
    facts: tuple[AtomicFact, ...]
    failures: tuple[SentenceFailure, ...] = ()
    dropped: tuple[DroppedFact, ...] = ()
