"""The recipe's settings, read from one YAML file."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

DEFAULT = Path(__file__).with_name("config.yaml")


class Recipe(BaseModel):
    """How the decomposer is trained."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    threads: int
    shared_layers: int = Field(ge=1, le=5)
    """Encoder layers that run once for each sentence; those above run once more for each anchor."""
    frozen_layers: int
    machine_epochs: int
    human_epochs: int
    word_kind_sentences: int
    """Sentences with kinds of words that go with each epoch."""
    general_sentences: int
    """Encyclopedia sentences among those, so that kinds are learned beyond biographies."""
    longest: int
    """Words of the longest sentence that is learned from."""
    batch: int
    """Size of a batch, in word pieces that an upper layer reads."""
    learning_rate: float
    head_factor: float
    """The heads' learning rate, in units of the encoder's."""
    warmup: float
    dropout: float
    weights: dict[str, float]
    """Weight of each part of the loss: anchor, part, insertion, tag, entity."""


def load_recipe(path: Path = DEFAULT) -> Recipe:
    """Reads and checks a recipe."""
    return Recipe.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
