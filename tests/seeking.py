"""A small knowledge source and a verifier that knows why, for tests of evidence seeking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.seek.verifier import SeekingVerifier
from factscore_chain.values import AtomicFact, Claim, Decision, Reason, Verdict
from tests.stages import WordVerifier

FILLER = [f"Ada Lovelace kept {number} notebooks about sums." for number in range(4)]
PAGES: tuple[dict[str, Any], ...] = (
    {"title": "Ada Lovelace", "text": [*FILLER, "Ada Lovelace learned Italian early."]},
    {
        "title": "Analytical Engine",
        "text": "The Analytical Engine was a machine. Ada Lovelace wrote notes on the Analytical Engine.",
    },
    {"title": "Annabella Byron", "text": "Annabella Byron was born in Durham. She raised Ada Lovelace."},
    {"title": "Byron Hall", "text": "Annabella Byron was born in Durham and raised Ada Lovelace there."},
    {"title": "Mercury (planet)", "text": "Mercury is near the Sun."},
    {"title": "Mercury (element)", "text": "Mercury is a metal. Mercury flows."},
)
TOPIC = "Ada Lovelace"


class ReasonedVerifier(WordVerifier):
    """Knows why: contradicted where "Paris" stands in the fact, undecided where "Perhaps" does."""

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        return [self._with_reason(decision) for decision in super()._compute(values)]

    def _with_reason(self, decision: Decision) -> Decision:
        if decision.verdict is Verdict.SUPPORTED:
            return decision
        if "Perhaps" in decision.fact.text:
            return Decision(
                decision.fact, Verdict.UNDECIDED, "words", cause="hedged", passages=decision.passages
            )
        reason: Reason = "contradicted" if "Paris" in decision.fact.text else "no_evidence"
        return Decision(
            decision.fact, Verdict.NOT_SUPPORTED, "words", reason=reason, passages=decision.passages
        )


def seeker(source: KnowledgeSource, k: int = 2, **more: Any) -> SeekingVerifier:
    retrieval = Retrieval(retriever=KnowledgeRetriever(source=source, mode="bm25"), k=k)
    return SeekingVerifier(**{"verifier": ReasonedVerifier(), "retrieval": retrieval, **more})


def claim(text: str, source: KnowledgeSource, topic: str | None = TOPIC, found: int = 2) -> Claim:
    passages = source.passages(topic)[:found] if topic else ()
    return Claim(AtomicFact(text), passages, topic)
