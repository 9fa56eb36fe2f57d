"""Finds the human labels of a report's facts in a labelled file."""

from __future__ import annotations

from factscore_chain.errors import UsageError
from factscore_chain.evals.labeled import LabeledFile
from factscore_chain.report import GenerationReport, Report
from factscore_chain.values import Verdict

_Key = tuple[str, str]


def labels_for(report: Report, labeled: LabeledFile) -> tuple[tuple[Verdict | None, ...], ...]:
    """For each generation of the report, the label of each fact; None where the file has none.

    A fact belongs to a label if topic and text are the same but for case and white space. Facts that people
    label both ways under one topic have no label.

    Raises:
        UsageError: No label belongs to any fact.
    """
    known = _by_fact(labeled)
    found = tuple(tuple(_label(known, one, fact.text) for fact in one.facts) for one in report.generations)
    if not any(label for row in found for label in row):
        raise UsageError(
            f"No label of {labeled.name} belongs to a fact of the report. Score the facts that people "
            'labelled: give them with the generation, as "facts".'
        )
    return found


def _by_fact(labeled: LabeledFile) -> dict[_Key, Verdict | None]:
    known: dict[_Key, Verdict | None] = {}
    for one in labeled.generations:
        for fact in one.facts:
            key = _key(one.topic, fact.text)
            known[key] = fact.label if known.get(key, fact.label) == fact.label else None
    return known


def _label(known: dict[_Key, Verdict | None], one: GenerationReport, text: str) -> Verdict | None:
    # The source may spell the topic in its own way.
    labels = (known.get(_key(topic, text)) for topic in (one.topic, one.title))
    return next((label for label in labels if label), None)


def _key(topic: str | None, text: str) -> _Key:
    return _plain(topic or ""), _plain(text)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
