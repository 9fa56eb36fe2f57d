"""How well a verifier judges claims by the evidence that comes with them: other domains, no retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.evals.judge import OnDone, verify
from factscore_chain.evals.labeled import PairRow
from factscore_chain.evals.sample import Sample, segment_figures
from factscore_chain.retrievers.documents import evidence_passages
from factscore_chain.stats.bootstrap import RESAMPLES, intervals
from factscore_chain.values import AtomicFact, Claim, Verdict
from factscore_chain.verify.base import Verifier

Finite = Annotated[float, Field(allow_inf_nan=False)]

FIGURES = (
    *("accuracy", "balanced_accuracy", "auc", "f1_not_supported", "ece"),
    *("f1_always_not_supported", "f1_gain", "precision_not_supported", "recall_not_supported"),
)


class PairsReport(BaseModel):
    """Agreement on claim and evidence rows. Shares are 0 to 1, the gain points; null is undefined."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    estimator: str
    verifier: dict[str, str]
    n: int
    accuracy: Finite | None
    balanced_accuracy: Finite | None
    auc: Finite | None
    f1_not_supported: Finite | None
    ece: Finite | None
    f1_always_not_supported: Finite | None
    f1_gain: Finite | None
    precision_not_supported: Finite | None
    recall_not_supported: Finite | None
    supported: int
    """Rows that people call supported."""
    undecided: int
    """Rows that the verifier could not decide; they count as not supported."""
    failed: int
    """Rows for which the verifier could not be asked; they count as not supported."""
    rejected: list[str]
    """A line for each row that could not be read."""
    intervals: dict[str, tuple[Finite, Finite] | None]
    """95% percentile bootstrap interval of each figure, resampling rows."""

    @property
    def complete(self) -> bool:
        """Whether every row was read and every claim could be asked about."""
        return not self.failed and not self.rejected


def evaluate_pairs(
    rows: Sequence[PairRow],
    verifier: Verifier,
    *,
    name: str = "pairs",
    rejected: Sequence[str] = (),
    estimator: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    on_done: OnDone | None = None,
) -> PairsReport:
    """Judges every claim by its own evidence and compares with the labels.

    Args:
        rows: Claims with evidence; an evidence text that is too long for a passage is cut into several.
        verifier: What decides.
        name: Name of the data set, for the report.
        rejected: Rows that could not be read, for the report.
        estimator: Name for the report; the verifier's own by default.
        resamples: Samples of the bootstrap.
        seed: Of the bootstrap.
        on_done: Called with the number of rows just verified.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    claims = [Claim(AtomicFact(row.claim), evidence_passages(row.evidence), row.topic) for row in rows]
    decisions = verify(claims, verifier, on_done)
    numbers = range(len(rows))
    sample = Sample.of([row.label for row in rows], decisions, numbers, numbers)
    found = intervals(
        sample.topic, lambda drawn, _: _figures(sample.take(drawn)), resamples=resamples, seed=seed
    )
    verdicts = [decision.verdict for decision in decisions]
    return PairsReport(
        file=name,
        estimator=estimator or verifier.verifier_name,
        verifier=verifier.identity,
        n=len(rows),
        supported=int(np.count_nonzero(sample.supported)),
        undecided=verdicts.count(Verdict.UNDECIDED),
        failed=verdicts.count(Verdict.FAILED),
        rejected=list(rejected),
        intervals=found,
        **_figures(sample),
    )


def _figures(sample: Sample) -> dict[str, float | None]:
    figures = segment_figures(sample)
    return {name: figures[name] for name in FIGURES}
