"""Human FActScores from labelled files: one JSONL a system (paper, sections 3.3 and 3.4).

A system's score is the mean over the answered prompts of the share of facts that people call supported;
an irrelevant fact counts as not supported, and there is no length penalty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.evals.breakdowns import position_of, rarity_of, reading_order, region_of
from factscore_chain.evals.labeled import LabeledFact, LabeledGeneration, read_labeled
from factscore_chain.evals.predictions import jsonl_files
from factscore_chain.evals.ranking import best_first
from factscore_chain.evals.subsets import SubsetFigures, subset_study
from factscore_chain.values import Verdict

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Group(BaseModel):
    """The human score of a group of generations or facts. Scores are 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    """Generations, or facts where the group is a position."""
    score: Finite


class HumanFigures(BaseModel):
    """One system. Shares and scores are 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompts: int
    responding: Finite
    facts_per_response: Finite | None
    score: Finite | None
    counts: dict[str, int]
    """Facts by label: supported, not_supported, irrelevant."""
    by_rarity: dict[str, Group]
    """Mean over the generations about entities of one rarity."""
    by_region: dict[str, Group]
    by_position: dict[str, Group]
    """Share of the facts in each third of their generations."""


class HumanReport(BaseModel):
    """All systems, their order, and what random subsets of the prompts would have said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    systems: dict[str, HumanFigures]
    ranking: list[str]
    subsets: list[SubsetFigures]
    rejected: list[str]


def evaluate_human(folder: Path, *, seed: int = 0) -> HumanReport:
    """Reads a folder of labelled files and computes their statistics.

    Args:
        folder: Holds one JSONL file a system.
        seed: Of the random subsets.

    Raises:
        UsageError: The folder holds no labelled file.
    """
    files = {path.stem: read_labeled(path) for path in jsonl_files(folder)}
    systems = {name: _system(file.generations) for name, file in files.items()}
    shares = {name: _by_prompt(file.generations) for name, file in files.items()}
    prompts = max(figures.prompts for figures in systems.values())
    return HumanReport(
        systems=systems,
        ranking=best_first({name: one.score for name, one in systems.items() if one.score is not None}),
        subsets=subset_study(shares, seed=seed, prompts=prompts),
        rejected=[line for file in files.values() for line in file.rejected],
    )


def _system(generations: Sequence[LabeledGeneration]) -> HumanFigures:
    answered = [one for one in generations if one.answered and one.facts]
    labels = Counter(fact.label for one in answered for fact in one.facts)
    kinds = (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT)
    return HumanFigures(
        prompts=len(generations),
        responding=len(answered) / len(generations),
        facts_per_response=fmean(len(one.facts) for one in answered) if answered else None,
        score=fmean(map(_share, answered)) if answered else None,
        counts={kind.value: labels[kind] for kind in kinds},
        by_rarity=_groups(answered, rarity_of),
        by_region=_groups(answered, region_of),
        by_position=_positions(answered),
    )


def _share(generation: LabeledGeneration) -> float:
    return fmean(map(_supported, generation.facts))


def _supported(fact: LabeledFact) -> bool:
    return fact.label is Verdict.SUPPORTED


def _groups(
    generations: Sequence[LabeledGeneration], group_of: Callable[[LabeledGeneration], str | None]
) -> dict[str, Group]:
    return _means((group_of(one), _share(one)) for one in generations)


def _positions(generations: Sequence[LabeledGeneration]) -> dict[str, Group]:
    return _means(
        (position_of(index, len(one.facts)), float(_supported(fact)))
        for one in generations
        for index, fact in enumerate(one.facts)
    )


def _means(named: Iterable[tuple[str | None, float]]) -> dict[str, Group]:
    values: dict[str, list[float]] = {}
    for name, value in named:
        if name is not None:
            values.setdefault(name, []).append(value)
    return {
        name: Group(n=len(values[name]), score=fmean(values[name]))
        for name in sorted(values, key=reading_order)
    }


def _by_prompt(generations: Sequence[LabeledGeneration]) -> dict[str, float]:
    return {
        one.topic if one.topic is not None else f"line {one.line}": _share(one)
        for one in generations
        if one.answered and one.facts
    }
