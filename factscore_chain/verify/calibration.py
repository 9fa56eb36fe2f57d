"""What a model's words and log-probabilities are worth, fitted to human labels and kept in a small JSON file.

Weak judges say True too often, and a probability of 0.9 of one is not that of another. A calibration belongs
to one model: `factscore eval calibrate` makes it from labelled facts.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factscore_chain.errors import UsageError
from factscore_chain.values import Decision, Verdict

Finite = Annotated[float, Field(allow_inf_nan=False)]
Probability = Annotated[float, Field(ge=0, le=1)]

_LEAST = 1e-6
"""Probabilities of 0 and 1 are taken as this far from it, so that their log odds are finite."""


class Weights(BaseModel):
    """A logistic combination of log odds: `llm` * the LLM's + `embedded` * the verifier's + `offset`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    llm: Finite
    embedded: Finite = 0.0
    offset: Finite
    threshold: Probability
    """Probability from which a fact counts as supported."""

    def probability(self, llm: float, embedded: float = 0.0) -> float:
        """The probability of being supported, 0 to 1.

        Args:
            llm: Log odds that the LLM gives, or +1 and -1 for True and False, by what the weights are for.
            embedded: Log odds that the embedded verifier gives.
        """
        return sigmoid(self.llm * llm + self.embedded * embedded + self.offset)


class Calibration(BaseModel):
    """What one model's verdicts are worth, alone and joined with the embedded verifier's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    model: str
    """The judge it was fitted on."""
    prompt: str
    """Identity of the prompt it was asked with."""
    embedded: str
    """Version of the embedded verifier."""
    facts: int
    """Labelled facts it was fitted on."""
    topics: int
    alone: Weights | None = None
    """For the LLM's log-probabilities; null where it gave none."""
    joint: Weights | None = None
    """For its log-probabilities and the embedded verifier's; null where it gave none."""
    joint_words: Weights
    """For its bare True or False and the embedded verifier's log odds."""

    @property
    def identity(self) -> str:
        """The model it was fitted on and by how many facts, for a report's manifest."""
        return f"{self.model}, {self.facts} facts of {self.topics} topics"


def log_odds(probability: float) -> float:
    """The logarithm of p / (1 - p)."""
    clipped = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(clipped / (1 - clipped))


def sigmoid(x: float) -> float:
    """The probability with these log odds."""
    return 1 / (1 + math.exp(-min(max(x, -60.0), 60.0)))


def word_of(decision: Decision) -> float:
    """+1 for a fact found supported, -1 otherwise."""
    return 1.0 if decision.verdict is Verdict.SUPPORTED else -1.0


def read_calibration(path: str | Path) -> Calibration:
    """Reads a calibration file.

    Raises:
        UsageError: The file cannot be read, or is no calibration.
    """
    try:
        return Calibration.model_validate_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise UsageError(
            f"{str(path)!r} is no calibration ({type(error).__name__}). "
            "Make one by `factscore eval calibrate`."
        ) from error


@cache
def shipped_calibration() -> Calibration:
    """The calibration that serves for a model which has none of its own; its card says what it is worth."""
    return read_calibration(Path(str(files("factscore_chain.models") / "joint" / "weights.json")))
