"""Several verifiers as one: supported only if all of them agree (paper, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.errors import FactScoreError, FatalModelError
from factscore_chain.stage import BatchStage
from factscore_chain.values import Claim, Decision, Passage, Verdict
from factscore_chain.verify.base import NOT_APPLICABLE, Verifier, is_not_applicable, parts_identity

_NEGATIVE = (Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT)


class EnsembleVerifier(Verifier, BatchStage[Claim, Decision]):
    """Asks its members in order; a fact that one of them rejects is not shown to the next.

    Put the cheap ones first. One rejection decides; without one, a member that failed or is undecided leaves
    the fact so; a member to which the fact is not applicable leaves the verdict to the others. The verdict
    does not depend on the members' order, but for which kind of rejection is named.

    Raises:
        FatalModelError: A member's model cannot be used at all.
    """

    members: tuple[Verifier, ...] = Field(min_length=1)

    @property
    def verifier_name(self) -> str:
        """The members' names, joined by "+"."""
        return "+".join(member.verifier_name for member in self.members)

    @property
    def identity(self) -> dict[str, str]:
        """Kind, and what each member is, under its number."""
        numbered = {str(number): member for number, member in enumerate(self.members, 1)}
        return {"kind": "ensemble", **parts_identity(**numbered)}

    @property
    def reads_passages(self) -> bool:
        """Whether any member does."""
        return any(member.reads_passages for member in self.members)

    async def _process_many(
        self, values: Sequence[Claim], configs: Sequence[RunnableConfig]
    ) -> list[Decision]:
        parts: list[list[Decision]] = [[] for _ in values]
        for member in self.members:
            left = [i for i, said in enumerate(parts) if not (said and said[-1].verdict in _NEGATIVE)]
            if not left:
                break
            replies: Sequence[Decision | BaseException] = await member.abatch(
                [values[i] for i in left], [configs[i] for i in left], return_exceptions=True
            )
            for i, reply in zip(left, replies, strict=True):
                parts[i].append(_part(values[i], reply, member.verifier_name))
        return [combine(claim, said, self.verifier_name) for claim, said in zip(values, parts, strict=True)]


def _part(claim: Claim, reply: Decision | BaseException, verifier: str) -> Decision:
    if isinstance(reply, Decision):
        return reply
    if isinstance(reply, FatalModelError) or not isinstance(reply, FactScoreError):
        raise reply
    return Decision(claim.fact, Verdict.FAILED, verifier, passages=claim.passages, cause=str(reply))


def combine(claim: Claim, parts: Sequence[Decision], verifier: str) -> Decision:
    """Joins decisions on one claim: supported only if all that apply agree.

    The probability is the least of the members', a bound from above on that of all being right; it is None
    unless every member that applies has one. Evidence is that of the members whose verdict was taken.
    """
    applicable = [part for part in parts if not is_not_applicable(part)]
    verdict = _verdict(applicable)
    deciding = [part for part in applicable if part.verdict is verdict]
    probabilities = [part.probability for part in applicable if part.probability is not None]
    complete = bool(applicable) and len(probabilities) == len(applicable)
    return Decision(
        fact=claim.fact,
        verdict=verdict,
        verifier=verifier,
        probability=min(probabilities) if complete else None,
        reason=next((part.reason for part in deciding if part.reason), None),
        passages=_passages(parts),
        evidence=tuple(dict.fromkeys(id_ for part in deciding for id_ in part.evidence)),
        raw=next((part.raw for part in deciding if part.raw is not None), None),
        cause=_cause(verdict, deciding),
        note=" ".join(dict.fromkeys(part.note for part in parts if part.note)) or None,
        parts=tuple(parts),
    )


def _verdict(applicable: Sequence[Decision]) -> Verdict:
    said = {part.verdict for part in applicable}
    order = (Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT, Verdict.FAILED, Verdict.UNDECIDED, Verdict.SUPPORTED)
    return next((verdict for verdict in order if verdict in said), Verdict.UNDECIDED)


def _cause(verdict: Verdict, deciding: Sequence[Decision]) -> str | None:
    if verdict not in (Verdict.UNDECIDED, Verdict.FAILED):
        return None
    if not deciding:
        return f"{NOT_APPLICABLE}: no member can judge this fact"
    return "; ".join(f"{part.verifier}: {part.cause or 'no cause given'}" for part in deciding)


def _passages(parts: Sequence[Decision]) -> tuple[Passage, ...]:
    by_id: dict[str, Passage] = {}
    for part in parts:
        for passage in part.passages:
            by_id.setdefault(passage.id, passage)
    return tuple(by_id.values())
