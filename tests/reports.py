"""Reports made by hand, for tests of what shows them."""

from __future__ import annotations

from factscore_chain.manifest import now, versions
from factscore_chain.report import FactRecord, GenerationReport, Manifest, Report
from factscore_chain.score import aggregate
from factscore_chain.values import AtomicFact, Decision, Passage, Span, Verdict

PASSAGE = Passage("p1", "Ada was born in London.", "Ada", rank=1, origins=("bm25",))
OTHER = Passage("p2", "Ada wrote notes.", "Ada", rank=2)
ADA = Span(0, 3)


def fact(
    verdict: Verdict, text: str = "Ada was born.", span: Span | None = ADA, **more: object
) -> FactRecord:
    """A fact with two passages; `more` goes into its decision."""
    values = {"verifier": "test", "passages": (PASSAGE, OTHER), **more}
    return FactRecord.of(Decision(AtomicFact(text, span, 0), verdict, **values))  # type: ignore[arg-type]


def generation(*facts: FactRecord, **more: object) -> GenerationReport:
    """A generation about Ada."""
    values = {"text": "Ada was born.", "topic": "Ada", "status": "scored", "facts": facts, **more}
    return GenerationReport.model_validate(values)


def report(*generations: GenerationReport) -> Report:
    """A report with the scores of its generations."""
    manifest = Manifest(
        created=now(),
        estimator="test",
        decomposer={},
        verifier={},
        knowledge={"name": "pages"},
        retriever={},
        gamma=10.0,
        abstain="default",
        versions=versions(),
        usage={"calls": 0},
    )
    return Report.of(generations, aggregate(one.tally for one in generations), manifest)
