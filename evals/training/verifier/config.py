"""The recipe's settings, read from one YAML file."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.retrievers.ranking import Mode

DEFAULT = Path(__file__).with_name("config.yaml")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Edits(_Section):
    """How many minimal edits are made of a source's supported pairs."""

    rate: float = Field(ge=0, le=1)
    """Share of the supported pairs that are edited."""
    misplaced: float = Field(ge=0, le=1)
    """Share of the supported pairs that are also given a value that stands elsewhere in the evidence."""
    symmetric: float = Field(ge=0, le=1)
    """Share of the replacements that are also made in the evidence."""
    denied: float = Field(ge=0, le=1)
    """Share of edited numbers, months, nationalities and places that are denied as well: true again."""


class LeadsConfig(_Section):
    """Statements of encyclopedia leads."""

    count: int
    of_each: int
    """Statements of one lead at most."""
    facts: float = Field(ge=0, le=1)
    """Share of them that are atomic facts; the others are sentences or clauses."""
    unedited: float = Field(ge=0, le=1)
    """Share that is learnt as it stands, too."""


class PairsConfig(_Section):
    """What the cross-encoder is trained on."""

    seed: int
    of_others: int
    """Facts said of other people than they are true of."""
    leads: LeadsConfig
    irrelevant_kept: float
    """Share kept of Factcheck's irrelevant evidence, which outnumbers all else there."""
    fever_evidence_names: int
    """FEVER evidence texts that names for replacements are taken from."""
    edits: dict[str, Edits]
    mismatched: dict[str, int]


class Round(_Section):
    """Steps over which the learning rate rises once and falls to nothing."""

    seed: int
    steps: int
    learning_rate: float
    warmup: int


class Stage(Round):
    """A round, and what it draws from."""

    weights: dict[str, float]
    """How often each source of pairs is drawn."""


class Branch(_Section):
    """Rounds that draw from the same pairs, the learning rate rising anew in each."""

    rounds: list[Round]
    weights: dict[str, float]
    """How often each source of pairs is drawn."""

    @property
    def stages(self) -> list[Stage]:
        """The rounds with their weights."""
        return [Stage(**one.model_dump(), weights=self.weights) for one in self.rounds]


class TrainConfig(_Section):
    """How the cross-encoder is trained."""

    threads: int
    trunk: Stage
    """Trains on what the head is not fitted on."""
    branch: Branch
    """Goes on from the trunk once for each fold that it leaves out; the branches' mean is what ships."""
    batch: int
    head_factor: float
    """The head's learning rate, in units of the encoder's."""
    frozen_layers: int
    """Lower layers that stay as they are, as do the embeddings."""


class HeadConfig(_Section):
    """How the joined head is fitted."""

    seed: int
    trees: int
    depth: int
    learning_rate: float
    columns: float
    """Share of the features that a split may choose from."""
    l2: float
    leaf: int
    passages: int
    """Passages a fact is read against, of its topic's page."""
    retrieval: Mode
    folds: int
    weights: dict[str, float]
    """Weight of a row of each source."""


class Recipe(_Section):
    """The whole recipe."""

    version: str
    """Goes into reports: what the weights are called."""
    pairs: PairsConfig
    train: TrainConfig
    head: HeadConfig


def read_recipe(path: Path = DEFAULT) -> Recipe:
    """Reads a recipe.

    Raises:
        pydantic.ValidationError: A setting is missing, unknown or out of range.
    """
    return Recipe.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
