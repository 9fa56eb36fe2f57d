"""What a check says: to the one who reads a failure, to JUnit, and to the section at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from factscore_chain.gate.wording import findings, name_of, outcome_lines, score_line, standing_lines
from factscore_chain.gate_outcome import GateOutcome
from factscore_chain.render import clean, percent
from factscore_chain.report import GenerationReport, Report


def failure(report: Report, outcome: GateOutcome) -> str:
    """Why the check does not hold: the outcome, then the facts."""
    first, *more = outcome_lines(report)
    facts = _of_one(report.generations[0]) if _is_single(report) else standing_lines(report)
    lines = [first, *report.rejected, *facts, *([] if _is_single(report) else more)]
    return "\n".join(clean(line) for line in lines)


def found_in(report: Report, outcome: GateOutcome) -> dict[str, Any]:
    """What the section at the end says of a check, as plain data."""
    return {
        "result": outcome.result,
        "score": f"score {percent(outcome.score)}, coverage {percent(report.coverage)}",
        "facts": [clean(line) for line in _facts(report)],
        "n_facts": report.counts.facts,
        "n_supported": report.counts.supported,
    }


def properties_of(report: Report, outcome: GateOutcome) -> Iterator[tuple[str, object]]:
    """Names and values for JUnit; a score that does not exist is left out."""
    yield "factscore_result", outcome.result
    if outcome.score is not None:
        yield "factscore", round(outcome.score, 4)
    if report.coverage is not None:
        yield "factscore_coverage", round(report.coverage, 4)
    yield "factscore_facts", report.counts.facts
    yield "factscore_supported", report.counts.supported


def _is_single(report: Report) -> bool:
    return len(report.generations) == 1 and not report.rejected


def _of_one(generation: GenerationReport) -> Iterator[str]:
    yield score_line(generation)
    yield from (f"   {words}" for _, words in findings(generation))
    yield from (f"   sentence {one.sentence + 1} not broken up: {one.cause}" for one in generation.failures)


def _facts(report: Report) -> Iterator[str]:
    for number, one in enumerate(report.generations, 1):
        name = "" if _is_single(report) else f"{name_of(number, one)} "
        yield from (f"{name}{words}" for _, words in findings(one))
