"""Reports of a wanted shape, for tests of what judges, compares and shows them."""

from __future__ import annotations

from typing import Any

from factscore_chain.gate.run_record import RunRecord
from factscore_chain.gate.scoring import assembled
from factscore_chain.report import FactRecord, GenerationReport, Manifest, Report
from factscore_chain.values import AtomicFact, Decision, Passage, Place, Span, Verdict

LETTERS = {
    "S": Verdict.SUPPORTED,
    "N": Verdict.NOT_SUPPORTED,
    "I": Verdict.IRRELEVANT,
    "U": Verdict.UNDECIDED,
    "F": Verdict.FAILED,
}
PASSAGE = Passage("p1", "Ada Lovelace was born in London.", "Ada Lovelace", rank=1, origins=("bm25",))


def manifest(**more: Any) -> Manifest:
    values: dict[str, Any] = {
        "created": "2026-01-02T03:04:05+00:00",
        "estimator": "test",
        "decomposer": {"kind": "sentences"},
        "verifier": {"kind": "words"},
        "knowledge": {"name": "pages", "content_hash": "abc"},
        "retriever": {"kind": "bm25"},
        "gamma": None,
        "abstain": "default",
        "versions": {"factscore-chain": "0.1.0"},
        "usage": {"calls": 0},
    }
    return Manifest(**{**values, **more})


def fact(letter: str, text: str = "Ada was born in Paris.") -> FactRecord:
    verdict = LETTERS[letter]
    decision = Decision(AtomicFact(text, Span(0, len(text)), 0), verdict, "test", passages=(PASSAGE,))
    return FactRecord.of(decision)


def generation(letters: str, **more: Any) -> GenerationReport:
    """A generation with a fact for each letter; "" states none, "-" abstained, "!" failed."""
    status = {"": "no_facts", "-": "abstained", "!": "failed"}.get(letters, "scored")
    facts = tuple(
        fact(letter, f"Fact {n}.") for n, letter in enumerate(letters if status == "scored" else "")
    )
    values = {"text": "Ada was born.", "status": status, "facts": facts, **more}
    return GenerationReport.model_validate(values).rescored(None)


def report(*letters: str, rejected: tuple[str, ...] = (), **more: Any) -> Report:
    """A report on generations about topics "T1", "T2", ..., each read from its line of rows.jsonl."""
    made = tuple(
        generation(one, topic=f"T{number}", place=Place("rows.jsonl", number))
        for number, one in enumerate(letters, 1)
    )
    return assembled(made, manifest(**more), rejected)


def run(*letters: str, **more: Any) -> RunRecord:
    """The counts of such a report."""
    return RunRecord.of(report(*letters, **more))
