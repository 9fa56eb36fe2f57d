"""The published statistics from the released prediction files: one JSONL a system (paper, table 5, figure 3).

    {"prompt", "facts": [text], "LLAMA+NP_Labels": ["S" or "NS"], "ChatGPT_Labels": [...]}

The label keys are read in both spellings that the original uses, "..._Labels" and "..._labels". Prompts that
a system did not answer have no row. Scores are without length penalty, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from factscore_chain.errors import UsageError
from factscore_chain.evals.labeled import read_rows
from factscore_chain.evals.metrics import pearson
from factscore_chain.evals.ranking import best_first, kendall_tau, pairs_in_order
from factscore_chain.evals.subsets import SubsetFigures, subset_study

Finite = Annotated[float, Field(allow_inf_nan=False)]

PROMPTS = 500
"""Prompts that each system of the release was given."""
_SUFFIX = "_labels"


class PredictionRow(BaseModel):
    """One generation: its facts, and their labels by estimator."""

    model_config = ConfigDict(extra="ignore")

    prompt: str
    facts: list[str]
    labels: dict[str, list[str]]

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, row: Any) -> Any:
        if not isinstance(row, dict):
            return row
        labels = {
            key[: -len(_SUFFIX)]: value
            for key, value in row.items()
            if key.lower().endswith(_SUFFIX) and value is not None
        }
        return {"prompt": row.get("prompt"), "facts": row.get("facts"), "labels": labels}

    @model_validator(mode="after")
    def _one_each(self) -> PredictionRow:
        for estimator, labels in self.labels.items():
            if len(labels) != len(self.facts):
                raise ValueError(f"{len(self.facts)} facts have {len(labels)} labels of {estimator}")
        return self

    def share(self, estimator: str) -> float | None:
        """Share of the facts that an estimator finds supported; None without facts or labels."""
        labels = self.labels.get(estimator)
        return sum(label == "S" for label in labels) / len(labels) if labels else None


class SystemFigures(BaseModel):
    """One system. Shares and scores are 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    responding: Finite
    """Share of the prompts that it answered."""
    facts_per_response: Finite | None
    scores: dict[str, Finite]
    """FActScore by estimator."""
    rows: dict[str, int]
    """Rows that have labels, by estimator."""


class EstimatorPair(BaseModel):
    """How far two estimators agree on systems."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: str
    second: str
    pearson: Finite | None
    kendall_tau: Finite | None
    pairs_in_order: Finite | None
    """Share of the pairs of systems that both rank the same way."""


class PredictionsReport(BaseModel):
    """All systems, the estimators' agreement on them, and what subsets of the prompts would have said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompts: int
    systems: dict[str, SystemFigures]
    agreement: list[EstimatorPair]
    ranking: dict[str, list[str]]
    """Systems by estimator, the best first."""
    subsets: dict[str, list[SubsetFigures]]
    """By estimator that labelled every row."""
    rejected: list[str]


def evaluate_predictions(folder: Path, *, prompts: int = PROMPTS, seed: int = 0) -> PredictionsReport:
    """Reads a folder of prediction files and computes their statistics.

    Args:
        folder: Holds one JSONL file a system.
        prompts: Prompts that each system was given.
        seed: Of the random subsets.

    Raises:
        UsageError: The folder holds no prediction file, or a system has more rows than there were prompts.
    """
    rows: dict[str, list[PredictionRow]] = {}
    rejected: list[str] = []
    for path in jsonl_files(folder):
        found, bad = read_rows(path, PredictionRow.model_validate)
        rows[path.stem] = list(found)
        rejected.extend(bad)
        if len(found) > prompts:
            raise UsageError(f"{path.name} has {len(found)} rows for {prompts} prompts. Give --prompts.")
    systems = {name: _system(found, prompts) for name, found in rows.items()}
    estimators = list(dict.fromkeys(e for one in systems.values() for e in one.scores))
    return PredictionsReport(
        prompts=prompts,
        systems=systems,
        agreement=_agreement(systems, estimators),
        ranking={e: best_first(_scores(systems, e)) for e in estimators},
        subsets={
            e: subset_study(_shares(rows, e), seed=seed, prompts=prompts)
            for e in estimators
            if all(row.labels.get(e) is not None for found in rows.values() for row in found)
        },
        rejected=rejected,
    )


def jsonl_files(folder: Path) -> list[Path]:
    """The JSONL files of a folder, by name.

    Raises:
        UsageError: There is no such folder, or it holds none.
    """
    found = sorted(folder.glob("*.jsonl"), key=lambda path: path.name.lower())
    if not found:
        raise UsageError(f"{str(folder)!r} is no folder with JSONL files. Give one, with a file a system.")
    return found


def _system(rows: list[PredictionRow], prompts: int) -> SystemFigures:
    answered = [row for row in rows if row.facts]
    estimators = list(dict.fromkeys(name for row in answered for name in row.labels))
    shares = {
        name: [share for row in answered if (share := row.share(name)) is not None] for name in estimators
    }
    return SystemFigures(
        responding=len(answered) / prompts,
        facts_per_response=fmean(len(row.facts) for row in answered) if answered else None,
        scores={name: fmean(values) for name, values in shares.items()},
        rows={name: len(values) for name, values in shares.items()},
    )


def _scores(systems: Mapping[str, SystemFigures], estimator: str) -> dict[str, float]:
    return {name: one.scores[estimator] for name, one in systems.items() if estimator in one.scores}


def _agreement(systems: Mapping[str, SystemFigures], estimators: list[str]) -> list[EstimatorPair]:
    return [
        _pair(first, second, _scores(systems, first), _scores(systems, second))
        for position, first in enumerate(estimators)
        for second in estimators[position + 1 :]
    ]


def _pair(first: str, second: str, one: dict[str, float], two: dict[str, float]) -> EstimatorPair:
    common = [name for name in one if name in two]
    x, y = [one[name] for name in common], [two[name] for name in common]
    return EstimatorPair(
        first=first,
        second=second,
        pearson=pearson(np.array(x), np.array(y)),
        kendall_tau=kendall_tau(x, y),
        pairs_in_order=pairs_in_order(x, y),
    )


def _shares(rows: Mapping[str, list[PredictionRow]], estimator: str) -> dict[str, dict[str, float]]:
    return {
        name: {row.prompt: share for row in found if (share := row.share(estimator)) is not None}
        for name, found in rows.items()
    }
