"""What `prepare` writes and `train` reads."""

from __future__ import annotations

from typing import NamedTuple

from factscore_chain.evals.training.decomposer.parses import WordKinds
from factscore_chain.evals.training.decomposer.targets import AnchoredFact

PREPARED = "prepared.pkl"


class TargetSentence(NamedTuple):
    """A sentence with what the networks are to say of it."""

    topic: str
    text: str
    words: tuple[str, ...]
    facts: tuple[AnchoredFact, ...]


class Prepared(NamedTuple):
    """All that is learned from."""

    human: list[TargetSentence]
    machine: list[TargetSentence]
    kinds: list[WordKinds]
