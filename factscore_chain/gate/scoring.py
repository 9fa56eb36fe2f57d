"""Scores generations for a gate: what is finished already is taken as it is, and the report put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from factscore_chain.chain import FactScoreChain
from factscore_chain.gate.finished import content_key
from factscore_chain.report import GenerationReport, Manifest, Report
from factscore_chain.score import aggregate
from factscore_chain.strict import IncompleteError, check_complete, check_topics
from factscore_chain.values import Generation

OnDone = Callable[[GenerationReport], object]
OnPlace = Callable[[int, GenerationReport], object]


class ScoreMany(Protocol):
    """Scores generations: the method of a chain, or what does the same elsewhere."""

    def __call__(
        self, generations: Sequence[Generation], *, on_result: Callable[[int, GenerationReport], object]
    ) -> Report:
        """The report on all; `on_result` is called with number and report of each as it is finished."""


class Keeper(Protocol):
    """Keeps generations as soon as they are scored: a `Journal`, a `RunStore`."""

    def add(self, key: str, report: GenerationReport) -> None:
        """Keeps a generation under its content key."""


def score_rows(
    chain: FactScoreChain,
    generations: Sequence[Generation],
    *,
    finished: Mapping[str, GenerationReport] | None = None,
    journal: Keeper | None = None,
    on_done: OnDone | None = None,
    on_place: OnPlace | None = None,
    score_many: ScoreMany | None = None,
) -> Report:
    """Scores what is not finished yet, and reports on all.

    Args:
        chain: Scores them.
        generations: In the order of the report.
        finished: Earlier reports by content key; what is in there is not asked again.
        journal: Keeps each generation that is scored now.
        on_done: Called with the report of each generation, the finished ones first.
        on_place: The same, with its place in `generations` before it.
        score_many: What scores in place of the chain's own method.

    Raises:
        FatalModelError: A model cannot be used at all, and nothing could be scored with it.
        UnknownTopicsError: The chain is strict, and a topic names no page; nothing was asked.
        IncompleteError: The chain is strict, and something is missing; it holds the report on all.
    """
    if chain.strict:
        check_topics(generations, chain.scorer.retrieval)
    manifest = chain.manifest
    keys = [content_key(one, manifest, chain.scorer.recall) for one in generations]
    known = {key: found for key in keys if (found := (finished or {}).get(key)) is not None}
    earlier = {
        place: _as_asked(known[key], generations[place], manifest.gamma)
        for place, key in enumerate(keys)
        if key in known
    }

    def done(place: int, report: GenerationReport) -> None:
        if on_done is not None:
            on_done(report)
        if on_place is not None:
            on_place(place, report)

    for place, report in earlier.items():
        done(place, report)
    open_places = [place for place in range(len(keys)) if place not in earlier]

    def keep(index: int, report: GenerationReport) -> None:
        if journal is not None:
            journal.add(keys[open_places[index]], report)
        done(open_places[index], report)

    score = chain.score_many if score_many is None else score_many
    try:
        scored = score([generations[place] for place in open_places], on_result=keep)
    except IncompleteError as error:
        scored = error.report
    fresh = dict(zip(open_places, scored.generations, strict=True))
    reports = tuple(fresh[place] if place in fresh else earlier[place] for place in range(len(keys)))
    whole = assembled(reports, scored.manifest)
    if chain.strict:
        check_complete(whole)
    return whole


def assembled(
    generations: tuple[GenerationReport, ...], manifest: Manifest, rejected: tuple[str, ...] = ()
) -> Report:
    """A report whose scores and counts are those of the generations."""
    scores = aggregate((one.tally for one in generations), manifest.gamma)
    return Report.of(generations, scores, manifest).with_rejected(rejected)


def _as_asked(report: GenerationReport, generation: Generation, gamma: float | None) -> GenerationReport:
    """An earlier report under the names that the row has now, and with the penalty that is asked for now."""
    return report.model_copy(
        update={"id": generation.id, "input": generation.input, "place": generation.place}
    ).rescored(gamma)
