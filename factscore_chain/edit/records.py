"""What came of each proposed edit, as it stands in reports."""

from __future__ import annotations

from factscore_chain.edit.base import Action, Policy
from factscore_chain.report import Record
from factscore_chain.values import Passage, Span


class ActionRecord(Record):
    """What an edit did about one fact."""

    fact: str
    action: Action
    why: str


class EditRecord(Record):
    """One proposal for one sentence: what it was to mend, what it did, whether it was kept."""

    round: int
    """From 1."""
    span: Span
    """The sentence's place in the text as it was at the start of the round."""
    before: str
    """The sentence as it was."""
    after: str | None
    """The proposal; empty where the sentence was to be dropped, null where there was none."""
    policy: Policy
    actions: tuple[ActionRecord, ...] = ()
    """One for each fact that was to be mended."""
    fixed: tuple[str, ...] = ()
    """Unsupported facts that the proposal corrects or no longer states."""
    broken: tuple[str, ...] = ()
    """Supported facts that the proposal no longer states."""
    passages: tuple[Passage, ...] = ()
    """What its corrections rest on."""
    kept: bool
    why: str | None = None
    """Why it was not kept, or nothing was proposed; of a name put in for a pronoun, what it is for."""
    error: str | None = None
    """Why the editor gave no answer: the model refused, was cut off, could not be asked."""
    raw: str | None = None
    """The model's own words."""

    @property
    def wording(self) -> str:
        """The sentence as it is now."""
        return self.after if self.kept and self.after is not None else self.before
