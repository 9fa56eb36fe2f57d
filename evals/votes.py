"""What people, the embedded verifier and a language model say of the same facts, one row a fact.

Everything that is fitted to an LLM's verdicts, or measured on them, reads these rows, so that the model is
asked once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from factscore_chain.errors import UsageError
from factscore_chain.evals.judge import OnDone, claims_of, verify
from factscore_chain.evals.labeled import LabeledFile, read_rows
from factscore_chain.evals.split import is_held_out
from factscore_chain.retrieve import Retrieval
from factscore_chain.values import Claim, Verdict
from factscore_chain.verify.base import Verifier

T = TypeVar("T")

_OPEN = (Verdict.UNDECIDED, Verdict.FAILED)


class Vote(BaseModel):
    """One fact with a human label and two verdicts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str
    topic: str | None
    fact: str
    supported: bool
    """By people; irrelevant counts as not supported."""
    embedded: float
    """The embedded verifier's probability."""
    verdict: Verdict | None = None
    """The LLM's; null if it was not asked."""
    probability: float | None = None
    """The LLM's, where it gave one."""
    model: str | None = None
    """The LLM."""
    prompt: str | None = None
    """Identity of the prompt it was asked with."""

    @property
    def held_out(self) -> bool:
        """Whether nothing may be fitted to it."""
        return is_held_out(self.topic or "")

    @property
    def is_decided(self) -> bool:
        """Whether the LLM gave a verdict."""
        return self.verdict is not None and self.verdict not in _OPEN


def collect(
    files: Sequence[LabeledFile],
    retrieval: Retrieval,
    embedded: Verifier,
    llm: Verifier | None = None,
    *,
    per_topic: int | None = None,
    on_done: OnDone | None = None,
) -> list[Vote]:
    """Has labelled facts judged by both; topics without a page are left out.

    Args:
        files: Human facts, one file a system.
        retrieval: Finds their passages.
        embedded: Gives a probability to every fact.
        llm: Is asked about the same facts; None asks nothing.
        per_topic: Facts of one topic and system at most, evenly from its text; None takes all.
        on_done: Called with the number of facts just judged by one of them.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    rows = [
        (file.name, claim, fact.label is Verdict.SUPPORTED)
        for file in files
        for generation in file.generations
        for claim, fact in _spread(
            list(zip(claims_of(generation, retrieval) or (), generation.facts, strict=False)), per_topic
        )
    ]
    claims: list[Claim] = [claim for _, claim, _ in rows]
    own = verify(claims, embedded, on_done)
    asked = [None] * len(claims) if llm is None else verify(claims, llm, on_done)
    identity = {} if llm is None else llm.identity
    return [
        Vote(
            system=system,
            topic=claim.topic,
            fact=claim.fact.text,
            supported=supported,
            embedded=mine.probability or 0.0,
            verdict=None if its is None else its.verdict,
            probability=None if its is None else its.probability,
            model=identity.get("model"),
            prompt=identity.get("prompt"),
        )
        for (system, claim, supported), mine, its in zip(rows, own, asked, strict=True)
    ]


def _spread(rows: Sequence[T], most: int | None) -> Sequence[T]:
    return rows if most is None else rows[:: max(1, -(-len(rows) // most))]


def read_votes(path: Path) -> list[Vote]:
    """Reads rows that `write_votes` wrote.

    Raises:
        UsageError: The file cannot be read, or holds something else.
    """
    rows, rejected = read_rows(path, Vote.model_validate)
    if rejected:
        raise UsageError(f"{rejected[0]} Give a file that this command wrote.")
    return list(rows)


def write_votes(path: Path, votes: Sequence[Vote]) -> None:
    """Writes one row a fact, as JSON."""
    path.write_text("".join(f"{vote.model_dump_json()}\n" for vote in votes), encoding="utf-8")
