"""How well an estimator agrees with people on their own atomic facts (paper, section 4.2).

Two conventions: in the paper's, a fact that people call irrelevant counts as not supported; in the other
such facts are left out. Figures are given for single facts (segment level) and for the mean over generations
(system level), with intervals that resample topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

import numpy as np
from langchain_core.retrievers import BaseRetriever
from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.evals import metrics
from factscore_chain.evals.breakdowns import kind_of, position_of, rarity_of, reading_order
from factscore_chain.evals.judge import JudgedGeneration, OnDone, judge, nested
from factscore_chain.evals.labeled import LabeledFile, LabeledGeneration
from factscore_chain.evals.sample import Sample, generation_shares, segment_figures, system_figures
from factscore_chain.evals.split import TopicChoice, is_chosen
from factscore_chain.stats.bootstrap import RESAMPLES, Interval, intervals
from factscore_chain.values import Decision, Verdict
from factscore_chain.verify.base import LocalVerifier, Verifier

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Figures(BaseModel):
    """Agreement on a set of facts. Shares are 0 to 1, gains and error rates points; null is undefined."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n_facts: int
    n_generations: int
    f1_not_supported: Finite | None
    f1_always_not_supported: Finite | None
    """F1 of rejecting every fact."""
    f1_gain: Finite | None
    """Points of F1 over rejecting every fact."""
    precision_not_supported: Finite | None
    recall_not_supported: Finite | None
    accuracy: Finite | None
    balanced_accuracy: Finite | None
    auc: Finite | None
    kappa: Finite | None
    ece: Finite | None
    """Expected calibration error, over facts for which the verifier gave a probability."""
    human_score: Finite | None
    """Mean over generations of the share that people call supported."""
    estimated_score: Finite | None
    error_rate: Finite | None
    """Estimated minus human score, in points."""
    intervals: dict[str, tuple[Finite, Finite] | None]
    """95% percentile bootstrap interval of each figure."""


class GroupFigures(BaseModel):
    """Agreement on one group of facts, in the paper's convention."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n_facts: int
    human_supported: Finite
    """Share of the facts that people call supported."""
    estimated_supported: Finite
    f1_not_supported: Finite | None
    f1_always_not_supported: Finite | None
    f1_gain: Finite | None
    balanced_accuracy: Finite | None
    auc: Finite | None


class PerGeneration(BaseModel):
    """How the estimated score of single generations follows the human one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pearson: Finite | None
    mean_absolute_error: Finite | None
    """Points."""


class IrrelevantFigures(BaseModel):
    """How well facts that are not about the topic are told apart; null is undefined."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    human: int
    """Facts that people call irrelevant."""
    estimated: int
    precision: Finite | None
    """Share of the estimated ones that people call irrelevant."""
    recall: Finite | None


class AgreementReport(Figures):
    """Agreement on one labelled file; the figures of its own fields are in the paper's convention."""

    file: str
    estimator: str
    verifier: dict[str, str]
    topics: TopicChoice
    """Which topics were reported on; "held-out" leaves out what shipped weights or thresholds have seen."""
    topics_left_out: int
    """Topics of the file that this choice leaves out."""
    topics_not_found: int
    """Topics without a document in the knowledge source; their facts are in no figure."""
    facts_not_judged: int
    """Facts about these topics."""
    respond_ratio: Finite | None
    """Share of the rows that the system answered."""
    undecided: int
    """Facts that the verifier could not decide; they count as not supported."""
    failed: int
    """Facts for which the verifier could not be asked; they count as not supported."""
    rejected: list[str]
    """A line for each row that could not be read."""
    without_irrelevant: Figures
    irrelevant: IrrelevantFigures
    per_generation: PerGeneration
    by_position: dict[str, GroupFigures]
    by_rarity: dict[str, GroupFigures]
    by_kind: dict[str, GroupFigures]

    @property
    def complete(self) -> bool:
        """Whether every row was read and every fact could be asked about."""
        return not self.failed and not self.rejected


