"""Second and third step of a round: what was proposed is broken into facts, and these are verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.decompose.base import apart, overlap
from factscore_chain.edit.candidate import spliced
from factscore_chain.edit.hedging import only_marks, without_marks
from factscore_chain.edit.keep import perhaps_lost, surely_lost
from factscore_chain.edit.located import LocatedText, Stated, locate
from factscore_chain.edit.state import EditState, Proposal, dump, generation_of, proposals_of, report_of
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.report import FactRecord
from factscore_chain.stage import Stage
from factscore_chain.values import AtomicFact, Claim, Passage, Span, Verdict
from factscore_chain.verify.base import decide


class DecomposeStep(Stage[EditState, dict[str, Any]]):
    """Breaks the proposed sentences into facts, understood in the whole text."""

    scorer: GenerationScorer

    async def _process(self, value: EditState, config: RunnableConfig) -> dict[str, Any]:
        report, proposals = report_of(value), proposals_of(value)
        trial = [one for one in proposals if one.open]
        text = locate(report)
        candidate = spliced(text, report.text, trial)
        places = dict(zip([one.sentence for one in trial], candidate.spans, strict=True))
        marked = {
            one.sentence: _as_before(text.sentences[one.sentence], one.text or "", places[one.sentence])
            for one in trial
            if only_marks(text.sentences[one.sentence].sentence.text, one.text or "")
        }
        spans = [span for number, span in places.items() if span.start < span.end and number not in marked]
        generation = replace(generation_of(report), text=candidate.text)
        found = await self.scorer.decomposer.decompose_part(
            generation, spans, patch_config(config, run_name="decompose")
        )
        stated = [one for fact in found.facts for one in apart(fact, found.sentences)]
        for index, one in enumerate(proposals):
            if (span := places.get(one.sentence)) is None:
                continue
            inside = {place.index for place in found.sentences if overlap(place.span, span)}
            proposals[index] = one.model_copy(
                update={
                    "span": span,
                    "stated": marked.get(one.sentence)
                    or tuple(fact for fact in stated if fact.sentence in inside),
                    "failures": tuple(f for f in found.failures if f.sentence in inside),
                }
            )
        return {"proposals": [dump(one) for one in proposals]}


class VerifyStep(Stage[EditState, dict[str, Any]]):
    """Has the facts of the proposed sentences verified, and finds the supported facts that they lost."""

    scorer: GenerationScorer

    async def _process(self, value: EditState, config: RunnableConfig) -> dict[str, Any]:
        report, proposals = report_of(value), proposals_of(value)
        text = locate(report)
        known = {fact.text: fact for fact in report.facts if fact.verdict is not Verdict.FAILED}
        asked = {f.text: f for one in proposals if one.open for f in one.stated if f.text not in known}
        decisions = await self.scorer.decide(tuple(asked.values()), text.topic, config)
        known |= {one.fact.text: FactRecord.of(one) for one in decisions}
        checked = [
            one.model_copy(update={"facts": tuple(_as_stated(known[f.text], f) for f in one.stated)})
            for one in proposals
        ]
        elsewhere = _stated_elsewhere(text, checked)
        broken = [await self._broken(one, text, elsewhere, config) if one.open else () for one in checked]
        return {
            "proposals": [
                dump(one.model_copy(update={"broken": lost}))
                for one, lost in zip(checked, broken, strict=True)
            ]
        }

    async def _broken(
        self, proposal: Proposal, text: LocatedText, elsewhere: set[str], config: RunnableConfig
    ) -> tuple[str, ...]:
        """The supported facts that a proposal no longer states; the verifier reads the new sentence."""
        stated, edited = text.sentences[proposal.sentence], proposal.text or ""
        sentence, topic = stated.sentence.text, text.topic
        doubtful = [
            fact
            for fact in perhaps_lost(stated.facts, proposal.facts, sentence, edited)
            if fact.text not in elsewhere
        ]
        lost = {fact.text for fact in doubtful if surely_lost(fact, sentence, edited)}
        verifier = self.scorer.verifier.plain  # only the edited sentence says what it still states
        if not verifier.reads_passages:
            lost |= {fact.text for fact in doubtful}
        claims = [
            Claim(AtomicFact(fact.text), (Passage("edited", edited, topic),), topic)
            for fact in doubtful
            if fact.text not in lost
        ]
        decisions = await decide(verifier, claims, patch_config(config, run_name="verify"))
        lost |= {one.fact.text for one in decisions if one.verdict is not Verdict.SUPPORTED}
        return tuple(fact.text for fact in doubtful if fact.text in lost)


def _as_before(stated: Stated, marked: str, span: Span) -> tuple[AtomicFact, ...]:
    """The facts of a sentence that was only marked: what they say is the same, a little further on."""
    _, places = without_marks(marked)
    start = stated.sentence.span.start
    return tuple(
        AtomicFact(
            fact.text,
            fact.span
            and Span(
                span.start + places[fact.span.start - start],
                span.start + places[fact.span.end - start - 1] + 1,
            ),
        )
        for fact in stated.facts
    )


def _stated_elsewhere(text: LocatedText, proposals: Sequence[Proposal]) -> set[str]:
    """Facts of the sentences that stay as they are: losing another place of theirs loses nothing."""
    edited = {one.sentence for one in proposals if one.open}
    return {fact.text for one in text.sentences if one.sentence.index not in edited for fact in one.facts}


def _as_stated(record: FactRecord, fact: AtomicFact) -> FactRecord:
    """A known decision for a fact at its place in the candidate."""
    return record.model_copy(update={"span": fact.span, "sentence": fact.sentence})
