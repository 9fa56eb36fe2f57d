"""The result of editing: the text, what was done to it and why, and the scores before and after."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any, Literal

from factscore_chain.edit.records import EditRecord
from factscore_chain.report import GenerationReport, Record, Report
from factscore_chain.values import Place

EditStatus = Literal["edited", "unchanged", "failed"]


class EditedGeneration(Record):
    """One text: as it was, as it is, and every edit that was proposed, kept or not."""

    id: str | None = None
    topic: str | None = None
    place: Place | None = None
    """The line that the text was read from."""
    before: str
    text: str
    """The edited text; equal to `before` where nothing was kept."""
    status: EditStatus
    """"failed" where the text could not be scored or edited to the end; what was kept until then stays."""
    error: str | None = None
    rounds: int = 0
    edits: tuple[EditRecord, ...] = ()

    @property
    def kept(self) -> tuple[EditRecord, ...]:
        """The edits that are in the text."""
        return tuple(edit for edit in self.edits if edit.kept)

    @property
    def diff(self) -> str:
        """The unified diff from `before` to `text`; empty where they are equal."""
        lines = unified_diff(_lines(self.before), _lines(self.text), "before", "after")
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )

    @property
    def complete(self) -> bool:
        """Whether the editor gave an answer for every sentence that it was asked about."""
        unanswered = {edit.before for edit in self.edits if edit.error is not None}
        return self.status != "failed" and unanswered <= {edit.before for edit in self.kept}


class EditManifest(Record):
    """What made the edits; the reports inside say what scored them."""

    created: str
    """UTC, ISO 8601."""
    editor: dict[str, str]
    policy: str
    mended: tuple[str, ...]
    """Verdicts of the facts that were to be mended."""
    max_rounds: int
    usage: dict[str, int]
    """Model calls and tokens of everything: scoring, editing, verifying, second opinion."""
    cost: float | None = None
    """US dollars; null where the price of a model that was asked is not known."""


class SecondOpinion(Record):
    """Both texts scored from scratch by an estimator that had no part in the edits."""

    before: Report
    after: Report


class EditReport(Record):
    """Texts edited, and the proof."""

    generations: tuple[EditedGeneration, ...]
    before: Report
    after: Report
    """By the same estimator; sentences that stayed keep their decisions."""
    second: SecondOpinion | None = None
    rejected: tuple[str, ...] = ()
    """Input rows that could not be read, one line each."""
    manifest: EditManifest

    @property
    def texts(self) -> tuple[str, ...]:
        """The edited texts, in the order of the input."""
        return tuple(one.text for one in self.generations)

    @property
    def text(self) -> str:
        """The edited text; of several, parted by a blank line."""
        return "\n\n".join(self.texts)

    @property
    def diff(self) -> str:
        """The unified diffs, one after the other."""
        return "".join(one.diff for one in self.generations)

    @property
    def edits(self) -> tuple[EditRecord, ...]:
        """All proposed edits, kept or not."""
        return tuple(edit for one in self.generations for edit in one.edits)

    @property
    def complete(self) -> bool:
        """Whether every row could be read, and every text scored and edited to the end."""
        return not self.rejected and self.before.complete and all(one.complete for one in self.generations)

    def with_rejected(self, rejected: Sequence[str]) -> EditReport:
        """The same report, with the input rows that could not be read."""
        return self.model_copy(update={"rejected": tuple(rejected)})

    def to_json(self) -> str:
        """The report as one JSON object."""
        return self.model_dump_json(indent=2)

    def to_dict(self) -> dict[str, Any]:
        """The report in plain Python types."""
        return self.model_dump(mode="json")

    def to_markdown(self) -> str:
        """The report for people: scores, then each text with its insertions and deletions marked."""
        from factscore_chain.edit.render import markdown

        return markdown(self)

    def to_html(self) -> str:
        """One page that needs no other file: each text before and after, side by side."""
        from factscore_chain.edit.page import page

        return page(self)


def failed(report: GenerationReport, error: str) -> EditedGeneration:
    """A text that could not be edited, unchanged."""
    return EditedGeneration(
        id=report.id,
        topic=report.topic,
        place=report.place,
        before=report.text,
        text=report.text,
        status="failed",
        error=error,
    )


def _lines(text: str) -> list[str]:
    # Only "\n" ends a line of a diff; str.splitlines would break at every other mark too.
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
