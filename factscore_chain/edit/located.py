"""The sentences of a scored text, each with the facts that it states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from factscore_chain.decompose.base import apart
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.spans import fact_span
from factscore_chain.edit.wording import content_stems
from factscore_chain.report import FactRecord, GenerationReport
from factscore_chain.values import AtomicFact, Sentence

_LEAST_SHARED = 0.6
"""Share of the words of a fact without a place that the sentence it is taken from must have."""


@dataclass(frozen=True)
class Stated:
    """A sentence and its facts; one that several sentences state stands with each, at its place there."""

    sentence: Sentence
    facts: tuple[FactRecord, ...] = ()


@dataclass(frozen=True)
class LocatedText:
    """A scored text sentence by sentence."""

    sentences: tuple[Stated, ...]
    topic: str | None = None
    """As the knowledge source spells it."""
    unplaced: tuple[FactRecord, ...] = ()
    """Facts that were given without their place, and are stated by no sentence in like words."""

    def around(self, index: int) -> list[str]:
        """A sentence, with the one before and the one after; empty where there is none."""
        places = range(index - 1, index + 2)
        known = range(len(self.sentences))
        return [self.sentences[place].sentence.text if place in known else "" for place in places]


def locate(report: GenerationReport) -> LocatedText:
    """Sorts the facts of a report by the sentences of its text that state them."""
    sentences = split_sentences(report.text)
    facts: list[list[FactRecord]] = [[] for _ in sentences]
    unplaced: list[FactRecord] = []
    for record in report.facts:
        for fact in apart(_placed(record, sentences, report.topic or ""), sentences):
            here = unplaced if fact.sentence is None else facts[fact.sentence]
            here.append(record.model_copy(update={"span": fact.span, "sentence": fact.sentence, "also": ()}))
    stated = tuple(Stated(one, tuple(found)) for one, found in zip(sentences, facts, strict=True))
    return LocatedText(stated, report.title or report.topic, tuple(unplaced))


def _placed(record: FactRecord, sentences: Sequence[Sentence], topic: str) -> AtomicFact:
    """The fact of a record; one that was given without its place is looked for by its words."""
    fact = AtomicFact(record.text, record.span, record.sentence, also=record.also)
    if record.span is not None or not sentences:
        return fact
    wanted = content_stems(fact.text) - content_stems(topic) or content_stems(fact.text)
    shared = [len(wanted & content_stems(one.text)) for one in sentences]
    best = max(sentences, key=lambda one: shared[one.index])
    if shared[best.index] < _LEAST_SHARED * len(wanted) or not wanted:
        return fact
    return replace(fact, span=fact_span(best, fact.text, topic))
