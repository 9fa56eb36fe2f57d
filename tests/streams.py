"""Gates that a text is streamed through, by plain rules or by the embedded estimator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from factscore_chain.chain import FactScoreChain
from factscore_chain.guard.check import TextChecker
from factscore_chain.guard.evidence import as_evidence
from factscore_chain.guard.gate import CheckedPiece, SentenceGate
from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.guard.streaming import VerifiedStream
from factscore_chain.retrievers.context import ContextOnly
from tests.stages import SentenceDecomposer, WordVerifier

CONTEXT = [
    "Nintendo was founded in Kyoto in 1889. It made cards.",
    "Kyoto is a city in Japan. It has temples.",
]
GOOD = ("Nintendo was founded in Kyoto.", "Kyoto is a city in Japan.", "It has temples.")
BAD = "Nintendo was founded in Osaka."


def gate(topic: str | None = None, **policy: Any) -> SentenceGate:
    chain = FactScoreChain(ContextOnly(), decomposer=SentenceDecomposer(), verifier=WordVerifier())
    return SentenceGate(TextChecker(chain, GuardPolicy(**policy)), topic, as_evidence(CONTEXT))


def embedded(**policy: Any) -> SentenceGate:
    checker = TextChecker(FactScoreChain(ContextOnly()), GuardPolicy(**policy))
    return SentenceGate(checker, None, as_evidence(CONTEXT))


async def bits(text: str, size: int = 5) -> AsyncIterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


async def shown(gate: SentenceGate, text: str) -> list[CheckedPiece]:
    return [piece async for piece in VerifiedStream(gate, bits(text))]


async def text_shown(gate: SentenceGate, text: str) -> str:
    return "".join(piece.text for piece in await shown(gate, text))
