"""Inst-LLAMA as published: a causal model's logits of True and False for the first token (extra `hf`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import Field

from factscore_chain.errors import MissingExtraError, UsageError
from factscore_chain.hub import from_hub
from factscore_chain.original.np import Known
from factscore_chain.original.verifier import default_lead, verification_prompt
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import LocalVerifier

_CONTEXT, _RESERVED = 2048, 128


class CausalLMVerifier(LocalVerifier):
    """Supports a fact if the model gives True more weight than False right after the prompt.

    A prompt that is too long loses its beginning, as published: the opening line and the passages that match
    least. The weights run as they are stored, not in int8.
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
        return [self._decide(claim) for claim in values]

    def _decide(self, claim: Claim) -> Decision:
        prompt = verification_prompt(self.lead, claim.topic or "", claim.fact.text, claim.passages)
        old = None if self.known is None else self.known(prompt)
        probability = _load(self.weights).probability(prompt) if old is None else None
        supported = old == "True" if probability is None else probability > 0.5
        return Decision(
            claim.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            probability=probability,
            passages=claim.passages,
            evidence=tuple(passage.id for passage in claim.passages),
            raw=old,
        )


class _CausalLM:
    def __init__(self, tokenizer: Any, model: Any, torch: Any) -> None:
        self._torch = torch
        self._tokenizer = tokenizer
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model = model.eval().to(self._device)
        self._true, self._false = self._first("True"), self._first("False")
        if self._true == self._false:
            raise UsageError("The model's tokenizer gives True and False the same first token; give another.")
        context = min(_CONTEXT, getattr(model.config, "max_position_embeddings", _CONTEXT))
        self._longest = context - min(_RESERVED, context // 4)

    def probability(self, prompt: str) -> float:
        """Weight of True, of both, 0 to 1."""
        ids = self._tokenizer(prompt.strip(), verbose=False)["input_ids"][-self._longest :]
        with self._torch.inference_mode():
            logits = self._model(self._torch.tensor([ids]).to(self._device)).logits[0, -1].float()
        both = self._torch.stack([logits[self._true], logits[self._false]])
        return float(self._torch.softmax(both, 0)[0])

    def _first(self, word: str) -> int:
        return int(self._tokenizer(word, add_special_tokens=False)["input_ids"][0])


@lru_cache(maxsize=1)
def _load(weights: str) -> _CausalLM:
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingExtraError(f"Verification by {weights}", "hf") from error

    def load(local_only: bool) -> tuple[Any, Any]:
        return (
            AutoTokenizer.from_pretrained(weights, local_files_only=local_only),
            AutoModelForCausalLM.from_pretrained(weights, local_files_only=local_only),
        )

    return _CausalLM(*from_hub(weights, load), torch)
