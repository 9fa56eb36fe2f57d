"""The guardrail: an answer is checked against its evidence before somebody sees it."""

from factscore_chain.guard.check import CheckRequest, TextChecker
from factscore_chain.guard.checked import CheckedText, FactualityError
from factscore_chain.guard.evidence import CallEvidence, as_evidence, with_evidence
from factscore_chain.guard.gate import CheckedPiece, SentenceGate
from factscore_chain.guard.outcome import GuardOutcome, judge
from factscore_chain.guard.passages import as_passages
from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.guard.streaming import VerifiedStream

__all__ = [
    "CallEvidence",
    "CheckRequest",
    "CheckedPiece",
    "CheckedText",
    "FactualityError",
    "GuardOutcome",
    "GuardPolicy",
    "SentenceGate",
    "TextChecker",
    "VerifiedStream",
    "as_evidence",
    "as_passages",
    "judge",
    "with_evidence",
]
