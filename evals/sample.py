"""Decisions and labels side by side as arrays, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from factscore_chain.evals import metrics
from factscore_chain.evals.metrics import Bools, Floats
from factscore_chain.values import Decision, Verdict

Numbers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.integer] | Bools


@dataclass(frozen=True)
class Sample:
    """Facts as arrays of one length."""

    supported: Bools
    """People say so; an irrelevant fact counts as not supported."""
    irrelevant: Bools
    """People call it irrelevant."""
    predicted: Bools
    """The estimator says supported; undecided and failed count as not."""
    probability: Floats
    """Of being supported; where the verifier gives none its verdict stands as 1 or 0."""
    has_probability: Bools
    generation: Numbers
    """Which generation it stands in."""
    topic: Numbers
    """Facts of one number are about one topic, and are resampled together."""

    @classmethod
    def of(
        cls,
        labels: Sequence[Verdict],
        decisions: Sequence[Decision],
        generation: Sequence[int],
        topic: Sequence[int],
    ) -> Sample:
        """Makes the arrays; all four sequences are of one length."""
        accepted = [decision.verdict is Verdict.SUPPORTED for decision in decisions]
        return cls(
            np.array([label is Verdict.SUPPORTED for label in labels], dtype=np.bool_),
            np.array([label is Verdict.IRRELEVANT for label in labels], dtype=np.bool_),
            np.array(accepted, dtype=np.bool_),
            np.array([_probability(decision) for decision in decisions], dtype=np.float64),
            np.array([decision.probability is not None for decision in decisions], dtype=np.bool_),
            np.array(generation, dtype=np.int64),
            np.array(topic, dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.supported)

    def take(self, rows: Rows) -> Sample:
        """Some of the facts, by index or by a mask."""
        return Sample(
            self.supported[rows],
            self.irrelevant[rows],
            self.predicted[rows],
            self.probability[rows],
            self.has_probability[rows],
            self.generation[rows],
            self.topic[rows],
        )

    def redrawn(self, rows: Numbers, draws: Numbers) -> Sample:
        """A resample, in which a generation drawn twice is two generations."""
        sample = self.take(rows)
        width = int(self.generation.max()) + 1
        _, generation = np.unique(draws * width + sample.generation, return_inverse=True)
        return replace(sample, generation=generation.astype(np.int64))


def segment_figures(sample: Sample) -> dict[str, float | None]:
    """Figures over single facts."""
    f1 = metrics.f1_not_supported(sample.supported, sample.predicted)
    always = metrics.f1_always_not_supported(sample.supported)
    return {
        "f1_not_supported": f1,
        "f1_always_not_supported": always,
        "f1_gain": metrics.gain(f1, always),
        "precision_not_supported": metrics.precision_not_supported(sample.supported, sample.predicted),
        "recall_not_supported": metrics.recall_not_supported(sample.supported, sample.predicted),
        "accuracy": metrics.accuracy(sample.supported, sample.predicted),
        "balanced_accuracy": metrics.balanced_accuracy(sample.supported, sample.predicted),
        "auc": metrics.auc(sample.supported, sample.probability),
        "kappa": metrics.kappa(sample.supported, sample.predicted),
        "ece": metrics.ece(
            sample.supported[sample.has_probability], sample.probability[sample.has_probability]
        ),
    }


def system_figures(sample: Sample) -> dict[str, float | None]:
    """Figures of the system as a whole: mean over generations, of facts accepted by people and by us."""
    human = metrics.system_score(sample.supported, sample.generation)
    estimated = metrics.system_score(sample.predicted, sample.generation)
    return {
        "human_score": human,
        "estimated_score": estimated,
        "error_rate": metrics.error_rate(human, estimated),
    }


def generation_shares(sample: Sample) -> tuple[Floats, Floats]:
    """For each generation with facts, the share supported: what people say, and what the estimator says."""
    facts = np.bincount(sample.generation)
    used = facts > 0
    human = np.bincount(sample.generation, weights=sample.supported)[used] / facts[used]
    estimated = np.bincount(sample.generation, weights=sample.predicted)[used] / facts[used]
    return human, estimated


def _probability(decision: Decision) -> float:
    if decision.probability is not None:
        return decision.probability
    return 1.0 if decision.verdict is Verdict.SUPPORTED else 0.0
