"""What the loop remembers between its steps: plain JSON, so that any checkpointer can keep it."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from factscore_chain.edit.base import Attempt, FactAction, Policy
from factscore_chain.edit.records import EditRecord
from factscore_chain.report import FactRecord, GenerationReport, Record
from factscore_chain.values import AtomicFact, Generation, SentenceFailure, Span


class Proposal(Record):
    """An edit on its way through one round."""

    sentence: int
    """Index of the sentence in the text as it stands."""
    policy: Policy
    text: str | None
    """The new sentence; null where there is none, empty where it is dropped."""
    actions: tuple[FactAction, ...] = ()
    error: str | None = None
    raw: str | None = None
    problem: str | None = None
    """Why it is not to be kept, as far as that is known yet."""
    seen: bool = False
    """Whether it was proposed, and not kept, before."""
    span: Span | None = None
    """Where the new sentence stands in the candidate: the text with all proposals of the round."""
    stated: tuple[AtomicFact, ...] = ()
    """Its facts; places are in the candidate."""
    failures: tuple[SentenceFailure, ...] = ()
    facts: tuple[FactRecord, ...] = ()
    """The same, verified."""
    broken: tuple[str, ...] = ()
    """Supported facts that it no longer states."""

    @property
    def open(self) -> bool:
        """Whether there is something to verify."""
        return self.text is not None and self.problem is None


class SecondReports(TypedDict):
    """`GenerationReport`s by the second estimator, where it has a say."""

    before: dict[str, Any]
    """On the text as given."""
    after: dict[str, Any]
    """On the best version so far."""


class EditState(TypedDict, total=False):
    """The state of one text in the loop; every value is JSON."""

    report: dict[str, Any]
    """`GenerationReport` of the best version so far; at the start that of the text as given."""
    round: int
    proposals: list[dict[str, Any]]
    """`Proposal`s of the round."""
    rejected: dict[str, list[list[str]]]
    """For a sentence's text, the proposals that were not kept, each with the reason."""
    hedged: list[str]
    """Sentences that were marked as unverified: there is nothing more to do about them."""
    settled: list[list[str]]
    """Sentences that the editor had no new answer for, with the one before and the one after: they are not
    asked about again while these stay."""
    edits: list[dict[str, Any]]
    """`EditRecord`s of all rounds."""
    second: SecondReports
    """Missing until there is an edit that a second estimator has to find no worse."""


def start(report: GenerationReport) -> EditState:
    """The state before the first round."""
    return {
        "report": dump(report),
        "round": 0,
        "proposals": [],
        "rejected": {},
        "hedged": [],
        "settled": [],
        "edits": [],
    }


def report_of(state: EditState) -> GenerationReport:
    """The best version so far."""
    return GenerationReport.model_validate(state["report"])


def proposals_of(state: EditState) -> list[Proposal]:
    """The proposals of the round."""
    return [Proposal.model_validate(one) for one in state["proposals"]]


def edits_of(state: EditState) -> tuple[EditRecord, ...]:
    """What was proposed in all rounds, kept or not."""
    return tuple(EditRecord.model_validate(one) for one in state["edits"])


def attempts_at(state: EditState, sentence: str) -> tuple[Attempt, ...]:
    """Earlier proposals for a sentence that were not kept."""
    return tuple(Attempt(text, why) for text, why in state["rejected"].get(sentence, []))


def generation_of(report: GenerationReport) -> Generation:
    """The text of a report, with its topic as the knowledge source spells it."""
    topic = report.title or report.topic
    return Generation(report.text, topic, id=report.id, input=report.input, place=report.place)


def dump(record: Record) -> dict[str, Any]:
    """A record as JSON."""
    return record.model_dump(mode="json")
