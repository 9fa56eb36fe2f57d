"""Verification by a chat model: True or False, with the passages before it (paper, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_config_list
from pydantic import Field

from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.language_model import AnyModel, Completion
from factscore_chain.prompts.prompt import Prompt, load_prompt
from factscore_chain.tokens import CountTokens, estimate_tokens
from factscore_chain.values import Claim, Decision, Passage, Verdict
from factscore_chain.verify.base import Verifier, without_evidence
from factscore_chain.verify.calibration import Calibration, Weights, log_odds
from factscore_chain.verify.logprobs import first_verdict
from factscore_chain.verify.mentions import ENGLISH, Labels
from factscore_chain.verify.passage_budget import FittedPassages, fit_passages, numbered
from factscore_chain.verify.prefix_order import call_order, stable
from factscore_chain.verify.structured import VerdictReply, verdict_text
from factscore_chain.verify.verdict_reading import Cause, Reading, read_verdict

_CAUSES: dict[Cause, str] = {
    "empty": "empty: the model's reply holds no word",
    "truncated": "truncated: the model's reply was cut off before its verdict; raise its output limit",
    "refused": "refused: the model declined to judge",
    "hedged": "hedged: the model's reply is neither true nor false",
    "conflicting": "conflicting: the model's reply says both true and false",
    "unreadable": "unreadable: the model's reply gives no verdict",
}
_ASKED_AGAIN = frozenset({"empty", "hedged", "conflicting", "unreadable"})


@dataclass(frozen=True)
class _Answer:
    completion: Completion
    reading: Reading


class LLMVerifier(Verifier):
    """Asks a chat model whether the passages support a fact.

    The reply is read strictly. Where the backend gives log-probabilities and the reply opens with its
    verdict, the decision has a probability; where it has none, the text alone gave the verdict. A fact
    without passages is not supported, and no model is asked. A call that fails costs only its own fact.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """

    model: AnyModel
    """A `LanguageModel`, a LangChain chat model, or "provider:name"."""
    prompt: Prompt = Field(default_factory=lambda: load_prompt("verify"))
    """Its fields are `topic`, `passages` and `statement`. One without `passages` judges by what the model
    knows, as the shipped "verify_no_context" does (the paper's no-context LM)."""
    labels: Labels = ENGLISH
    """The words that the prompt asks for."""
    reminder: str = "Reply with one word: True or False."
    """Said after a reply that gave no verdict, once."""
    threshold: float | None = Field(default=None, ge=0, le=1)
    """Least probability at which a fact counts as supported; by default that of the calibration, and without
    one the model's own word decides. Without a probability it has no effect."""
    calibration: Calibration | None = None
    """What the model's log-probabilities are worth; None takes them as they are."""
    structured: bool = False
    """Whether the verdict is asked for as data, where the model's profile says that it can. It then comes
    without a probability."""
    max_passage_tokens: int = Field(default=4000, ge=50)
    """Budget for all passages of one call; the fact and the question are never shortened."""
    count_tokens: CountTokens = Field(default=estimate_tokens, exclude=True, repr=False)
    """Counts the tokens of a text; by default one for four characters."""

    @property
    def verifier_name(self) -> str:
        """Kind and model, such as "llm:gpt-4o-mini"."""
        return f"{'llm' if self.reads_passages else 'no-context'}:{self.model.name}"

    @property
    def identity(self) -> dict[str, str]:
        """Kind, model, prompt, threshold and passage budget."""
        return {
            "kind": "llm" if self.reads_passages else "no-context",
            **self.model.identity,
            "prompt": self.prompt.identity,
            "threshold": "none" if self._limit is None else str(self._limit),
            "calibration": "none" if self.calibration is None else self.calibration.identity,
            "structured": str(self.structured and self.model.offers_schema),
            "max_passage_tokens": str(self.max_passage_tokens),
        }

    @property
    def _weights(self) -> Weights | None:
        return None if self.calibration is None else self.calibration.alone

    @property
    def _limit(self) -> float | None:
        return self._weights.threshold if self.threshold is None and self._weights else self.threshold

    @property
    def reads_passages(self) -> bool:
        """Whether the prompt shows passages."""
        return shows_passages(self.prompt)

    async def abatch(
        self,
        inputs: list[Claim],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Decision]:
        """Decides all claims; calls with the same passages are sent one after the other."""
        order, configs = call_order(inputs), get_config_list(config, len(inputs))
        replies = await super().abatch(
            [inputs[i] for i in order],
            [configs[i] for i in order],
            return_exceptions=return_exceptions,
            **kwargs,
        )
        return [reply for _, reply in sorted(zip(order, replies, strict=True), key=lambda pair: pair[0])]

    async def _process(self, value: Claim, config: RunnableConfig) -> Decision:
        if self.reads_passages and not value.passages:
            return without_evidence(value, self.verifier_name)
        given = value.passages if self.reads_passages else ()
        fitted = fit_passages(given, self.max_passage_tokens, self.count_tokens)
        try:
            answer = await self._ask(self.messages(value, stable(fitted.passages)), config)
        except FatalModelError:
            raise
        except ModelCallError as error:
            return self.failed(value, fitted, error)
        return self.decision(value, fitted, answer.completion, answer.reading)

    def messages(self, claim: Claim, passages: Sequence[Passage]) -> list[BaseMessage]:
        """What is sent about a claim; passages are numbered in the order given."""
        return verification_messages(self.prompt, claim, passages)

    async def _ask(self, messages: list[BaseMessage], config: RunnableConfig) -> _Answer:
        answer = await self._ask_once(messages, config)
        if answer.reading.cause not in _ASKED_AGAIN:
            return answer
        # The model is shown what it said, or at temperature 0 it would say it again.
        said = AIMessage(answer.completion.text.strip() or "-")
        return await self._ask_once([*messages, said, HumanMessage(self.reminder)], config)

    async def _ask_once(self, messages: list[BaseMessage], config: RunnableConfig) -> _Answer:
        schema = VerdictReply if self.structured else None
        completion = await self.model.complete(messages, config, logprobs=not self.structured, schema=schema)
        text = verdict_text(completion.text, self.labels) if self.structured else completion.text
        shown = [message.text for message in messages if not isinstance(message, AIMessage)]
        reading = read_verdict(text, finish_reason=completion.finish_reason, labels=self.labels, shown=shown)
        return _Answer(completion, reading)

    def failed(self, claim: Claim, fitted: FittedPassages, error: ModelCallError) -> Decision:
        """The decision on a claim whose call failed."""
        return Decision(
            claim.fact, Verdict.FAILED, self.verifier_name, passages=fitted.passages, cause=str(error)
        )

    def decision(
        self, claim: Claim, fitted: FittedPassages, completion: Completion, reading: Reading
    ) -> Decision:
        """The decision on a claim, given the model's reply and what it was read as."""
        probability = self._probability(completion, reading)
        verdict, cause = self._verdict(reading, probability), None
        if reading.cause is not None:
            cause = _CAUSES[reading.cause]
        elif self.reads_passages and (unknown := _unknown(reading, len(fitted.passages))):
            verdict, probability = Verdict.UNDECIDED, None
            cause = f"unknown passage: the model cites {unknown}, which it was not shown"
        return Decision(
            fact=claim.fact,
            verdict=verdict,
            verifier=self.verifier_name,
            probability=probability,
            passages=fitted.passages,
            evidence=() if verdict is Verdict.UNDECIDED else _evidence(reading, fitted.passages),
            raw=completion.text,
            cause=cause,
            note=fitted.note,
        )

    def _probability(self, completion: Completion, reading: Reading) -> float | None:
        first = first_verdict(completion.tokens, self.labels)
        # A reply that went on to take its first word back has no probability of its final verdict.
        agrees = first is not None and reading.verdict is (
            Verdict.SUPPORTED if first.supports else Verdict.NOT_SUPPORTED
        )
        if first is None or not agrees:
            return None
        if self._weights is None:
            return first.probability
        return self._weights.probability(log_odds(first.probability))

    def _verdict(self, reading: Reading, probability: float | None) -> Verdict:
        if probability is None or self._limit is None:
            return reading.verdict
        return Verdict.SUPPORTED if probability >= self._limit else Verdict.NOT_SUPPORTED


def shows_passages(prompt: Prompt) -> bool:
    """Whether a prompt has a place for passages."""
    return "$passages" in prompt.template or "${passages}" in prompt.template


def verification_messages(prompt: Prompt, claim: Claim, passages: Sequence[Passage]) -> list[BaseMessage]:
    """A verification prompt about a claim; passages are numbered in the order given."""
    return prompt.messages(topic=claim.topic or "", passages=numbered(passages), statement=claim.fact.text)


def _unknown(reading: Reading, shown: int) -> str:
    return ", ".join(f"[{number}]" for number in reading.cited if not 1 <= number <= shown)


def _evidence(reading: Reading, passages: Sequence[Passage]) -> tuple[str, ...]:
    shown = stable(passages)
    named = [shown[number - 1].id for number in reading.cited] if passages else []
    return tuple(dict.fromkeys(named or [passage.id for passage in passages]))