def agreement(
    labeled: LabeledFile,
    verifier: Verifier,
    retriever: BaseRetriever | None = None,
    *,
    estimator: str | None = None,
    topics: TopicChoice | None = None,
    k: int = 5,
    resamples: int = RESAMPLES,
    seed: int = 0,
    on_done: OnDone | None = None,
) -> AgreementReport:
    """Judges human facts and compares the decisions with their labels.

    Args:
        labeled: Generations with human facts, or plain rows with evidence.
        verifier: What decides.
        retriever: The knowledge source, for facts that came without evidence.
        estimator: Name for the report; the verifier's own by default.
        topics: Which topics to report on. By default "held-out" for verifiers that compute here, since their
            weights or thresholds were fitted on labelled topics, and "all" for others.
        k: Passages retrieved a fact.
        resamples: Samples of the bootstrap.
        seed: Of the bootstrap.
        on_done: Called with the number of facts just verified.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    choice = topics or default_topics(verifier)
    chosen = [one for one in labeled.generations if is_chosen(one.topic, choice)]
    judged = judge(chosen, verifier, retriever, k=k, on_done=on_done)
    sample = _sample(judged)
    decisions = [decision for one in judged for decision in one.decisions]
    return AgreementReport(
        **_figures(sample, resamples, seed).model_dump(),
        file=labeled.name,
        estimator=estimator or verifier.verifier_name,
        verifier=verifier.identity,
        topics=choice,
        topics_left_out=_distinct(labeled.generations) - _distinct(chosen),
        topics_not_found=_distinct(one.generation for one in judged if one.missing),
        facts_not_judged=sum(len(one.generation.facts) for one in judged if one.missing),
        respond_ratio=sum(one.answered for one in chosen) / len(chosen) if chosen else None,
        undecided=_count(decisions, Verdict.UNDECIDED),
        failed=_count(decisions, Verdict.FAILED),
        rejected=list(labeled.rejected),
        without_irrelevant=_figures(sample.take(~sample.irrelevant), resamples, seed),
        irrelevant=_irrelevant(sample, decisions),
        per_generation=_per_generation(sample),
        by_position=_groups(sample, judged, lambda one, i: position_of(i, len(one.facts))),
        by_rarity=_groups(sample, judged, lambda one, i: rarity_of(one)),
        by_kind=_groups(sample, judged, lambda one, i: kind_of(one.facts[i].text, one.topic)),
    )


def default_topics(verifier: Verifier) -> TopicChoice:
    """The topics that a verifier is reported on by default."""
    return "held-out" if any(isinstance(part, LocalVerifier) for part in nested(verifier)) else "all"


def _sample(judged: Sequence[JudgedGeneration]) -> Sample:
    topics: dict[object, int] = {}
    # Rows without a topic have nothing in common: each is resampled by itself.
    topic = [topics.setdefault(one.generation.topic or i, len(topics)) for i, one in enumerate(judged)]
    return Sample.of(
        [fact.label for one in judged if not one.missing for fact in one.generation.facts],
        [decision for one in judged for decision in one.decisions],
        [i for i, one in enumerate(judged) for _ in one.decisions],
        [topic[i] for i, one in enumerate(judged) for _ in one.decisions],
    )


def _figures(sample: Sample, resamples: int, seed: int) -> Figures:
    def figures(of: Sample) -> dict[str, float | None]:
        return {**segment_figures(of), **system_figures(of)}

    found: dict[str, Interval | None] = intervals(
        sample.topic,
        lambda rows, draws: figures(sample.redrawn(rows, draws)),
        resamples=resamples,
        seed=seed,
    )
    return Figures(
        n_facts=len(sample),
        n_generations=len(np.unique(sample.generation)),
        intervals=found,
        **figures(sample),
    )


def _irrelevant(sample: Sample, decisions: Sequence[Decision]) -> IrrelevantFigures:
    estimated = np.array([one.verdict is Verdict.IRRELEVANT for one in decisions], dtype=np.bool_)
    return IrrelevantFigures(
        human=int(sample.irrelevant.sum()),
        estimated=int(estimated.sum()),
        precision=metrics.precision_not_supported(~sample.irrelevant, ~estimated),
        recall=metrics.recall_not_supported(~sample.irrelevant, ~estimated),
    )


def _per_generation(sample: Sample) -> PerGeneration:
    human, estimated = generation_shares(sample)
    error = 100 * float(np.abs(human - estimated).mean()) if len(human) else None
    return PerGeneration(pearson=metrics.pearson(human, estimated), mean_absolute_error=error)


def _groups(
    sample: Sample,
    judged: Sequence[JudgedGeneration],
    group_of: Callable[[LabeledGeneration, int], str | None],
) -> dict[str, GroupFigures]:
    names = [group_of(one.generation, i) for one in judged for i in range(len(one.decisions))]
    return {
        name: _group(sample.take(np.array([other == name for other in names], dtype=np.bool_)))
        for name in sorted({name for name in names if name is not None}, key=reading_order)
    }


def _group(sample: Sample) -> GroupFigures:
    figures = segment_figures(sample)
    kept = GroupFigures.model_fields.keys() & figures.keys()
    return GroupFigures(
        n_facts=len(sample),
        human_supported=float(sample.supported.mean()),
        estimated_supported=float(sample.predicted.mean()),
        **{name: figures[name] for name in kept},
    )


def _distinct(generations: Iterable[LabeledGeneration]) -> int:
    return len({one.topic for one in generations if one.topic is not None})


def _count(decisions: Sequence[Decision], verdict: Verdict) -> int:
    return sum(decision.verdict is verdict for decision in decisions)
