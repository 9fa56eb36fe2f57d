"""Verification as published: one message with the passages, the best one last (paper, section 4.1)."""

from __future__ import annotations

import string
from collections.abc import Sequence
from hashlib import sha256
from string import Template

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.language_model import AnyModel
from factscore_chain.prompts.prompt import load_prompt
from factscore_chain.values import Claim, Decision, Passage, Verdict
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.published_reading import published_verdict


def default_lead() -> str:
    """How the prompt opens, in our words; $topic stands for the topic."""
    return load_prompt("original_verify").template


def verification_prompt(lead: str, topic: str, fact: str, passages: Sequence[Passage]) -> str:
    """The message that asks whether a fact is true.

    Args:
        lead: How it opens, with $topic.
        topic: The article's title.
        fact: The statement.
        passages: The best first; the message has them in reverse.
    """
    shown = "".join(f"Title: {one.title or ''}\nText: {one.text}\n\n" for one in reversed(passages))
    opening = f"{Template(lead).safe_substitute(topic=topic)}\n\n{shown.strip()}".strip()
    if opening[-1:] not in string.punctuation:
        opening += "."
    return f"{opening}\n\nInput: {fact.strip()} True or False?\nOutput:"


class OriginalVerifier(Verifier):
    """Asks a chat model by the published prompt shape, and reads the reply by the published rule.

    Text of passages and facts is put in unfenced, as published: do not use it on text that may be hostile.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """

    model: AnyModel
    lead: str = Field(default_factory=default_lead)
    """How the prompt opens, with $topic."""

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        return f"original:{self.model.name}"

    @property
    def identity(self) -> dict[str, str]:
        """What decides, for the report's manifest."""
        prompt = f"original_verify:{sha256(self.lead.encode()).hexdigest()[:8]}"
        return {"kind": "original", **self.model.identity, "prompt": prompt}

    async def _process(self, value: Claim, config: RunnableConfig) -> Decision:
        prompt = verification_prompt(self.lead, value.topic or "", value.fact.text, value.passages)
        try:
            completion = await self.model.complete([HumanMessage(prompt)], config)
        except FatalModelError:
            raise
        except ModelCallError as error:
            return Decision(
                value.fact, Verdict.FAILED, self.verifier_name, passages=value.passages, cause=str(error)
            )
        supported = published_verdict(completion.text)
        return Decision(
            value.fact,
            Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
            self.verifier_name,
            passages=value.passages,
            evidence=tuple(passage.id for passage in value.passages),
            raw=completion.text,
        )
