"""What a guardrail gives back: the text to show, and everything that it rests on."""

from __future__ import annotations

from typing import Any

from factscore_chain.edit.report import EditedGeneration
from factscore_chain.errors import FactScoreError
from factscore_chain.guard.annotate import named
from factscore_chain.guard.outcome import Action, GuardOutcome
from factscore_chain.prompts.prompt import load_prompt
from factscore_chain.records import Record
from factscore_chain.report import GenerationReport


class CheckedText(Record):
    """A text after its check."""

    text: str
    """What is to be shown: the text, the text with a note, the edited text, or the message in its place."""
    original: str
    """The text that was checked; that of the last attempt, where the model was asked again."""
    action: Action
    """What was done: "pass", "annotate", "replace", "correct", "remove"; or "raise" or "retry", where that is
    for the caller to do and `text` holds what the policy shows otherwise."""
    outcome: GuardOutcome
    """Of the text that was checked."""
    after: GuardOutcome | None = None
    """Of the edited text, where the text was edited."""
    report: GenerationReport | None = None
    """Every fact of the text that was checked; null where the check gave none."""
    edit: EditedGeneration | None = None
    retries: int = 0
    """Times that the model was asked again."""

    @property
    def passed(self) -> bool:
        """Whether what is shown is the model's text, as it is or mended, and meets the policy."""
        return self.outcome.passed if self.after is None else self.action != "replace" and self.after.passed

    @property
    def score(self) -> float | None:
        """Share of supported facts of the text that was checked, 0 to 1."""
        return self.outcome.score

    def feedback(self) -> str:
        """What to tell the model that is asked again: its statements that are not supported, fenced."""
        return feedback(self.outcome)

    def to_dict(self) -> dict[str, Any]:
        """In plain Python types."""
        return self.model_dump(mode="json")


class FactualityError(FactScoreError):
    """A text does not meet the policy, which says that this is an error.

    `checked` holds the text and its outcome; neither stands in the message.
    """

    def __init__(self, checked: CheckedText) -> None:
        self.checked = checked
        super().__init__(
            f"The text was withheld: {checked.outcome.summary()}. See `checked.outcome` of this error, or "
            "choose another `on_fail` than 'raise'."
        )


def feedback(outcome: GuardOutcome) -> str:
    """The words in which a model is told what of its answer is not supported; the prompt `guard_feedback`."""
    findings = [*outcome.unsupported, *outcome.undecided]
    statements = "\n".join(f"- {one}" for one in named(findings)) or "- (none was decided)"
    return "\n".join(
        message.text for message in load_prompt("guard_feedback").messages(statements=statements)
    )
