"""What an editor is: one sentence with its verdicts in, the same sentence mended out.

    EditRequest -> SentenceEdit

An editor proposes; the loop around it checks, verifies and decides, so no editor grades itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from factscore_chain.report import FactRecord
from factscore_chain.stage import LocalStage, Stage
from factscore_chain.values import Generation, Passage, Sentence


class Policy(str, Enum):
    """What is to be done about an unsupported fact."""

    CORRECT = "correct"
    """Replace it with what the passages say; what they give no value for is left."""
    REMOVE = "remove"
    """Drop the claim and repair the sentence."""
    HEDGE = "hedge"
    """Keep the claim and mark it as unverified."""
    AUTO = "auto"
    """Correct where a passage contradicts it and gives the value, else remove."""


Action = Literal["corrected", "removed", "hedged", "left"]
"""What was done about one fact."""


@dataclass(frozen=True)
class Attempt:
    """An earlier proposal for the same sentence that was not kept."""

    text: str
    """The proposal; empty where the whole sentence was to go."""
    why: str


@dataclass(frozen=True)
class EditRequest:
    """A sentence to mend, in its text, with everything known of it."""

    generation: Generation
    """The whole text as it is now; `topic` is spelled as the knowledge source spells it."""
    sentence: Sentence
    """Its span points into `generation.text`."""
    facts: tuple[FactRecord, ...]
    """All facts of the sentence, supported ones too; their spans point into `generation.text`."""
    mend: tuple[int, ...]
    """Which of `facts` are to be mended, as indices; the others must stay stated."""
    policy: Policy = Policy.AUTO
    attempts: tuple[Attempt, ...] = ()
    """Earlier proposals, the last one last: proposing one of them again is of no use."""

    @property
    def before(self) -> str:
        """The text before the sentence."""
        return self.generation.text[: self.sentence.span.start]

    @property
    def after(self) -> str:
        """The text after the sentence."""
        return self.generation.text[self.sentence.span.end :]

    @property
    def wrong(self) -> tuple[FactRecord, ...]:
        """The facts to mend."""
        return tuple(self.facts[index] for index in self.mend)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Passages of the facts to mend, each once: those their verdicts rest on first, then by rank."""
        evidence = [p for fact in self.wrong for p in fact.passages if p.id in fact.evidence]
        found = [p for fact in self.wrong for p in fact.passages]
        found.sort(key=lambda passage: passage.rank or len(found))
        return tuple({passage.id: passage for passage in [*evidence, *found]}.values())


@dataclass(frozen=True)
class FactAction:
    """What an editor did about one fact, and on what grounds."""

    fact: int
    """Index among the request's facts."""
    action: Action
    why: str
    """One clause for people, such as "the passage has 1911 in its place"."""
    passages: tuple[str, ...] = ()
    """Ids of the passages it rests on."""


@dataclass(frozen=True)
class SentenceEdit:
    """What an editor makes of a sentence."""

    text: str | None
    """The new sentence; None leaves it as it is, an empty text drops it."""
    actions: tuple[FactAction, ...] = ()
    """One for each fact to mend, in their order; "left" where nothing was done about it."""
    error: str | None = None
    """Why there is no edit: the model refused, was cut off, could not be asked."""
    raw: str | None = None
    """The model's own words."""


class Editor(Stage[EditRequest, SentenceEdit]):
    """Mends one sentence at a time, the text around it given (paper, appendix C).

    What it cannot mend it leaves, with the reason; it never touches a supported fact on purpose.
    """

    @property
    def editor_name(self) -> str:
        """Name that goes into reports, such as "embedded"."""
        raise NotImplementedError

    @property
    def identity(self) -> dict[str, str]:
        """What edits (kind, model, prompt and version, variant), for the report's manifest."""
        raise NotImplementedError


class LocalEditor(Editor, LocalStage[EditRequest, SentenceEdit]):
    """An editor that computes here, many sentences at once, with no model server."""
