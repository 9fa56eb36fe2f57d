"""What a second estimator says of a round's edits: none is kept that lowers its score of the text.

The first estimator calls a fact unsupported, and the second may support it; or what is left reads worse to
the second. Where both are asked, the text comes out better by one and not worse by the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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

    An edit is to blame if the score would be lower with it alone. Where none is, and the score is lower all
    the same, the later half of them goes: what one sentence says can change how another one is read.

    Args:
        before: By the second estimator, on the text without the edits; one without a score allows everything.
        after: On the text with them.
        new: The edits, and where they stand in that text.
    """
    if before.init_score is None:
        return {}
    old, now = locate(before).sentences, locate(after).sentences
    blamed: dict[int, str] = {}
    for one, place in zip(new.kept, new.places, strict=True):
        stated = [fact for n in now if overlap(n.sentence.span, place) for fact in n.facts]
        if why := _worse(before.facts, old[one.sentence].facts, stated):
            blamed[one.sentence] = why
    if blamed or (after.init_score is not None and after.init_score >= before.init_score):
        return blamed
    why = "the second estimator scores the text lower with it"
    if after.error and after.init_score is None:
        why = f"the second estimator could not score the text with it: {after.error}"
    return {one.sentence: why for one in new.kept[len(new.kept) // 2 :]}


def _worse(facts: Sequence[FactRecord], was: Sequence[FactRecord], now: Sequence[FactRecord]) -> str | None:
    """Why the score of a text with these facts falls where a sentence changes; None if it does not."""
    supported = _supported(facts) - _supported(was) + _supported(now)
    total = len(facts) - len(was) + len(now)
    if supported * len(facts) >= _supported(facts) * total:
        return None
    stated = {fact.text for fact in now}
    for fact in was:
        if fact.verdict is Verdict.SUPPORTED and fact.text not in stated:
            return f"the second estimator supports {fact.text!r}, which it takes away"
    return "the second estimator supports less of what the text then says"


def _supported(facts: Sequence[FactRecord]) -> int:
    return sum(fact.verdict is Verdict.SUPPORTED for fact in facts)
