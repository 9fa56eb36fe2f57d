"""Chains that workers of a Ray cluster make, and that leave a trace of what was done where."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from factscore_chain import FactScoreChain
from factscore_chain.values import Claim, Decision
from tests.stages import SentenceDecomposer, WordVerifier

HOLD = "hold"
"""A fact with this word is not judged before somebody lets it go."""
_PATIENCE = 300


class TracingVerifier(WordVerifier):
    """Writes into a folder what it judges and in which process."""

    folder: Path

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        for claim in values:
            words = "-".join(claim.fact.text.strip(".").split())
            (self.folder / f"{words} {os.getpid()} {uuid4().hex}").touch()
            if HOLD in claim.fact.text:
                _wait_for(self.folder / "go")
        return super()._compute(values)


def make_tracing_chain(folder: Path) -> FactScoreChain:
    return FactScoreChain(
        decomposer=SentenceDecomposer(), verifier=TracingVerifier(folder=folder), gamma=None, abstain="none"
    )


def judged(folder: Path) -> list[tuple[str, int]]:
    """What was judged, with the process of each time."""
    names = [path.name.split() for path in folder.iterdir() if path.name != "go"]
    return sorted((words, int(pid)) for words, pid, _ in names)


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
