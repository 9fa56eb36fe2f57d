"""The head of a report: its figures with what they mean, its counts, and what made it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from factscore_chain.html.visible import visible
from factscore_chain.render import percent
from factscore_chain.report import Counts, GenerationReport, Manifest, Report
from factscore_chain.values import Verdict


class Figure(NamedTuple):
    """A number, its name, and how it is to be read."""

    name: str
    value: str
    meaning: str


class VerdictCount(NamedTuple):
    """How many facts have a verdict, and where their part of a bar from 0 to 100 begins."""

    verdict: str
    facts: int
    start: float
    length: float


@dataclass(frozen=True)
class Summary:
    """What stands above the generations."""

    figures: tuple[Figure, ...]
    """The score first."""
    verdicts: tuple[VerdictCount, ...]
    facts: int
    notes: tuple[str, ...]
    """What a reader must know before trusting the figures."""
    made_by: tuple[tuple[str, str], ...]


def summary_of(report: Report | GenerationReport) -> Summary:
    """The head of a whole report, or of one generation."""
    if isinstance(report, Report):
        return Summary(
            _figures(report),
            _verdicts(report.counts),
            report.counts.facts,
            _notes(report),
            _made_by(report.manifest),
        )
    counts = Counts.of((report,))
    return Summary(_own_figures(report), _verdicts(counts), counts.facts, _count_notes(counts), ())


def _figures(report: Report) -> tuple[Figure, ...]:
    counts, per_response = report.counts, report.num_facts_per_response
    decided = counts.facts - counts.undecided - counts.failed
    # Rejected rows are no generations of which it could be told whether they answer.
    given = len(report.generations)
    answered = given - counts.abstained - counts.no_facts
    return (
        Figure("FActScore", percent(report.score), f"mean over {_some(counts.scored, 'scored generation')}"),
        Figure("without length penalty", percent(report.init_score), "share of facts supported"),
        Figure("coverage", percent(report.coverage), f"{decided:,} of {_some(counts.facts, 'fact')} decided"),
        Figure(
            "respond ratio",
            percent(report.respond_ratio),
            f"{answered:,} of {_some(given, 'generation')} answered",
        ),
        Figure(
            "facts per response",
            "-" if per_response is None else f"{per_response:.1f}",
            f"{_some(counts.facts, 'fact')} in all",
        ),
        *_beyond_precision(report),
    )


def _beyond_precision(report: Report) -> Iterator[Figure]:
    k = report.manifest.f1_k
    if k is not None:
        yield Figure(f"F1@{k:g}", percent(report.f1_at_k), f"of a full answer of {k:g} supported facts")
    if any(one.recall for one in report.generations):
        yield Figure("recall", percent(report.recall), "of the facts of a reference stated")


def _own_figures(report: GenerationReport) -> tuple[Figure, ...]:
    tally = report.tally
    return (
        Figure("FActScore", percent(report.score), f"status: {report.status.replace('_', ' ')}"),
        Figure(
            "without length penalty",
            percent(report.init_score),
            f"{tally.supported:,} of {_some(tally.facts, 'fact')} supported",
        ),
        Figure(
            "coverage", percent(report.coverage), f"{tally.decided:,} of {_some(tally.facts, 'fact')} decided"
        ),
    )


def _verdicts(counts: Counts) -> tuple[VerdictCount, ...]:
    found, before = [], 0
    for verdict in Verdict:
        count = getattr(counts, verdict.value)
        whole = counts.facts or 1
        found.append(VerdictCount(verdict.value, count, 100 * before / whole, 100 * count / whole))
        before += count
    return tuple(found)


def _notes(report: Report) -> tuple[str, ...]:
    rejected = tuple(f"Rejected row: {visible(row)}" for row in report.rejected)
    return (*_count_notes(report.counts), *rejected)


def _count_notes(counts: Counts) -> tuple[str, ...]:
    notes = (
        (counts.undecided + counts.failed, "fact", "Counted as not supported: {} without a verdict."),
        (counts.abstained, "generation", "Without a score: {} that abstained."),
        (counts.no_facts, "generation", "Without a score: {} with no fact in it."),
        (counts.unscored, "generation", "Without a score: {} that could not be scored."),
        (counts.failed_sentences, "sentence", "Not checked: {} that could not be broken into facts."),
        (counts.padding, "supported fact", "Adding nothing to the topic or the facts beside: {}."),
        (counts.dropped_facts, "fact", "Left out: {} of the decomposer's that the text does not state."),
    )
    return tuple(note.format(_some(count, noun)) for count, noun, note in notes if count)


def _made_by(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace("_", " "), visible(_said(value))) for name, value in manifest)


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {one}" for key, one in value.items() if one is not None) or "none"
    return "not known" if value is None else str(value)


def _some(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
