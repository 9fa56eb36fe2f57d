"""What a second estimator says of the texts as they were, and as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.chain import FactScoreChain
from factscore_chain.edit.report import SecondOpinion
from factscore_chain.edit.state import EditState
from factscore_chain.report import GenerationReport, Report
from factscore_chain.values import Generation


async def second_opinion(
    chain: FactScoreChain,
    before: Report,
    after: Report,
    states: Sequence[EditState],
    config: RunnableConfig,
) -> SecondOpinion:
    """Scores both versions of each text; one that did not change is scored once.

    Args:
        chain: Scores.
        before: The texts as they were.
        after: The texts as they are.
        states: What the loop remembers of each: a version that was scored for its veto is not scored again.
        config: Passed on.

    Raises:
        FatalModelError: A model cannot be used at all.
    """
    told = [state.get("second") for state in states]
    old = [_known(one and one["before"], text) for one, text in zip(told, before.generations, strict=True)]
    new = [
        _known(one and one["after"], text) if text.text != given.text else None
        for one, text, given in zip(told, after.generations, before.generations, strict=True)
    ]
    asked = [_bare(text) for text, known in zip(before.generations, old, strict=True) if known is None]
    changed = [
        text.text != given.text and known is None
        for text, given, known in zip(after.generations, before.generations, new, strict=True)
    ]
    asked += [_bare(text) for text, is_changed in zip(after.generations, changed, strict=True) if is_changed]
    scored = iter(await _scored(chain, asked, config))
    graded = tuple(known or next(scored) for known in old)
    regraded = tuple(
        next(scored) if is_changed else known or first
        for is_changed, known, first in zip(changed, new, graded, strict=True)
    )
    return SecondOpinion(before=chain.report(graded), after=chain.report(regraded))


async def _scored(
    chain: FactScoreChain, asked: Sequence[Generation], config: RunnableConfig
) -> Sequence[GenerationReport]:
    if not asked:
        return ()
    return (await chain.ainvoke(list(asked), patch_config(config, run_name="second"))).generations


def _bare(report: GenerationReport) -> Generation:
    return Generation(report.text, report.topic, id=report.id)


def _known(told: dict[str, Any] | None, report: GenerationReport) -> GenerationReport | None:
    """What the second estimator made of a version of a text, if it was asked already."""
    known = GenerationReport.model_validate(told) if told else None
    return known if known is not None and known.text == report.text else None
