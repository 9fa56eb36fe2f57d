"""Self-check: whether the subject model says the same again (a baseline of the paper; no source is read).

The model whose text is judged is asked about the topic several times, at a temperature that lets it vary;
a fact that most of these samples support is taken for supported. What a model makes up tends not to come
twice, but an error that it always makes is not found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from pydantic import Field

from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.language_model import AnyModel, LanguageModel
from factscore_chain.prompts.prompt import Prompt, load_prompt
from factscore_chain.stage import BatchStage
from factscore_chain.values import Claim, Decision, Passage, Verdict
from factscore_chain.verify.base import NOT_APPLICABLE, Verifier
from factscore_chain.verify.llm import LLMVerifier

ORIGIN = "self-check"
"""Origin of the passages that are the subject model's own samples."""
_TYPICAL_SAMPLE = "word " * 120
"""As long as a paragraph about a person."""


class SelfCheckVerifier(Verifier, BatchStage[Claim, Decision]):
    """Supports a fact if most samples of the subject model do.

    Samples are drawn once for each topic of a batch. The probability is the share of samples that support
    the fact. A fact without a topic is undecided, since there is nothing to ask the subject about.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """

    model: AnyModel
    """Judges each sample, True or False."""
    subject: AnyModel
    """The model whose generations are scored, set to vary (see `sampling`)."""
    samples: int = Field(default=5, ge=1)
    prompt: Prompt = Field(default_factory=lambda: load_prompt("self_check"))

    @property
    def verifier_name(self) -> str:
        """Kind and subject model."""
        return f"self-check:{self.subject.name}"

    @property
    def identity(self) -> dict[str, str]:
        """Kind, models, number of samples and prompt."""
        return {
            "kind": "self-check",
            **self.model.identity,
            **{f"subject.{name}": value for name, value in self.subject.identity.items()},
            "samples": str(self.samples),
            "prompt": self.prompt.identity,
        }

    @property
    def reads_passages(self) -> bool:
        """Never: it judges by what its own model says."""
        return False

    async def _process_many(
        self, values: Sequence[Claim], configs: Sequence[RunnableConfig]
    ) -> list[Decision]:
        first = {claim.topic: config for claim, config in zip(values, configs, strict=True) if claim.topic}
        drawn = await asyncio.gather(*(self._draw(topic, config) for topic, config in first.items()))
        samples = dict(zip(first, drawn, strict=True))
        return list(
            await asyncio.gather(
                *(
                    self._judge(claim, samples.get(claim.topic or "", ()), config)
                    for claim, config in zip(values, configs, strict=True)
                )
            )
        )

    async def _draw(self, topic: str, config: RunnableConfig) -> tuple[Passage, ...] | ModelCallError:
        try:
            replies = await asyncio.gather(
                *(
                    self.subject.complete(
                        self.prompt.messages(topic=topic), config, sample=number, typical=_TYPICAL_SAMPLE
                    )
                    for number in range(1, self.samples + 1)
                )
            )
        except FatalModelError:
            raise
        except ModelCallError as error:
            return error
        return tuple(
            Passage(f"sample-{number}", reply.text, topic, rank=number, origins=(ORIGIN,))
            for number, reply in enumerate(replies, 1)
        )

    async def _judge(
        self, claim: Claim, samples: tuple[Passage, ...] | ModelCallError, config: RunnableConfig
    ) -> Decision:
        if isinstance(samples, ModelCallError):
            return Decision(claim.fact, Verdict.FAILED, self.verifier_name, cause=str(samples))
        if not samples:
            cause = f"{NOT_APPLICABLE}: self-check needs a topic to ask the subject model about"
            return Decision(claim.fact, Verdict.UNDECIDED, self.verifier_name, cause=cause)
        judge = LLMVerifier(model=self.model)
        claims = [Claim(claim.fact, (sample,), claim.topic) for sample in samples]
        return majority(claim, await judge.abatch(claims, config), samples, self.verifier_name)


def majority(
    claim: Claim, parts: Sequence[Decision], samples: tuple[Passage, ...], verifier: str
) -> Decision:
    """Combines the decisions on the samples: supported if more than half of all samples support the fact.

    Where not one sample gave a verdict the fact is undecided.
    """
    supporting = [
        sample.id for sample, part in zip(samples, parts, strict=True) if part.verdict is Verdict.SUPPORTED
    ]
    silent = all(part.verdict in {Verdict.UNDECIDED, Verdict.FAILED} for part in parts)
    verdict = Verdict.SUPPORTED if 2 * len(supporting) > len(parts) else Verdict.NOT_SUPPORTED
    return Decision(
        claim.fact,
        Verdict.UNDECIDED if silent else verdict,
        verifier,
        probability=None if silent else len(supporting) / len(parts),
        passages=samples,
        evidence=tuple(supporting),
        cause=parts[0].cause if silent else None,
        parts=tuple(parts),
    )


def sampling(model: LanguageModel, temperature: float = 1.0) -> LanguageModel:
    """The same model set to vary, where it has a temperature; else as it is."""
    if "temperature" not in type(model.model).model_fields:
        return model
    varied = model.model.model_copy(update={"temperature": temperature})
    return LanguageModel(
        varied, limits=model.limits, cache=model.cache, budget=model.budget, price=model.price
    )
