"""First step of a round: the editor proposes, and what cannot be kept whatever is verified is marked."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.edit.base import Editor, EditRequest, Policy, SentenceEdit
from factscore_chain.edit.candidate import spliced
from factscore_chain.edit.checks import objection
from factscore_chain.edit.located import LocatedText, Stated, locate
from factscore_chain.edit.state import EditState, Proposal, attempts_at, dump, generation_of, report_of
from factscore_chain.edit.wording import ended
from factscore_chain.errors import FatalModelError
from factscore_chain.failures import cause_of
from factscore_chain.report import GenerationReport
from factscore_chain.stage import Stage
from factscore_chain.values import Verdict

_NOTHING_LEFT = "nothing would be left of the text"


class ProposeStep(Stage[EditState, dict[str, Any]]):
    """Asks the editor for every sentence that has something to mend."""

    editor: Editor
    policy: Policy
    mend: tuple[Verdict, ...]

    async def _process(self, value: EditState, config: RunnableConfig) -> dict[str, Any]:
        report = report_of(value)
        text = locate(report)
        requests = [self._request(value, report, one) for one in wanting(value, text, self.mend)]
        edits = await self.editor.abatch(
            requests, patch_config(config, run_name="edit"), return_exceptions=True
        )
        made = [_proposal(request, edit) for request, edit in zip(requests, edits, strict=True)]
        return {
            "round": value["round"] + 1,
            "proposals": [dump(one) for one in _without_an_empty_text(text, report, made)],
        }

    def _request(self, state: EditState, report: GenerationReport, stated: Stated) -> EditRequest:
        attempts = attempts_at(state, stated.sentence.text)
        # What could not be corrected is removed: that is what "auto" means.
        policy = Policy.REMOVE if attempts and self.policy is Policy.AUTO else self.policy
        mend = tuple(i for i, fact in enumerate(stated.facts) if fact.verdict in self.mend)
        return EditRequest(generation_of(report), stated.sentence, stated.facts, mend, policy, attempts)


def wanting(state: EditState, text: LocatedText, mend: tuple[Verdict, ...]) -> list[Stated]:
    """The sentences that have a fact to mend, and that the editor may have a new answer for."""
    return [
        stated
        for stated in text.sentences
        if any(fact.verdict in mend for fact in stated.facts)
        and stated.sentence.text not in state["hedged"]
        and text.around(stated.sentence.index) not in state["settled"]
    ]


def _proposal(request: EditRequest, edit: SentenceEdit | BaseException) -> Proposal:
    if isinstance(edit, FatalModelError) or (
        isinstance(edit, BaseException) and not isinstance(edit, Exception)
    ):
        raise edit
    if isinstance(edit, Exception):
        edit = SentenceEdit(None, error=cause_of(edit))
    same = edit.text == request.sentence.text
    text = None if same or edit.error or edit.text is None else ended(edit.text, request.sentence.text)
    earlier = [attempt.why for attempt in request.attempts if attempt.text == text]
    problem = earlier[-1] if earlier else objection(request, text) if text is not None else None
    return Proposal(
        sentence=request.sentence.index,
        policy=request.policy,
        text=text,
        actions=edit.actions,
        error=edit.error,
        raw=edit.raw,
        problem=problem,
        seen=bool(earlier),
    )


def _without_an_empty_text(
    text: LocatedText, report: GenerationReport, proposals: list[Proposal]
) -> list[Proposal]:
    if any(map(str.isalnum, spliced(text, report.text, [p for p in proposals if p.open]).text)):
        return proposals
    return [
        one.model_copy(update={"problem": _NOTHING_LEFT}) if one.open and not one.text else one
        for one in proposals
    ]
