"""A cascade: a verifier that costs nothing settles what it is sure of, and the LLM is asked about the rest.

(Not in the paper.) `evals/bench/cascade.py` prints what each choice of limits saves, and what it costs in
agreement with people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig
from pydantic import Field, model_validator

from factscore_chain.stage import BatchStage
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import Verifier, parts_identity, settled

LOW, HIGH = 0.15, 0.9
"""Probabilities of the embedded verifier up to which, and from which, it is taken at its word.

On training topics it is right there in about nine facts of ten, and in nineteen of twenty.
"""


class CascadeVerifier(Verifier, BatchStage[Claim, Decision]):
    """Asks `then` only about facts whose probability by `first` lies between two limits.

    A decision's parts are those that were asked: one part says that the LLM was not. Where `then` gives no
    verdict, or could not be asked, the fact stays so, though `first` leaned to one side.

    Raises:
        FatalModelError: A model cannot be used at all.
    """

    first: Verifier
    then: Verifier
    low: float = Field(default=LOW, ge=0, le=1)
    """Facts of at most this probability are not supported, and `then` is not asked."""
    high: float = Field(default=HIGH, ge=0, le=1)
    """Facts of at least this probability are supported, and `then` is not asked."""

    @property
    def verifier_name(self) -> str:
        """The names of both, with an arrow between."""
        return f"{self.first.verifier_name}>{self.then.verifier_name}"

    @property
    def identity(self) -> dict[str, str]:
        """Kind, limits, and what both are."""
        parts = parts_identity(first=self.first, then=self.then)
        return {"kind": "cascade", "low": f"{self.low:g}", "high": f"{self.high:g}", **parts}

    @model_validator(mode="after")
    def _limits_in_order(self) -> CascadeVerifier:
        if self.low > self.high:
            raise ValueError(f"low is {self.low:g} and high is {self.high:g}; give low <= high")
        return self

    async def _process_many(
        self, values: Sequence[Claim], configs: Sequence[RunnableConfig]
    ) -> list[Decision]:
        replies = await self.first.abatch(list(values), list(configs), return_exceptions=True)
        firsts = [
            settled(claim, reply, self.first.verifier_name)
            for claim, reply in zip(values, replies, strict=True)
        ]
        rest = [number for number, decision in enumerate(firsts) if not self._is_sure(decision)]
        later = await self.then.abatch(
            [values[number] for number in rest], [configs[number] for number in rest], return_exceptions=True
        )
        found = {
            number: settled(values[number], reply, self.then.verifier_name)
            for number, reply in zip(rest, later, strict=True)
        }
        return [self._decision(first, found.get(number)) for number, first in enumerate(firsts)]

    def _is_sure(self, decision: Decision) -> bool:
        p = decision.probability
        return p is not None and (p <= self.low or p >= self.high)

    def _decision(self, first: Decision, then: Decision | None) -> Decision:
        if then is not None:
            return replace(then, verifier=self.verifier_name, parts=(first, then))
        supported = first.probability is not None and first.probability >= self.high
        return replace(
            first,
            verdict=Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            reason=None if supported else first.reason or "no_evidence",
            verifier=self.verifier_name,
            parts=(first,),
        )
