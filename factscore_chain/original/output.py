"""What goes into and comes out of the original's `get_score`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypedDict

from factscore_chain.errors import UsageError
from factscore_chain.report import GenerationReport, Report
from factscore_chain.score import Tally, aggregate
from factscore_chain.values import Generation, Verdict


class AtomDecision(TypedDict):
    """The decision on one fact."""

    atom: str
    is_supported: bool


class _Always(TypedDict):
    score: float | None
    respond_ratio: float | None
    decisions: list[Any]
    """For each generation a list of `AtomDecision`, or None if it was not scored."""
    num_facts_per_response: float | None


class Output(_Always, total=False):
    """The original's output, in plain Python types; what is undefined is None."""

    init_score: float | None
    """Only with a length penalty: the score without it."""


def checked_items(topics: Any, generations: Any, atomic_facts: Any) -> list[Generation | None]:
    """One generation for each item; None for one that is said to have abstained.

    Raises:
        UsageError: Types or lengths do not fit.
    """
    if isinstance(topics, str) and isinstance(generations, str):
        topics, generations = [topics], [generations]
    texts = {"topics": topics, "generations": generations}
    for name, given in texts.items():
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise UsageError(
                f"{name} is {_kind(given)}. Give topics and generations both as a text, or both as a list of "
                "texts."
            )
    if len(topics) != len(generations):
        raise UsageError(f"There are {len(topics)} topics for {len(generations)} generations. Give one each.")
    facts = [None] * len(topics) if atomic_facts is None else _checked_facts(atomic_facts, len(topics))
    return [
        None if atomic_facts is not None and given is None else Generation(text, topic, given)
        for topic, text, given in zip(topics, generations, facts, strict=True)
    ]


def _checked_facts(atomic_facts: Any, wanted: int) -> list[tuple[str, ...] | None]:
    if not isinstance(atomic_facts, list):
        raise UsageError(f"atomic_facts is {_kind(atomic_facts)}. Give a list with a list of facts an item.")
    if len(atomic_facts) != wanted:
        raise UsageError(
            f"There are facts of {len(atomic_facts)} items for {wanted} topics. Give one list each."
        )
    return [_facts_of(given) for given in atomic_facts]


def _facts_of(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, (list, tuple)) or not all(isinstance(fact, str) for fact in given):
        raise UsageError(
            f"The facts of an item are {_kind(given)}. Give a list of texts, or None if it abstained."
        )
    return tuple(given)


def _kind(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        kinds = sorted({type(one).__name__ for one in value})
        return f"a {type(value).__name__} of {', '.join(kinds) or 'nothing'}"
    return f"of type {type(value).__name__}"


def as_output(items: Sequence[Generation | None], report: Report, gamma: float) -> Output:
    """The original's dictionary of a report; items that are None count as abstained."""
    reports = iter(report.generations)
    aligned = [None if item is None else next(reports) for item in items]
    scores = aggregate((_tally(one) for one in aligned), gamma)
    out = Output(
        score=scores.score,
        respond_ratio=scores.respond_ratio,
        decisions=[_decisions(one) for one in aligned],
        num_facts_per_response=scores.num_facts_per_response,
    )
    if gamma:
        out["init_score"] = scores.init_score
    return out


def _tally(report: GenerationReport | None) -> Tally:
    return Tally("abstained") if report is None else report.tally


def _decisions(report: GenerationReport | None) -> list[AtomDecision] | None:
    if report is None or report.status != "scored":
        return None
    return list(_atoms(report))


def _atoms(report: GenerationReport) -> Iterator[AtomDecision]:
    for fact in report.facts:
        yield AtomDecision(atom=fact.text, is_supported=fact.verdict is Verdict.SUPPORTED)
