"""The report: one object with the scores, every fact with its evidence, and what made them.

This is where values become data that leaves the program, hence pydantic. Its JSON has no NaN: what has no
value is null.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pydantic import Field

from factscore_chain.beyond import Stated, f1_at_k, median_supported
from factscore_chain.gate_outcome import GateOutcome
from factscore_chain.records import FactRecord, PartRecord, RecallRecord, Record
from factscore_chain.score import Scores, Status, Tally, mean
from factscore_chain.values import DroppedFact, Place, SentenceFailure, Verdict

__all__ = [
    "Counts",
    "FactRecord",
    "GenerationReport",
    "Manifest",
    "PartRecord",
    "RecallRecord",
    "Record",
    "Report",
]


class GenerationReport(Record):
    """One generation: its status, its score, its facts."""

    id: str | None = None
    topic: str | None = None
    title: str | None = None
    """The knowledge source's own spelling of the topic."""
    input: str | None = None
    """The prompt, where the caller gave it."""
    place: Place | None = None
    """The line that the generation was read from."""
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
    informative_score: float | None = None
    """Precision times length penalty over the facts that are no padding; 0 if there is nothing else."""
    recall: RecallRecord | None = None
    """Which facts of its reference it states; null unless that was asked for."""
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
    def informative(self) -> tuple[FactRecord, ...]:
        """The facts without padding: supported ones that are trivial, or that a supported one says too.

        Facts that are not supported all stay: an error is none the less one for being repeated.
        """
        return tuple(fact for fact in self.facts if not self._is_padding(fact))

    def _is_padding(self, fact: FactRecord) -> bool:
        if fact.verdict is not Verdict.SUPPORTED:
            return False
        repeats = fact.repeats is not None and self.facts[fact.repeats].verdict is Verdict.SUPPORTED
        return fact.trivial or repeats

    @property
    def stated(self) -> Stated | None:
        """What F1@K counts; None where it could not be scored."""
        if self.status == "failed":
            return None
        verdicts = Counter(fact.verdict for fact in self.informative)
        supported = verdicts[Verdict.SUPPORTED]
        return Stated(supported, verdicts.total() - supported - verdicts[Verdict.IRRELEVANT])

    def rescored(self, gamma: float | None) -> GenerationReport:
        """The same with its figures computed from its facts, with this length penalty.

        Raises:
            UsageError: gamma is negative or not finite.
        """
        counted = self.tally
        return self.model_copy(
            update={
                "init_score": counted.precision,
                "score": counted.score(gamma),
                "coverage": counted.coverage,
                "informative_score": self._informative_score(gamma),
            }
        )

    def _informative_score(self, gamma: float | None) -> float | None:
        if self.status != "scored":
            return None
        kept = self.informative
        supported = sum(fact.verdict is Verdict.SUPPORTED for fact in kept)
        return Tally("scored", len(kept), supported).score(gamma) if kept else 0.0

    def f1_at(self, k: float) -> float | None:
        """Its F1@K (SAFE), 0 to 1; 0 if it does not answer, None where it could not be scored."""
        return None if self.stated is None else f1_at_k(self.stated, k)

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

    def to_html(self) -> str:
        """The generation as one page for a browser, with every fact marked in its text."""
        from factscore_chain.html import render_html

        return render_html(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from factscore_chain.html import render_compact

        return render_compact(self)


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
    sought: int = 0
    """Facts that were looked for again, after their first retrieval."""
    padding: int = 0
    """Supported facts that add nothing to their topic or to the facts beside them."""

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
            sought=sum(bool(fact.route) for one in generations for fact in one.facts),
            padding=sum(len(one.facts) - len(one.informative) for one in generations),
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
    f1_k: float | None = None
    """The K of F1@K that was asked for; null for the median."""
    abstain: str
    versions: dict[str, str]
    """Python and the packages that can change a result."""
    usage: dict[str, int]
    """Model calls and tokens; answers from the cache are counted apart, and are no calls."""
    cost: float | None = None
    """US dollars; null where a price is not known, 0 where no model was asked."""
    prices: str | None = None
    """Day of the table of prices that `cost` was reckoned by; null where no model was asked."""


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
    informative_score: float | None = None
    """The FActScore over facts that are no padding."""
    f1_at_k: float | None = None
    """Mean F1@K (SAFE) of all generations that could be judged, those without an answer counting 0."""
    f1_k: float | None = None
    """The K of it: as given, or the median number of supported facts of the answers."""
    recall: float | None = None
    """Mean share of a reference's facts that a generation states; null unless that was asked for."""
    counts: Counts
    generations: tuple[GenerationReport, ...]
    rejected: tuple[str, ...] = ()
    """Input rows that could not be read, one line each."""
    manifest: Manifest = Field(repr=False)
    gate: GateOutcome | None = None
    """What a gate said of it, where one was asked."""

    @classmethod
    def of(cls, generations: tuple[GenerationReport, ...], scores: Scores, manifest: Manifest) -> Report:
        """Puts a report together."""
        counts = Counts.of(generations)
        k = _median_k(generations) if manifest.f1_k is None else manifest.f1_k
        decided = counts.facts - counts.undecided - counts.failed
        return cls(
            score=scores.score,
            init_score=scores.init_score,
            respond_ratio=scores.respond_ratio,
            num_facts_per_response=scores.num_facts_per_response,
            coverage=decided / counts.facts if counts.facts else None,
            informative_score=mean(one.informative_score for one in generations),
            f1_at_k=None if k is None else mean(one.f1_at(k) for one in generations),
            f1_k=k,
            recall=mean(one.recall.recall for one in generations if one.recall),
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

    def to_html(self) -> str:
        """The report as one page for a browser; labels and edits go through `html.render_html`."""
        from factscore_chain.html import render_html

        return render_html(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from factscore_chain.html import render_compact

        return render_compact(self)

    def to_dict(self) -> dict[str, Any]:
        """The report in plain Python types."""
        return self.model_dump(mode="json")


def _median_k(generations: tuple[GenerationReport, ...]) -> float | None:
    answers = (one.stated for one in generations if one.status == "scored")
    return median_supported(stated for stated in answers if stated)
