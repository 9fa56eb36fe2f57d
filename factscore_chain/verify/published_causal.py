"""Inst-LLAMA as published: a causal model's logits of True and False for the first token (extra `hf`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pydantic import Field

from factscore_chain.errors import UsageError
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import LocalVerifier
from factscore_chain.verify.causal_lm import CausalLM, load_causal_lm
from factscore_chain.verify.published import default_lead, verification_prompt

_CONTEXT, _RESERVED = 2048, 128

Known: TypeAlias = Callable[[str], str | None]
"""The answer that a converted cache holds, if it holds one."""


class OriginalCausalVerifier(LocalVerifier):
    """Supports a fact if the model gives True more weight than False right after the prompt.

    A prompt that is too long loses its beginning, as published: the opening line and the passages that match
    least. The weights run as they are stored, not in int8.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        WeightsNotFoundError: The weights are not here and cannot be downloaded.
        UsageError: The model's tokenizer begins True and False with the same token.
    """

    weights: str
    """Folder with the weights, or a name on the hub."""
    lead: str = Field(default_factory=default_lead)
    """How the prompt opens, with $topic."""
    known: Known | None = None
    """Answers of a converted cache, by prompt."""

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        return "original:llama"

    @property
    def identity(self) -> dict[str, str]:
        """What decides, for the report's manifest."""
        return {"kind": "original-causal", "model": self.weights}

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        prompts = [
            verification_prompt(self.lead, claim.topic or "", claim.fact.text, claim.passages)
            for claim in values
        ]
        old = [None if self.known is None else self.known(prompt) for prompt in prompts]
        asked = [prompt for prompt, answer in zip(prompts, old, strict=True) if answer is None]
        shares = iter(self._shares(asked))
        return [
            self._decision(claim, answer, next(shares) if answer is None else None)
            for claim, answer in zip(values, old, strict=True)
        ]

    def _shares(self, prompts: Sequence[str]) -> list[float]:
        if not prompts:
            return []
        model = load_causal_lm(self.weights)
        true, false = model.first_id("True"), model.first_id("False")
        if true == false:
            raise UsageError("The model's tokenizer gives True and False the same first token; give another.")
        longest = _longest(model)
        rows = [model.ids(prompt.strip())[-longest:] for prompt in prompts]
        return [float(share) for share in model.shares(rows, [true], [false])]

    def _decision(self, claim: Claim, old: str | None, share: float | None) -> Decision:
        supported = old == "True" if share is None else share > 0.5
        return Decision(
            claim.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            probability=share,
            passages=claim.passages,
            evidence=tuple(passage.id for passage in claim.passages),
            raw=old,
        )


def _longest(model: CausalLM) -> int:
    context = min(_CONTEXT, model.longest)
    return context - min(_RESERVED, context // 4)
