"""Last step of a round: what made the text better is kept, and why the rest did not is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig

from factscore_chain.decompose.layout import is_claim
from factscore_chain.decompose.markup import readable
from factscore_chain.edit.candidate import Rewritten, report_on
from factscore_chain.edit.keep import refusal, still_unsupported
from factscore_chain.edit.located import LocatedText, Stated, locate
from factscore_chain.edit.naming import Naming, namings, unnamed
from factscore_chain.edit.records import ActionRecord, EditRecord
from factscore_chain.edit.second import SecondJudge, vetoes
from factscore_chain.edit.state import (
    EditState,
    Proposal,
    SecondReports,
    dump,
    generation_of,
    proposals_of,
    report_of,
)
from factscore_chain.generation_scorer import GenerationScorer
from factscore_chain.report import GenerationReport
from factscore_chain.stage import Stage


class KeepStep(Stage[EditState, dict[str, Any]]):
    """Keeps what made the text better, and remembers why the rest did not."""

    scorer: GenerationScorer
    part: bool = False
    """Whether the text may lose its last claim, as a part of a longer one."""
    second: GenerationScorer | None = None
    """Has to find the text no worse; None asks nobody."""

    async def _process(self, value: EditState, config: RunnableConfig) -> dict[str, Any]:
        report = report_of(value)
        text = locate(report)
        judged = [_judged(one, text.sentences[one.sentence]) for one in proposals_of(value)]
        judged = self._standing(text, judged)
        judged, second = await self._consulted(value, report, text, judged, config)
        kept = [one for one in judged if one.open]
        names = namings(text, kept)
        fresh = [one for one in judged if one.text is not None and one.problem and not one.seen]
        rejected = dict(value["rejected"])
        for one in fresh:
            sentence = text.sentences[one.sentence].sentence.text
            rejected[sentence] = [*rejected.get(sentence, []), [one.text or "", one.problem or ""]]
        settled = [text.around(one.sentence) for one in judged if not one.open and one not in fresh]
        hedged = [one.text for one in kept if one.text and _hedges(one)]
        records = [_record(one, text.sentences[one.sentence], value["round"]) for one in judged]
        records += [_named(one, text.sentences[one.sentence], kept, value["round"]) for one in names]
        rewritten = Rewritten.of(text, report.text, kept, names)
        new = report_on(self.scorer, report, rewritten) if kept else report
        return {
            "report": dump(new),
            "proposals": [],
            "rejected": rejected,
            "hedged": [*value["hedged"], *hedged],
            "edits": [*value["edits"], *map(dump, records)],
            "settled": [*value["settled"], *settled],
            **({"second": second} if second else {}),
        }

    def _standing(self, text: LocatedText, judged: list[Proposal]) -> list[Proposal]:
        """The proposals, without those that would leave no claim, or a pronoun that means nobody."""
        for needed in (unnamed,) if self.part else (_last_claims, unnamed):
            judged = _with_problems(judged, needed(text, [one for one in judged if one.open]))
        return judged

    async def _consulted(
        self,
        value: EditState,
        report: GenerationReport,
        text: LocatedText,
        judged: list[Proposal],
        config: RunnableConfig,
    ) -> tuple[list[Proposal], SecondReports | None]:
        """The proposals, without those that the second estimator objects to; and its reports on the text."""
        if self.second is None or not any(one.open for one in judged):
            return judged, None
        given = replace(generation_of(report), topic=report.topic)
        judge = SecondJudge(self.second, given, config)
        before, first = await judge.begin(value.get("second"), report.text)
        best = before
        while kept := [one for one in judged if one.open]:
            new = Rewritten.of(text, report.text, kept, namings(text, kept))
            after = await judge.score(new.text)
            objections = vetoes(before, after, new)
            if not objections:
                best = after
                break
            # What is left of the edits may not stand without those that go.
            judged = self._standing(text, _with_problems(judged, objections))
        return judged, {"before": dump(first), "after": dump(best)}


def _with_problems(judged: list[Proposal], problems: Mapping[int, str]) -> list[Proposal]:
    return [
        one.model_copy(update={"problem": problems[one.sentence]}) if one.sentence in problems else one
        for one in judged
    ]


def _last_claims(text: LocatedText, kept: Sequence[Proposal]) -> dict[int, str]:
    """For sentences that cannot be dropped because what is left would claim nothing: the reason."""
    edited = {one.sentence for one in kept}
    stays = [one for one in text.sentences if one.sentence.index not in edited]
    # A sentence without a fact may be one that nobody asked about, where a text is checked in pieces.
    claims = [one for one in stays if one.facts or is_claim(readable(one.sentence.text))]
    if any(one.facts for one in kept) or claims or text.unplaced:
        return {}
    return {one.sentence: "no claim would be left in the text" for one in kept if not one.text}


def _named(naming: Naming, stated: Stated, kept: Sequence[Proposal], number: int) -> EditRecord:
    """The record of a name that took the place of a pronoun."""
    own = next((one for one in kept if one.sentence == naming.sentence), None)
    before = stated.sentence.text if own is None else own.text or ""
    return EditRecord(
        round=number,
        span=stated.sentence.span,
        before=before,
        after=naming.applied(before),
        policy=kept[0].policy,
        kept=True,
        why=f"its pronoun meant {naming.text}, and the sentence that said so is gone",
    )


def _judged(proposal: Proposal, stated: Stated) -> Proposal:
    if not proposal.open:
        return proposal
    problem = refusal(stated.facts, proposal.facts, proposal.broken, hedged=_hedges(proposal))
    if proposal.failures:
        problem = f"it could not be verified: {proposal.failures[0].cause}"
    return proposal.model_copy(update={"problem": problem})


def _hedges(proposal: Proposal) -> bool:
    return any(action.action == "hedged" for action in proposal.actions)


def _record(proposal: Proposal, stated: Stated, number: int) -> EditRecord:
    done = [one for one in proposal.actions if one.action in {"corrected", "removed"}]
    mended = [stated.facts[one.fact] for one in done] if proposal.text is not None else []
    used = dict.fromkeys(name for one in proposal.actions for name in one.passages)
    passages = {p.id: p for fact in stated.facts for p in fact.passages}
    return EditRecord(
        round=number,
        span=stated.sentence.span,
        before=stated.sentence.text,
        after=proposal.text,
        policy=proposal.policy,
        actions=tuple(
            ActionRecord(fact=stated.facts[one.fact].text, action=one.action, why=one.why)
            for one in proposal.actions
        ),
        fixed=tuple(fact.text for fact in mended if not still_unsupported(fact, proposal.facts)),
        broken=proposal.broken,
        passages=tuple(passages[name] for name in used if name in passages),
        kept=proposal.open,
        why=proposal.problem or _unchanged(proposal),
        error=proposal.error,
        raw=proposal.raw,
    )


def _unchanged(proposal: Proposal) -> str | None:
    if proposal.text is not None or proposal.error is not None:
        return None
    whys = dict.fromkeys(one.why for one in proposal.actions if one.why)
    return f"nothing was changed: {'; '.join(whys)}" if whys else "nothing was changed"
