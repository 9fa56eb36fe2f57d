"""Asks a judge again, but only about facts whose verdict would turn the gate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from factscore_chain.aio import run_sync
from factscore_chain.errors import UsageError
from factscore_chain.fresh import FRESH
from factscore_chain.gate.checks import passes, values_of
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.repeats import is_supported, majority
from factscore_chain.gate.run_record import RunRecord
from factscore_chain.gate.scoring import assembled
from factscore_chain.report import FactRecord, GenerationReport, Report
from factscore_chain.score import Tally
from factscore_chain.values import AtomicFact, Claim, Verdict
from factscore_chain.verify.base import LocalVerifier, Verifier, decide
from factscore_chain.verify.ensemble import EnsembleVerifier

MOST_FLIPS = 3
"""Verdicts of one generation that may be wrong together; a gate that needs more to turn is taken as sure."""

FactPlace = tuple[int, int]
"""Place of a generation in its report, and of a fact in its generation."""


def decisive_facts(report: Report, criteria: Criteria) -> list[FactPlace]:
    """The facts of those generations on which the outcome hangs.

    A generation is one of them if the gate would say otherwise were up to `MOST_FLIPS` of its verdicts the
    other way: supported, where the gate fails now, and not supported, where it passes.
    """
    values = values_of(RunRecord.of(report), criteria)
    now = passes(values, criteria)
    found: list[FactPlace] = []
    for place, generation in enumerate(report.generations):
        facts = [number for number, fact in enumerate(generation.facts) if _may_flip(fact, now)]
        if generation.status == "scored" and facts:
            flips = min(MOST_FLIPS, len(facts))
            flipped = _flipped(generation.tally, -flips if now else flips)
            if passes(values.having(place, criteria.value(flipped)), criteria) is not now:
                found.extend((place, number) for number in facts)
    return found


def confirm(report: Report, verifier: Verifier, criteria: Criteria, repeats: int) -> Report:
    """Asks about each decisive fact again, and lets the majority of all answers stand.

    A tie leaves the first answer. What becomes decisive through changed verdicts is asked too. A call that
    fails is no answer. Neither LangChain's cache nor that of this package is read.

    Args:
        report: Without an outcome, or with one that is not used.
        verifier: The one that made the report's verdicts.
        criteria: Of the gate.
        repeats: Times that each fact is asked, 1 or more.

    Raises:
        UsageError: See `check_confirmable`.
        FatalModelError: The model cannot be used any more.
    """
    check_confirmable(verifier, repeats)
    while places := decisive_facts(report, criteria):
        report = _revised(report, dict(zip(places, _ask(report, places, verifier, repeats), strict=True)))
    return report


def check_confirmable(verifier: Verifier, repeats: int) -> None:
    """Finds out before the work whether a verifier can be asked again.

    Raises:
        UsageError: `repeats` is below 1, or the verifier computes, so that it could only repeat itself.
    """
    if repeats < 1:
        raise UsageError(
            f"A fact cannot be confirmed by {repeats} answers. Give 1 or more, best an even number."
        )
    inside = verifier.plain
    parts = inside.members if isinstance(inside, EnsembleVerifier) else (inside,)
    if not verifier.models and all(isinstance(one, LocalVerifier) for one in parts):
        raise UsageError(
            f"The verifier {verifier.verifier_name!r} computes its verdicts, so asking it again would only "
            "repeat them. Leave the confirmation out, or name an estimator that asks a model."
        )


def _may_flip(fact: FactRecord, now: bool) -> bool:
    # A fact that refers to nothing was never asked about, and one with answers was asked again already.
    asked_once = fact.verifier != "decomposition" and fact.verdict is not Verdict.FAILED and not fact.answers
    return asked_once and is_supported(fact) is now


def _flipped(counted: Tally, more: int) -> Tally:
    return replace(counted, supported=counted.supported + more)


def _ask(
    report: Report, places: Sequence[FactPlace], verifier: Verifier, repeats: int
) -> Iterator[FactRecord]:
    facts = [report.generations[generation].facts[number] for generation, number in places]
    claims = [
        _claim(fact, report.generations[generation])
        for fact, (generation, _) in zip(facts, places, strict=True)
    ]
    decisions = run_sync(decide(verifier, claims * repeats, FRESH))
    for number, fact in enumerate(facts):
        answers = (FactRecord.of(one) for one in decisions[number :: len(facts)])
        yield majority(fact, [one for one in answers if one.verdict is not Verdict.FAILED])


def _claim(fact: FactRecord, generation: GenerationReport) -> Claim:
    atomic = AtomicFact(fact.text, fact.span, fact.sentence, also=fact.also)
    return Claim(atomic, fact.passages, generation.title or generation.topic)


def _revised(report: Report, asked: Mapping[FactPlace, FactRecord]) -> Report:
    generations = list(report.generations)
    for place in {generation for generation, _ in asked}:
        old = generations[place]
        facts = tuple(asked.get((place, number), fact) for number, fact in enumerate(old.facts))
        generations[place] = old.model_copy(update={"facts": facts}).rescored(report.manifest.gamma)
    return assembled(tuple(generations), report.manifest, report.rejected)
