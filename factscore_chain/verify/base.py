"""What a verifier is: a claim (fact, passages, topic) in, a decision out."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig

from factscore_chain.errors import FatalModelError
from factscore_chain.failures import cause_of
from factscore_chain.stage import LocalStage, Stage
from factscore_chain.values import Claim, Decision, Passage, Verdict

NOT_APPLICABLE = "not applicable"
"""How the cause of a decision begins if the verifier has nothing to say of such a fact at all."""


class Verifier(Stage[Claim, Decision]):
    """Decides whether passages support a fact (paper, section 4.1)."""

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        raise NotImplementedError

    @property
    def identity(self) -> dict[str, str]:
        """What decides (kind, model, prompt and version, threshold), for the report's manifest."""
        raise NotImplementedError

    @property
    def reads_passages(self) -> bool:
        """Whether it judges by passages rather than by what a model knows."""
        return True

    @property
    def needs_all(self) -> bool:
        """Whether it asks about several facts together, so that it has to see all of a generation at once."""
        values = (getattr(self, name) for name in type(self).model_fields)
        parts = (one for value in values for one in (value if isinstance(value, tuple) else (value,)))
        return any(isinstance(part, Verifier) and part.needs_all for part in parts)

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Does ahead, while there are no facts yet, what can be done with passages alone: here nothing."""

    @property
    def plain(self) -> Verifier:
        """The verifier that judges by the passages of a claim alone, without looking for others."""
        return self


class LocalVerifier(Verifier, LocalStage[Claim, Decision]):
    """A verifier that computes here, many claims at once, with no model server."""


def without_evidence(claim: Claim, verifier: str) -> Decision:
    """The decision on a fact without passages: nothing supports it, and nobody need be asked."""
    return Decision(
        claim.fact,
        Verdict.NOT_SUPPORTED,
        verifier,
        reason="no_evidence",
        note="No passage was found, so no model was asked.",
    )


def is_not_applicable(decision: Decision) -> bool:
    """Whether the verifier had nothing to judge, as opposed to not knowing."""
    return decision.verdict is Verdict.UNDECIDED and (decision.cause or "").startswith(NOT_APPLICABLE)


def parts_identity(**parts: Verifier) -> dict[str, str]:
    """The identities of the verifiers that one is made of, each key behind its part's name."""
    return {f"{name}.{key}": value for name, part in parts.items() for key, value in part.identity.items()}


async def decide(verifier: Verifier, claims: Sequence[Claim], config: RunnableConfig) -> list[Decision]:
    """Decides claims together; one whose verification fails gets a failed decision.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    replies = await verifier.abatch(list(claims), config, return_exceptions=True)
    name = verifier.verifier_name
    return [settled(claim, reply, name) for claim, reply in zip(claims, replies, strict=True)]


def settled(claim: Claim, reply: Decision | BaseException, verifier: str) -> Decision:
    """A verifier's reply as a decision: an exception costs only its own fact.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """
    if isinstance(reply, Decision):
        return reply
    if isinstance(reply, FatalModelError) or not isinstance(reply, Exception):
        raise reply
    return Decision(
        claim.fact,
        Verdict.FAILED,
        verifier,
        passages=claim.passages,
        cause=cause_of(reply),
    )
