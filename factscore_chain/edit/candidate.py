"""A text with some of its sentences edited, and the report on it, put together from what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from factscore_chain.decompose.base import sentence_at
from factscore_chain.decompose.distinct import distinct
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.edit.located import LocatedText
from factscore_chain.edit.naming import Naming
from factscore_chain.edit.numbering import renumbered
from factscore_chain.edit.splice import Replacement, Spliced, splice
from factscore_chain.edit.state import Proposal, generation_of
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.report import FactRecord, GenerationReport
from factscore_chain.values import Decision, Decomposition, DroppedFact, Sentence, SentenceFailure, Span


def spliced(text: LocatedText, whole: str, proposals: Sequence[Proposal]) -> Spliced:
    """The text with these proposals made; they come in the order of their sentences."""
    return splice(
        whole,
        [
            Replacement(text.sentences[p.sentence].sentence.span, p.text)
            for p in proposals
            if p.text is not None
        ],
    )


@dataclass(frozen=True)
class Rewritten:
    """A text after a round: what was kept of it, and where everything stands now."""

    old: LocatedText
    kept: Sequence[Proposal]
    new: Spliced
    """The text with the kept proposals."""
    named: Spliced
    """The same with names in the place of pronouns whose sentence was dropped, and lists counted anew."""
    sentences: tuple[Sentence, ...]

    @classmethod
    def of(
        cls, old: LocatedText, whole: str, kept: Sequence[Proposal], names: Sequence[Naming] = ()
    ) -> Rewritten:
        """Makes the kept proposals, then puts names in the place of pronouns."""
        new = spliced(old, whole, kept)
        edited = {p.sentence: span for p, span in zip(kept, new.spans, strict=True)}
        places = []
        for one in names:
            stands = edited.get(one.sentence) or new.moved(old.sentences[one.sentence].sentence.span)
            place = Span(stands.start + one.span.start, stands.start + one.span.end)
            places.append(Replacement(place, one.text))
        spans = [stated.sentence.span for stated in old.sentences]
        places = sorted([*places, *renumbered(whole, new, spans)], key=lambda one: one.span.start)
        named = splice(new.text, places)
        return cls(old, kept, new, named, split_sentences(named.text))

    @property
    def text(self) -> str:
        """The rewritten text."""
        return self.named.text

    @property
    def places(self) -> tuple[Span, ...]:
        """Where each kept proposal stands in `text`; empty where a sentence was dropped."""
        return tuple(map(self.named.moved, self.new.spans))

    def decisions(self) -> list[Decision]:
        """The decisions on all facts of the new text in the order of their places, each fact once."""
        edited = {p.sentence for p in self.kept}
        placed = [
            self._placed(fact, fact.span and self.new.moved(fact.span))
            for stated in self.old.sentences
            if stated.sentence.index not in edited
            for fact in stated.facts
        ]
        for proposal, span in zip(self.kept, self.new.spans, strict=True):
            shift = span.start - (proposal.span.start if proposal.span else span.start)
            placed += [self._placed(fact, _shifted(fact.span, shift)) for fact in proposal.facts]
        placed.sort(key=lambda one: one.fact.span.start if one.fact.span else len(self.text))
        placed += [self._placed(fact, None) for fact in self.old.unplaced]
        by_text = {one.fact.text: one for one in reversed(placed)}
        return [replace(by_text[fact.text], fact=fact) for fact in distinct(one.fact for one in placed)]

    def _placed(self, record: FactRecord, span: Span | None) -> Decision:
        """The decision with its place, given the one before names were put in."""
        span = span and self.named.moved(span)
        sentence = None if span is None else sentence_at(span, self.sentences)
        decision = record.decision
        return replace(decision, fact=replace(decision.fact, span=span, sentence=sentence))

    def still_true(self, old: GenerationReport) -> tuple[list[SentenceFailure], list[DroppedFact]]:
        """The troubles of decomposition in sentences that stayed, with their sentences' new numbers."""
        places = {
            stated.sentence.index: sentence_at(
                self.named.moved(self.new.moved(stated.sentence.span)), self.sentences
            )
            for stated in self.old.sentences
            if stated.sentence.index not in {p.sentence for p in self.kept}
        }
        failures = [(one, places.get(one.sentence)) for one in old.failures]
        dropped = [(one, places.get(one.sentence)) for one in old.dropped]
        return (
            [replace(one, sentence=now) for one, now in failures if now is not None],
            [replace(one, sentence=now) for one, now in dropped if now is not None],
        )


def report_on(scorer: GenerationScorer, old: GenerationReport, new: Rewritten) -> GenerationReport:
    """The report on a rewritten text: old decisions where a sentence stayed, new ones where it changed."""
    decisions = tuple(new.decisions())
    failures, dropped = new.still_true(old)
    found = Decomposition(
        new.sentences, tuple(one.fact for one in decisions), tuple(failures), tuple(dropped)
    )
    generation = replace(generation_of(old), text=new.text, topic=old.topic)
    return scorer.report(generation, old.title, found, decisions)


def _shifted(span: Span | None, by: int) -> Span | None:
    return None if span is None else Span(span.start + by, span.end + by)
