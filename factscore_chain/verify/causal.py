"""Verification by a local causal language model: its first token, True or False (paper: Inst-LLAMA)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from factscore_chain.prompts.prompt import Prompt, load_prompt
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import LocalVerifier, without_evidence
from factscore_chain.verify.causal_lm import CausalLM, load_causal_lm
from factscore_chain.verify.llm import shows_passages, verification_messages
from factscore_chain.verify.passage_budget import FittedPassages, fit_passages
from factscore_chain.verify.prefix_order import stable


@dataclass(frozen=True)
class _Question:
    """A claim as the model reads it."""

    fitted: FittedPassages
    ids: list[int]


class CausalLMVerifier(LocalVerifier):
    """Supports a fact if the model gives True more weight than False as the first token of its reply.

    The prompt is that of `LLMVerifier`, in the model's own chat template where it has one. No text is
    generated, so every decision has a probability and none is unreadable. Facts are read in batches, on the
    GPU if there is one. Needs the extra `hf`.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        WeightsNotFoundError: The weights are not here and cannot be downloaded.
        UsageError: The model's tokenizer begins True and False with the same token.
    """

    weights: str
    """Name on the hub, or a folder with weights."""
    prompt: Prompt = Field(default_factory=lambda: load_prompt("verify"))
    threshold: float = Field(default=0.5, ge=0, le=1)
    """A fact counts as supported above it."""
    max_passage_tokens: int = Field(default=4000, ge=50)
    """Budget for all passages of one fact, by the model's own tokens; less where its context is shorter."""

    def load(self) -> CausalLMVerifier:
        """Loads the model now, so that its absence shows before the work and not in its midst.

        Raises:
            MissingExtraError: transformers or torch is not installed.
            WeightsNotFoundError: The weights are not here and cannot be downloaded.
        """
        load_causal_lm(self.weights)
        return self

    @property
    def verifier_name(self) -> str:
        """Kind and model, such as "llama:Qwen/Qwen2.5-1.5B-Instruct"."""
        return f"{'llama' if self.reads_passages else 'no-context'}:{self.weights}"

    @property
    def identity(self) -> dict[str, str]:
        """What decides, for the report's manifest."""
        return {
            "kind": "causal-lm" if self.reads_passages else "no-context-causal-lm",
            "model": self.weights,
            "prompt": self.prompt.identity,
            "threshold": f"{self.threshold:g}",
            "max_passage_tokens": str(self.max_passage_tokens),
        }

    @property
    def reads_passages(self) -> bool:
        """Whether the prompt shows passages."""
        return shows_passages(self.prompt)

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        model = load_causal_lm(self.weights)
        asked = [self._question(claim, model) for claim in values]
        readable = [one for one in asked if one is not None and len(one.ids) <= model.longest]
        shares = iter(model.shares([one.ids for one in readable], *model.label_ids()))
        return [
            self._decision(claim, one, float(next(shares)))
            if one is not None and len(one.ids) <= model.longest
            else self._unread(claim, one, model)
            for claim, one in zip(values, asked, strict=True)
        ]

    def _question(self, claim: Claim, model: CausalLM) -> _Question | None:
        """None where the prompt shows passages and there are none."""
        if not self.reads_passages:
            return _Question(FittedPassages(()), self._ids(claim, FittedPassages(()), model))
        if not claim.passages:
            return None
        room = model.longest - len(self._ids(claim, FittedPassages(()), model))
        fitted = fit_passages(claim.passages, max(0, min(room, self.max_passage_tokens)), model.count)
        return _Question(fitted, self._ids(claim, fitted, model))

    def _ids(self, claim: Claim, fitted: FittedPassages, model: CausalLM) -> list[int]:
        system, question = verification_messages(self.prompt, claim, stable(fitted.passages))
        return model.chat_ids(system.text, question.text)

    def _decision(self, claim: Claim, asked: _Question, share: float) -> Decision:
        supported = share > self.threshold
        return Decision(
            claim.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            probability=share,
            passages=asked.fitted.passages,
            evidence=tuple(passage.id for passage in asked.fitted.passages),
            raw="True" if share > 0.5 else "False",
            note=asked.fitted.note,
        )

    def _unread(self, claim: Claim, asked: _Question | None, model: CausalLM) -> Decision:
        if asked is None:
            return without_evidence(claim, self.verifier_name)
        return Decision(
            claim.fact,
            Verdict.UNDECIDED,
            self.verifier_name,
            passages=asked.fitted.passages,
            cause=f"too long: the prompt has {len(asked.ids)} tokens, and the model reads {model.longest}",
        )
