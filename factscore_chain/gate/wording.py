"""How a gate's outcome is told to people, in plain lines without marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from factscore_chain.gate_outcome import Comparison, GateOutcome, Repeats
from factscore_chain.render import excerpt, percent, verdict_words
from factscore_chain.report import FactRecord, GenerationReport, Report
from factscore_chain.values import Verdict

Standing = Literal["passed", "failed", "incomplete", "skipped"]

NOT_JUDGED = "No requirement was set."
MOST_FINDINGS = 5
"""Facts of a generation that are named on a terminal; files hold all."""


def verdict_line(outcome: GateOutcome) -> str:
    """The one line that says whether the gate is open, and why not."""
    if outcome.result == "passed":
        return "Gate passed."
    if outcome.result == "incomplete":
        return f"Gate incomplete: something was lost of {outcome.incomplete} generations or rows."
    return f"Gate failed: {'; '.join(check.text for check in outcome.checks if not check.passed)}."


def outcome_lines(report: Report) -> list[str]:
    """The outcome with every figure it rests on, a line each."""
    outcome = report.gate
    if outcome is None:
        return [NOT_JUDGED]
    return [
        verdict_line(outcome),
        *_incomplete(outcome),
        *(f"{'met' if check.passed else 'NOT met'}: {check.text}" for check in outcome.checks),
        f"score {percent(outcome.score)}{_interval(outcome.interval)} ({outcome.reads}), "
        f"coverage {percent(report.coverage)}",
        f"respond ratio {percent(report.respond_ratio)}, "
        f"facts per response {number(report.num_facts_per_response)}",
        f"{percent(outcome.pass_rate)} of the generations that count reach {percent(outcome.threshold)}",
        *([] if outcome.comparison is None else comparison_lines(outcome.comparison)),
        *([] if outcome.repeats is None else [_repeats(outcome.repeats)]),
        *(f"warning: {warning}" for warning in outcome.warnings),
    ]


def comparison_lines(comparison: Comparison) -> list[str]:
    """How two runs differ, with what the difference is worth."""
    gap, interval = comparison.difference, comparison.interval
    if gap is None:
        return [f"no generation has a score in both runs ({comparison.unpaired} left out)"]
    between = "" if interval is None else f", 95% interval {points(interval[0])} to {points(interval[1])}"
    p_value = "no p-value" if comparison.p_value is None else f"p = {comparison.p_value:.3g}"
    return [
        f"difference {points(gap)} on {comparison.pairs} generations matched by {comparison.matched_by}"
        f"{between}, {p_value}",
        _detectable(comparison),
    ]


def points(gap: float) -> str:
    """A difference of shares in points of a hundred, with its sign."""
    return f"{100 * gap:+.1f} points"


def number(value: float | None) -> str:
    """A number with one decimal; "-" where there is none."""
    return "-" if value is None else f"{value:.1f}"


def name_of(number: int, generation: GenerationReport) -> str:
    """What a generation is called: its number, and its id or topic or prompt."""
    name = generation.id or generation.topic or generation.input
    return f"{number}. {name}" if name else f"{number}."


def standing(number: int, generation: GenerationReport, outcome: GateOutcome | None) -> Standing:
    """Where one generation stands; it is no failure where the gate as a whole passed."""
    closed = outcome is not None and not outcome.passed
    if not generation.complete:
        return "incomplete" if closed or outcome is None else "skipped"
    if outcome is not None and number in outcome.below:
        return "failed" if closed else "passed"
    return "passed" if generation.status == "scored" else "skipped"


def score_line(generation: GenerationReport) -> str:
    """A generation's score with what it rests on."""
    counted = generation.tally
    if counted.status != "scored":
        return generation.status.replace("_", " ") + (f": {generation.error}" if generation.error else "")
    return (
        f"score {percent(generation.score)}, {counted.supported} of {counted.facts} facts supported, "
        f"coverage {percent(generation.coverage)}"
    )


def standing_lines(report: Report) -> Iterator[str]:
    """The generations for which the gate is closed, each with the first facts that are not supported."""
    for number, one in enumerate(report.generations, 1):
        if standing(number, one, report.gate) in {"failed", "incomplete"}:
            place = "" if one.place is None else f" ({one.place.file}, line {one.place.line})"
            yield f"{name_of(number, one)}{place}: {score_line(one)}"
            found = [words for _, words in findings(one)]
            yield from (f"   {words}" for words in found[:MOST_FINDINGS])
            if len(found) > MOST_FINDINGS:
                yield f"   ... and {len(found) - MOST_FINDINGS} more"


def findings(generation: GenerationReport) -> Iterator[tuple[FactRecord, str]]:
    """Each fact that is not supported, and its verdict with the best passage in words."""
    for fact in generation.facts:
        if fact.verdict is not Verdict.SUPPORTED:
            passage = fact.best_passage
            best = (
                "no passage" if passage is None else _quoted(passage.title or passage.id, passage.text, fact)
            )
            yield fact, f"{verdict_words(fact)}: {fact.text} [{fact.cause or best}]"


def _quoted(title: str, text: str, fact: FactRecord) -> str:
    return f"{title}: {excerpt(text, fact.text)}"


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f", 95% interval {percent(interval[0])} to {percent(interval[1])}"


def _incomplete(outcome: GateOutcome) -> Iterator[str]:
    if outcome.incomplete:
        yield (
            f"{outcome.incomplete} generations or rows are incomplete; those without a score count as 0 "
            f"({outcome.allowed_incomplete} allowed)"
        )


def _detectable(comparison: Comparison) -> str:
    if comparison.detectable is None:
        return "too little varies to say how small a difference could have been seen"
    return (
        f"the smallest true difference that 80% of such comparisons would show at p < "
        f"{comparison.significance:g} is {100 * comparison.detectable:.1f} points"
    )


def _repeats(repeats: Repeats) -> str:
    return (
        f"asked again: {repeats.facts} facts that decide the outcome, {repeats.answers} answers, "
        f"{percent(repeats.agreement)} as before, {repeats.changed} verdicts changed"
    )
