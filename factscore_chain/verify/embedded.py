"""The embedded verifier: no key, no GPU, no network; models that ship with the package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pydantic import Field

from factscore_chain.values import Claim, Decision, Passage, Reason, Verdict
from factscore_chain.verify.base import LocalVerifier
from factscore_chain.verify.support import Read, Support


@lru_cache(maxsize=1)
def shared_support() -> Support:
    """The shipped models, loaded once a process."""
    return Support()


class EmbeddedVerifier(LocalVerifier):
    """Decides by token alignment and a cross-encoder of MiniLM's size, joined and calibrated.

    The nonparametric check of the paper (section 4.1), learned, and a reader of contradictions beside it.
    Deterministic on one machine.
    """

    threshold: float | None = Field(default=None, ge=0, le=1)
    """Probability from which a fact counts as supported; None takes the shipped defaults.

    There are two: one for facts about a known subject (a topic, or the title of a page in the fact), and one
    for claims of which nobody says whom they are about.
    """

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        return "embedded"

    @property
    def identity(self) -> dict[str, str]:
        """What decides, for the report's manifest."""
        known, free = (f"{self._limit(free=free):g}" for free in (False, True))
        limits = {"threshold": known} if known == free else {"threshold": known, "threshold_free": free}
        return {"kind": "embedded", "model": shared_support().head.version, **limits}

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Loads the models and encodes the passages, which are then kept for the facts to come."""
        support = shared_support()
        support.reader.evidence([[passage.text for passage in passages]])
        support.head  # noqa: B018  loaded by being asked for

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        support = shared_support()
        reads = support.read(values)
        probabilities = iter(support.probabilities([read for read in reads if read]))
        return [
            self._decision(claim, read, next(probabilities)) if read else self._without_evidence(claim)
            for claim, read in zip(values, reads, strict=True)
        ]

    def _limit(self, *, free: bool) -> float:
        if self.threshold is not None:
            return self.threshold
        return shared_support().head.default_threshold(free=free)

    def _decision(self, claim: Claim, read: Read, probability: float) -> Decision:
        supported = probability >= self._limit(free=read.free)
        return Decision(
            claim.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            probability=probability,
            reason=None if supported else _reason(read),
            passages=claim.passages,
            evidence=tuple(claim.passages[number].id for number in read.passages),
            note=_conflict(claim, read) if supported else None,
        )

    def _without_evidence(self, claim: Claim) -> Decision:
        if any(letter.isalnum() for letter in claim.fact.text):
            return Decision(
                claim.fact,
                Verdict.NOT_SUPPORTED,
                self.verifier_name,
                probability=0.0,
                reason="no_evidence",
                passages=claim.passages,
            )
        return Decision(
            claim.fact,
            Verdict.UNDECIDED,
            self.verifier_name,
            passages=claim.passages,
            cause="the fact holds no word",
        )


def _conflict(claim: Claim, read: Read) -> str | None:
    """Which passages say otherwise than the one that supports the fact."""
    renamed = [number for number in read.renamed if number not in read.against]
    notes = (
        (read.against, "The passages disagree: {} says otherwise."),
        (renamed, "The passages may disagree: {} has another name in its place."),
    )
    said = [
        note.format(", ".join(repr(claim.passages[n].id) for n in numbers))
        for numbers, note in notes
        if numbers
    ]
    return " ".join(said) or None


def _reason(read: Read) -> Reason:
    return "contradicted" if read.contradicted else "no_evidence"
