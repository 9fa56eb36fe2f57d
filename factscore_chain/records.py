"""The parts of a report: facts with what they rest on, and what a reference says beside them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from factscore_chain.values import AtomicFact, Decision, Look, Padding, Passage, Reason, Span, Verdict

_NO_PADDING = Padding()


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
    also: tuple[Span, ...] = ()
    """Where else the generation states it, in like words."""
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
    route: tuple[Look, ...] = ()
    """Looks after the first retrieval, where evidence was sought further."""
    trivial: bool = False
    """Whether it only restates the topic, such as "X is a person"."""
    repeats: int | None = None
    """Number, from 0, of the fact among these that says all that it says."""
    answers: tuple[Verdict, ...] = ()
    """Where the verifier was asked again, all its verdicts in order; `verdict` is what most of them say."""

    @classmethod
    def of(cls, decision: Decision, adds: Padding = _NO_PADDING) -> FactRecord:
        """Flattens a decision into its record, with what it adds to the facts beside it."""
        return cls(
            text=decision.fact.text,
            span=decision.fact.span,
            sentence=decision.fact.sentence,
            also=decision.fact.also,
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
            route=decision.route,
            trivial=adds.trivial,
            repeats=adds.repeats,
        )

    @property
    def decision(self) -> Decision:
        """The decision that the record was made of, as far as it is kept."""
        fact = AtomicFact(self.text, self.span, self.sentence, also=self.also)
        return Decision(
            fact,
            self.verdict,
            self.verifier,
            self.probability,
            self.reason,
            self.passages,
            self.evidence,
            self.raw,
            self.cause,
            self.note,
            tuple(
                Decision(fact, part.verdict, part.verifier, part.probability, raw=part.raw, cause=part.cause)
                for part in self.parts
            ),
            self.route,
        )

    @property
    def best_passage(self) -> Passage | None:
        """The passage the verdict rests on, else the best that was retrieved."""
        by_id = {passage.id: passage for passage in self.passages}
        return by_id[self.evidence[0]] if self.evidence else next(iter(self.passages), None)


class RecallRecord(Record):
    """Which facts of a reference text the generation states."""

    source: str
    """"reference" for a text that came with the generation, else the title of the page."""
    recall: float | None = None
    """Stated facts / all facts of the reference that were looked for, 0 to 1."""
    stated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Facts that the generation does not state, or states otherwise."""
    undecided: tuple[str, ...] = ()
    """Facts on which the verifier gave no verdict; they count as not stated."""
    facts_left_out: bool = False
    """Whether the reference goes on after the facts that were looked for."""
    error: str | None = None
    """Why there is no recall."""
