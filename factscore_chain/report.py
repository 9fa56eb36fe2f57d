"""The report: one object with the scores, every fact with its evidence, and what made them.

This is where values become data that leaves the program, hence pydantic. Its JSON has no NaN: what has no
value is null.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.score import Scores, Status, Tally
from factscore_chain.values import Decision, DroppedFact, Passage, Reason, SentenceFailure, Span, Verdict


class Record(BaseModel):
    """Base of everything in a report."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PartRecord(Record):
    """What one member of an ensemble said."""

    verifier: str
    verdict: Verdict
    probability: float | None = None
    raw: str | None = None
    cause: str | None = None


class FactRecord(Record):
    """An atomic fact, its place in the generation, its verdict, and what the verdict rests on."""

    text: str
    span: Span | None = None
    """Characters of the generation, `text[start:end]`; null for facts given without their text."""
    sentence: int | None = None
    verdict: Verdict
    reason: Reason | None = None
    probability: float | None = None
    """Probability of being supported, 0 to 1, where the verifier has one."""
    verifier: str
    passages: tuple[Passage, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids among `passages`, the best first."""
    raw: str | None = None
    cause: str | None = None
    note: str | None = None
    parts: tuple[PartRecord, ...] = ()

    @classmethod
    def of(cls, decision: Decision) -> FactRecord:
        """Flattens a decision into its record."""
        return cls(
            text=decision.fact.text,
            span=decision.fact.span,
            sentence=decision.fact.sentence,
            verdict=decision.verdict,
            reason=decision.reason,
            probability=decision.probability,
            verifier=decision.verifier,
            passages=decision.passages,
            evidence=decision.evidence,
            raw=decision.raw,
            cause=decision.cause,
            note=decision.note,
            parts=tuple(
                PartRecord(
                    verifier=part.verifier,
                    verdict=part.verdict,
                    probability=part.probability,
                    raw=part.raw,
                    cause=part.cause,
                )
                for part in decision.parts
            ),
        )

    @property
    def best_passage(self) -> Passage | None:
        """The passage the verdict rests on, else the best that was retrieved."""
        by_id = {passage.id: passage for passage in self.passages}
        return by_id[self.evidence[0]] if self.evidence else next(iter(self.passages), None)


class GenerationReport(Record):
    """One generation: its status, its score, its facts."""

    id: str | None = None
    topic: str | None = None
    title: str | None = None
    """The knowledge source's own spelling of the topic."""
    text: str
    status: Status
    error: str | None = None
    """Why it has no score, or an incomplete one."""
    score: float | None = None
    """Precision times the length penalty."""
    init_score: float | None = None
    """Precision: supported facts / all facts."""
    coverage: float | None = None
    """Share of its facts that got a verdict."""
    facts: tuple[FactRecord, ...] = ()
    failures: tuple[SentenceFailure, ...] = ()
    """Sentences that could not be decomposed."""
    dropped: tuple[DroppedFact, ...] = ()
    """Facts of the decomposer's reply that its text does not bear out; they count nowhere."""

    @property
    def tally(self) -> Tally:
        """What the aggregate score needs to know of it."""
        verdicts = Counter(fact.verdict for fact in self.facts)
        decided = len(self.facts) - verdicts[Verdict.UNDECIDED] - verdicts[Verdict.FAILED]
        return Tally(self.status, len(self.facts), verdicts[Verdict.SUPPORTED], decided)

    @property
    def unsupported(self) -> tuple[FactRecord, ...]:
        """The facts found not supported or irrelevant."""
        return tuple(f for f in self.facts if f.verdict in {Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT})

    @property
    def complete(self) -> bool:
        """Whether everything that was to be asked was answered."""
        return (
            self.status != "failed"
            and not self.failures
            and all(fact.verdict is not Verdict.FAILED for fact in self.facts)
        )


class Counts(Record):
    """How many of what; the verdicts add up to `facts`."""

    generations: int = 0
    scored: int = 0
    abstained: int = 0
    no_facts: int = 0
    unscored: int = 0
    """Generations that could not be scored, or were rejected as input."""
    facts: int = 0
    supported: int = 0
    not_supported: int = 0
    irrelevant: int = 0
    undecided: int = 0
    failed: int = 0
    """Facts whose verifier could not be asked."""
    failed_sentences: int = 0
    dropped_facts: int = 0

    @classmethod
    def of(cls, generations: tuple[GenerationReport, ...], rejected: int = 0) -> Counts:
        """Counts what the generations hold."""
        statuses = Counter(generation.status for generation in generations)
        verdicts = Counter(fact.verdict.value for generation in generations for fact in generation.facts)
        return cls(
            generations=len(generations) + rejected,
            scored=statuses["scored"],
            abstained=statuses["abstained"],
            no_facts=statuses["no_facts"],
            unscored=statuses["failed"] + rejected,
            facts=verdicts.total(),
            failed_sentences=sum(len(generation.failures) for generation in generations),
            dropped_facts=sum(len(generation.dropped) for generation in generations),
            **verdicts,
        )


class Manifest(Record):
    """What made the report, so that it can be compared, repeated and trusted."""

    created: str
    """UTC, ISO 8601."""
    estimator: str
    decomposer: dict[str, str]
    verifier: dict[str, str]
    knowledge: dict[str, str | None]
    """Name, content hash and date of the knowledge source."""
    retriever: dict[str, str]
    gamma: float | None
    abstain: str
    versions: dict[str, str]
    """Python and the packages that can change a result."""
    usage: dict[str, int]
    """Model calls and tokens."""
    cost: float | None = None
    """US dollars; null where the price is not known, 0 where no paid model was asked."""


class Report(Record):
    """Scores over all generations (paper, section 3.1), with everything they rest on."""

    score: float | None
    """The FActScore: mean over scored generations of precision times length penalty."""
    init_score: float | None
    """The same without the length penalty."""
    respond_ratio: float | None
    """Share of generations that did not abstain."""
    num_facts_per_response: float | None
    coverage: float | None
    """Share of all facts that got a verdict: read every score beside it."""
    counts: Counts
    generations: tuple[GenerationReport, ...]
    rejected: tuple[str, ...] = ()
    """Input rows that could not be read, one line each."""
    manifest: Manifest = Field(repr=False)

    @classmethod
    def of(cls, generations: tuple[GenerationReport, ...], scores: Scores, manifest: Manifest) -> Report:
        """Puts a report together."""
        counts = Counts.of(generations)
        decided = counts.facts - counts.undecided - counts.failed
        return cls(
            score=scores.score,
            init_score=scores.init_score,
            respond_ratio=scores.respond_ratio,
            num_facts_per_response=scores.num_facts_per_response,
            coverage=decided / counts.facts if counts.facts else None,
            counts=counts,
            generations=generations,
            manifest=manifest,
        )

    @property
    def facts(self) -> tuple[FactRecord, ...]:
        """All facts, in order."""
        return tuple(fact for generation in self.generations for fact in generation.facts)

    @property
    def unsupported(self) -> tuple[FactRecord, ...]:
        """The facts found not supported or irrelevant, in order."""
        return tuple(fact for generation in self.generations for fact in generation.unsupported)

    @property
    def complete(self) -> bool:
        """Whether no row was rejected, no generation failed, and no fact or sentence was lost."""
        return not self.rejected and all(generation.complete for generation in self.generations)

    def with_rejected(self, rejected: tuple[str, ...]) -> Report:
        """The same report, with input rows that could not be read counted as unscored."""
        return self.model_copy(
            update={"rejected": rejected, "counts": Counts.of(self.generations, len(rejected))}
        )

    def to_json(self) -> str:
        """The report as one JSON object."""
        return self.model_dump_json(indent=2)

    def to_markdown(self) -> str:
        """The report for people: a table of generations, then the unsupported facts."""
        from factscore_chain.render import markdown

        return markdown(self)

    def to_dict(self) -> dict[str, Any]:
        """The report in plain Python types."""
        return self.model_dump(mode="json")
