"""What people say of the facts of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from factscore_chain.errors import UsageError
from factscore_chain.report import GenerationReport
from factscore_chain.values import Verdict

Labels: TypeAlias = Sequence[Sequence[Verdict | None] | None]
"""For each generation of the report, one label a fact, in order; None where nobody judged."""

_HUMAN = frozenset({Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT})


def aligned(
    generations: Sequence[GenerationReport], labels: Labels | None
) -> tuple[tuple[Verdict | None, ...], ...]:
    """The labels of every fact of every generation, None where there is none.

    Raises:
        UsageError: There are more or fewer labels than facts, or one is no verdict of a person.
    """
    if labels is None:
        return tuple((None,) * len(one.facts) for one in generations)
    if len(labels) != len(generations):
        raise UsageError(
            f"{len(labels)} lists of labels were given for {len(generations)} generations. "
            "Give one a generation."
        )
    return tuple(
        _row(number, len(one.facts), row)
        for number, (one, row) in enumerate(zip(generations, labels, strict=True), 1)
    )


def agrees(verdict: Verdict, label: Verdict) -> bool:
    """Whether both call the fact supported, or neither does (the paper's convention for irrelevant facts)."""
    return (verdict is Verdict.SUPPORTED) == (label is Verdict.SUPPORTED)


def _row(number: int, facts: int, row: Sequence[Verdict | None] | None) -> tuple[Verdict | None, ...]:
    if row is None:
        return (None,) * facts
    if len(row) != facts:
        raise UsageError(
            f"{len(row)} labels were given for the {facts} facts of generation {number}. "
            "Give one a fact, None where nobody judged."
        )
    for label in row:
        if label is not None and label not in _HUMAN:
            raise UsageError(
                f"{label!r} is no label (generation {number}). Give supported, not_supported or irrelevant."
            )
    return tuple(None if label is None else Verdict(label) for label in row)
