"""What a strict run does not let pass: a topic without a page, and a fact without a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscore_chain.errors import (
    AmbiguousTitleError,
    FactScoreError,
    KnowledgeSourceError,
    TitleNotFoundError,
)
from factscore_chain.report import FactRecord, Report
from factscore_chain.retrieve import Retrieval
from factscore_chain.values import Generation, Verdict

_NAMED = 5
"""Topics that a message lists."""
_OPEN = frozenset({Verdict.UNDECIDED, Verdict.FAILED})
_NOT_CHECKABLE = "decomposition"
"""Who decides, in place of a verifier, that a fact refers to something its text does not name."""


class UnknownTopicsError(KnowledgeSourceError):
    """Generations have topics that name no page of the knowledge source, or several.

    Attributes:
        errors: For each such generation its place in the batch, from 0, and what is wrong with its topic.
    """

    def __init__(self, errors: Sequence[tuple[int, KnowledgeSourceError]], generations: int) -> None:
        self.errors = tuple(errors)
        named = [f"generation {place + 1}: {error}" for place, error in self.errors[:_NAMED]]
        more = len(self.errors) - len(named)
        super().__init__(
            f"Strict: {len(self.errors)} of {generations} generations have a topic that does not name one "
            f"page, and nothing was asked. {' '.join(named)}{f' And {more} more.' if more else ''}"
        )


class IncompleteError(FactScoreError):
    """Not everything of a strict run got its verdict; `report` holds what was done.

    Attributes:
        report: The whole report.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__(f"Strict: {_missing(report)}")


def check_topics(generations: Sequence[Generation], retrieval: Retrieval | None) -> None:
    """Looks every topic up before anything is asked.

    Raises:
        UnknownTopicsError: A topic names no page, or several.
    """
    if retrieval is None:
        return
    wrong = ((place, _wrong_topic(one.topic, retrieval)) for place, one in enumerate(generations))
    found = [(place, error) for place, error in wrong if error is not None]
    if found:
        raise UnknownTopicsError(found, len(generations))


def _wrong_topic(topic: str | None, retrieval: Retrieval) -> KnowledgeSourceError | None:
    try:
        retrieval.resolve(topic)
    except (TitleNotFoundError, AmbiguousTitleError) as error:
        return error
    return None


def check_complete(report: Report) -> None:
    """Requires that nothing failed and that each fact has a verdict, but for those that nobody can check.

    Raises:
        IncompleteError: Something is missing.
    """
    if not report.complete or any(_without_verdict(fact) for fact in report.facts):
        raise IncompleteError(report)


def _without_verdict(fact: FactRecord) -> bool:
    return fact.verdict in _OPEN and fact.verifier != _NOT_CHECKABLE


def _missing(report: Report) -> str:
    """What has no result, in numbers, and the first cause; no word of the texts."""
    facts = sum(map(_without_verdict, report.facts))
    lost = (
        (report.counts.unscored, f"of {report.counts.generations} generations could not be scored"),
        (report.counts.failed_sentences, "sentences could not be broken into facts"),
        (facts, f"of {len(report.facts)} facts got no verdict"),
    )
    said = ", ".join(f"{number} {what}" for number, what in lost if number)
    cause = next(_causes(report), None)
    return f"{said}.{f' First cause: {cause}' if cause else ''}"


def _causes(report: Report) -> Iterator[str]:
    for generation in report.generations:
        yield from (fact.cause for fact in generation.facts if _without_verdict(fact) and fact.cause)
        yield from (failure.cause for failure in generation.failures)
        if generation.status == "failed" and generation.error and not generation.facts:
            yield generation.error
