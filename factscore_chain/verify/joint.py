"""A language model and the embedded verifier as one judge: their log odds added, with fitted weights.

Their errors differ: the one reads for sense and is easily talked into True, the other weighs every word and
misses what is said otherwise. (Not in the paper, whose ensemble asks both and takes the stricter verdict.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.stage import BatchStage
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import Verifier, parts_identity, settled
from factscore_chain.verify.calibration import Calibration, log_odds, shipped_calibration, word_of
from factscore_chain.verify.embedded import EmbeddedVerifier

_OPEN = (Verdict.UNDECIDED, Verdict.FAILED)


class JointVerifier(Verifier, BatchStage[Claim, Decision]):
    """Joins an LLM's verdict with the embedded verifier's.

    Where the LLM gives a probability its log odds are taken, else its bare word, each with weights of its
    own. Where it gives no verdict, or could not be asked, the fact stays so: one judge is not two.

    Raises:
        FatalModelError: The model cannot be used at all.
    """

    llm: Verifier
    embedded: Verifier = Field(default_factory=EmbeddedVerifier)
    calibration: Calibration = Field(default_factory=shipped_calibration)

    @property
    def verifier_name(self) -> str:
        """The names of both, joined by "+"."""
        return f"{self.llm.verifier_name}+{self.embedded.verifier_name}"

    @property
    def identity(self) -> dict[str, str]:
        """Kind, calibration, and what both are."""
        parts = parts_identity(llm=self.llm, embedded=self.embedded)
        return {"kind": "joint", "calibration": self.calibration.identity, **parts}

    async def _process_many(
        self, values: Sequence[Claim], configs: Sequence[RunnableConfig]
    ) -> list[Decision]:
        claims, each = list(values), list(configs)
        local, asked = await asyncio.gather(
            self.embedded.abatch(claims, each, return_exceptions=True),
            self.llm.abatch(claims, each, return_exceptions=True),
        )
        return [
            self._joined(
                settled(claim, mine, self.embedded.verifier_name),
                settled(claim, its, self.llm.verifier_name),
            )
            for claim, mine, its in zip(claims, local, asked, strict=True)
        ]

    def _joined(self, local: Decision, asked: Decision) -> Decision:
        return join(local, asked, self.calibration, self.verifier_name)


def join(local: Decision, asked: Decision, calibration: Calibration, verifier: str) -> Decision:
    """One decision of two on the same claim.

    Args:
        local: The embedded verifier's.
        asked: The LLM's.
        calibration: Weights of both.
        verifier: Name for the decision.
    """
    open_ = next((one for one in (asked, local) if one.verdict in _OPEN), None)
    probability = None if open_ else _probability(local, asked, calibration)
    verdict, reason = open_.verdict if open_ else Verdict.NOT_SUPPORTED, None
    if probability is not None:
        weights = calibration.joint if asked.probability is not None else None
        limit = (weights or calibration.joint_words).threshold
        verdict = Verdict.SUPPORTED if probability >= limit else Verdict.NOT_SUPPORTED
    if verdict is Verdict.NOT_SUPPORTED:
        reason = local.reason or asked.reason or "no_evidence"
    deciding = [one for one in (asked, local) if one.verdict is verdict] or [asked, local]
    return Decision(
        fact=asked.fact,
        verdict=verdict,
        verifier=verifier,
        probability=probability,
        reason=reason,
        passages=local.passages,
        evidence=tuple(dict.fromkeys(id_ for one in deciding for id_ in one.evidence)),
        raw=asked.raw,
        cause=None if open_ is None else open_.cause,
        note=asked.note,
        parts=(local, asked),
    )


def _probability(local: Decision, asked: Decision, calibration: Calibration) -> float | None:
    if not local.passages:
        return None
    own = log_odds(0.5 if local.probability is None else local.probability)
    if asked.probability is not None and calibration.joint is not None:
        return calibration.joint.probability(log_odds(asked.probability), own)
    return calibration.joint_words.probability(word_of(asked), own)
