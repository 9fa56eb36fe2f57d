"""What a second estimator says of a round's edits: none is kept that lowers its score of the text.

The first estimator calls a fact unsupported, and the second may support it; or what is left reads worse to
the second. Where both are asked, the text comes out better by one and not worse by the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.decompose.base import overlap
from factscore_chain.edit.candidate import Rewritten
from factscore_chain.edit.located import locate
from factscore_chain.edit.state import SecondReports
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.report import FactRecord, GenerationReport
from factscore_chain.values import Decision, Generation, Verdict


@dataclass
class SecondJudge:
    """Scores the versions of one text by the second estimator, and decides no fact twice."""

    scorer: GenerationScorer
    generation: Generation
    """The text, as this round found it."""
    config: RunnableConfig
    known: dict[str, Decision] = field(default_factory=dict)

    async def begin(
        self, known: SecondReports | None, text: str
    ) -> tuple[GenerationReport, GenerationReport]:
        """The reports on the text as this round found it, and as it was given.

        Args:
            known: Those of the round before.
            text: The text; in the first round it is scored.
        """
        if known is None:
            report = await self.score(text)
            return report, report
        first, report = (GenerationReport.model_validate(known[one]) for one in ("before", "after"))
        self.learn(report)
        return report, first

    async def score(self, text: str) -> GenerationReport:
        """The report on a version; facts in words that were decided before keep their decisions."""
        version = Generation(text, self.generation.topic, id=self.generation.id)
        config = patch_config(self.config, run_name="second")
        report = await self.scorer.again(version, self.known, config)
        self.learn(report)
        return report

    def learn(self, report: GenerationReport) -> None:
        """Takes over the decisions of a report."""
        self.known |= {
            one.text: one.decision
            for one in report.facts
            if one.verdict not in {Verdict.FAILED, Verdict.UNDECIDED}
        }


def vetoes(before: GenerationReport, after: GenerationReport, new: Rewritten) -> dict[int, str]:
    """For sentences whose edit is not to be kept, the reason; empty if the text does not get worse.

    Those edits go that lower the score most, until it would be as before; not those whose claims the first
    estimator is surer of being unsupported than the second is of the contrary. Where the score is lower
    although no sentence says why, the later half of the edits goes: one sentence can change how another one
    is read.

    Args:
        before: By the second estimator, on the text without the edits; one without a score allows everything.
        after: On the text with them.
        new: The edits, and where they stand in that text.
    """
    if before.init_score is None:
        return {}
    if after.init_score is None:
        why = f"the second estimator gives the text no score with it: {after.error or after.status}"
        return {one.sentence: why for one in new.kept}
    if after.init_score >= before.init_score:
        return {}
    changes = _changes(before, after, new)
    blamed = _worst(_Count.of(before.facts), changes)
    disputed = [one for one in blamed if not _is_outweighed(new.old.sentences[one].facts, *changes[one])]
    if blamed and not disputed:
        return {}
    if not blamed:
        return {
            one.sentence: "the second estimator scores the text lower with it"
            for one in new.kept[len(new.kept) // 2 :]
        }
    return {sentence: _why(*changes[sentence]) for sentence in disputed}


_Facts = Sequence[FactRecord]


def _changes(
    before: GenerationReport, after: GenerationReport, new: Rewritten
) -> dict[int, tuple[_Facts, _Facts]]:
    """For each edited sentence, what it stated and what it states, by the second estimator."""
    old, now = locate(before).sentences, locate(after).sentences
    return {
        one.sentence: (
            old[one.sentence].facts,
            [fact for n in now if overlap(n.sentence.span, place) for fact in n.facts],
        )
        for one, place in zip(new.kept, new.places, strict=True)
    }


@dataclass(frozen=True)
class _Count:
    """Supported facts, and all."""

    supported: int
    total: int

    @classmethod
    def of(cls, facts: _Facts) -> _Count:
        return cls(sum(fact.verdict is Verdict.SUPPORTED for fact in facts), len(facts))

    def __add__(self, other: _Count) -> _Count:
        return _Count(self.supported + other.supported, self.total + other.total)

    def __sub__(self, other: _Count) -> _Count:
        return _Count(self.supported - other.supported, self.total - other.total)

    @property
    def share(self) -> Fraction:
        return Fraction(self.supported, self.total) if self.total else Fraction(0)


def _worst(before: _Count, changes: Mapping[int, tuple[_Facts, _Facts]]) -> list[int]:
    """The edits without which the score would be no lower, those that lower it most first."""
    moved = {sentence: _Count.of(now) - _Count.of(was) for sentence, (was, now) in changes.items()}
    after = sum(moved.values(), before)
    blamed: list[int] = []
    while moved and after.share < before.share:
        worst = max(moved, key=lambda sentence: (after - moved[sentence]).share)
        after -= moved.pop(worst)
        blamed.append(worst)
    return blamed


def _is_outweighed(first: _Facts, was: _Facts, now: _Facts) -> bool:
    """Whether all that an edit takes away from the second estimator is more surely unsupported by the first.

    Args:
        first: The facts of the sentence as it was, by the first estimator.
        was: The same by the second.
        now: Those of the edited sentence, by the second.
    """
    stated = {fact.text for fact in now}
    doubts = {
        fact.text: 1 - fact.probability
        for fact in first
        if fact.verdict is Verdict.NOT_SUPPORTED and fact.probability is not None
    }
    lost = [fact for fact in was if fact.verdict is Verdict.SUPPORTED and fact.text not in stated]
    return bool(lost) and all(
        fact.probability is not None and doubts.get(fact.text, 0.0) > fact.probability for fact in lost
    )


def _why(was: _Facts, now: _Facts) -> str:
    stated = {fact.text for fact in now}
    for fact in was:
        if fact.verdict is Verdict.SUPPORTED and fact.text not in stated:
            return f"the second estimator supports {fact.text!r}, which it takes away"
    return "the second estimator supports less of what the text then says"
