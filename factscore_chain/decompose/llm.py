"""Decomposition by a chat model: one call a sentence, with demonstrations (paper, section 3.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.callbacks import AsyncCallbackManagerForChainRun
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config
from pydantic import Field, PrivateAttr

from factscore_chain.decompose.additions import addition
from factscore_chain.decompose.along import Along, Tell
from factscore_chain.decompose.base import Decomposer, overlap
from factscore_chain.decompose.demonstrations import Demonstrations
from factscore_chain.decompose.distinct import distinct
from factscore_chain.decompose.markup import readable
from factscore_chain.decompose.reading import Reading, read_facts
from factscore_chain.decompose.roles import with_names
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.spans import fact_span
from factscore_chain.decompose.standalone import opens_with_pronoun, with_topic
from factscore_chain.decompose.structured import FactsReply, facts_text
from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.language_model import AnyModel
from factscore_chain.prompts.prompt import Prompt, load_prompt
from factscore_chain.values import (
    AtomicFact,
    Decomposition,
    DroppedFact,
    Generation,
    Sentence,
    SentenceFailure,
    Span,
)

_CONTEXT_SENTENCES = 4
"""Sentences before the one asked about that are shown, beside the text's first, which names its subject."""
_CONTEXT_LENGTH = 1200
"""Characters of these that are shown at most."""

_AGAIN = (
    'That is not the form asked for. Answer with the facts alone, each on a line after "- ", or with NONE.'
)

_CAUSES = {
    "refused": "The model refused, or spoke of the sentence instead of listing facts.",
    "truncated": "The model's reply was cut off; its complete facts are kept.",
    "unreadable": "The model's reply is no list of facts.",
}


@dataclass(frozen=True)
class _Answer:
    """What came of one sentence."""

    facts: tuple[AtomicFact, ...] = ()
    failures: tuple[SentenceFailure, ...] = ()
    dropped: tuple[DroppedFact, ...] = ()


class LLMDecomposer(Decomposer):
    """Asks a chat model for the facts of each sentence; sentences run together, within the model's limiter.

    A sentence that fails is recorded and the others go on; `FatalModelError` stops all of them. Facts that
    open with a pronoun or a bare role are repaired or marked as not checkable; facts with a number or a name
    that the text does not have are dropped and recorded.
    """

    model: AnyModel
    """A `LanguageModel`, a LangChain chat model, or "provider:name"."""
    prompt: Prompt = Field(default_factory=lambda: load_prompt("decompose"))
    """Its fields are `topic`, `context` and `sentence`."""
    nearest: int = Field(default=2, ge=0)
    """Demonstrations shown beside the fixed ones: those nearest to the sentence by BM25."""
    attempts: int = Field(default=2, ge=1)
    """Times that a sentence is asked for while the reply is no list."""

    structured: bool = False
    """Whether the facts are asked for as data, where the model's profile says that it can."""

    _demonstrations: Demonstrations = PrivateAttr()

    def model_post_init(self, context: object) -> None:
        """Prepares the demonstrations."""
        self._demonstrations = Demonstrations(self.prompt, "sentence")

    @property
    def identity(self) -> dict[str, str]:
        """Kind, model, prompt and number of nearest demonstrations."""
        return {
            "kind": "llm",
            **self.model.identity,
            "prompt": self.prompt.identity,
            "nearest": str(self.nearest),
            "structured": str(self.structured and self.model.offers_schema),
        }

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        sentences = split_sentences(value.text)
        return await self._decompose_all(value, sentences, sentences, config)

    async def decompose_along(
        self, generation: Generation, config: RunnableConfig, tell: Tell
    ) -> Decomposition:
        """Tells the facts of each sentence as soon as the model has given them."""

        async def call(
            value: Generation, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
        ) -> Decomposition:
            sentences = split_sentences(value.text)
            child = patch_config(config, callbacks=run_manager.get_child())
            return await self._decompose_all(value, sentences, sentences, child, tell)

        return await self._acall_with_config(call, generation, config, run_type="chain")

    async def decompose_part(
        self, generation: Generation, spans: Sequence[Span], config: RunnableConfig
    ) -> Decomposition:
        """Asks for the sentences at `spans` only, each with the context it has in the whole text."""
        sentences = split_sentences(generation.text)
        wanted = [one for one in sentences if any(overlap(one.span, span) for span in spans)]
        return await self._decompose_all(generation, sentences, wanted, config)

    async def _decompose_all(
        self,
        value: Generation,
        sentences: Sequence[Sentence],
        wanted: Sequence[Sentence],
        config: RunnableConfig,
        tell: Tell | None = None,
    ) -> Decomposition:
        asked = [sentence for sentence in wanted if _has_content(sentence)]
        along = None if tell is None else Along(asked, value.topic, tell)

        async def one(sentence: Sentence) -> _Answer:
            answer = await self._decompose(value, sentences, sentence, config)
            if along is not None:
                along.answered(sentence, answer.facts)
            return answer

        tasks = [asyncio.ensure_future(one(sentence)) for sentence in asked]
        try:
            answers = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return Decomposition(
            tuple(sentences),
            distinct(fact for answer in answers for fact in answer.facts),
            tuple(failure for answer in answers for failure in answer.failures),
            tuple(drop for answer in answers for drop in answer.dropped),
        )

    async def _decompose(
        self, value: Generation, sentences: Sequence[Sentence], sentence: Sentence, config: RunnableConfig
    ) -> _Answer:
        context = sentence_context(sentences, sentence.index)
        said = readable(sentence.text)
        messages = self.prompt.messages(
            self._demonstrations.nearest(said, self.nearest),
            topic=value.topic or "",
            context=context,
            sentence=said,
        )
        try:
            # The facts of a sentence together have about twice its words.
            reading, raw = await self._ask(messages, config, f"- {said}\n- {said}")
        except FatalModelError:
            raise
        except ModelCallError as error:
            return _Answer(failures=(SentenceFailure(sentence.index, str(error)),))
        known = f"{value.topic or ''}\n{context}\n{said}"
        facts, dropped = _checked(reading.facts, known, value.topic, sentences, sentence)
        failures = (
            (SentenceFailure(sentence.index, _CAUSES[reading.problem], raw),) if reading.problem else ()
        )
        return _Answer(facts, failures, dropped)

    async def _ask(
        self, messages: list[BaseMessage], config: RunnableConfig, typical: str
    ) -> tuple[Reading, str]:
        """Asks until the reply can be read; the model is shown what was wrong, or it would say it again."""
        schema = FactsReply if self.structured else None
        for attempt in range(self.attempts):
            completion = await self.model.complete(messages, config, schema=schema, typical=typical)
            text = facts_text(completion.text) if self.structured else completion.text
            reading = read_facts(text, completion.finish_reason)
            if reading.problem != "unreadable" or attempt + 1 == self.attempts:
                break
            messages = [*messages, AIMessage(completion.text or "-"), HumanMessage(_AGAIN)]
        return reading, completion.text


def sentence_context(sentences: Sequence[Sentence], index: int) -> str:
    """What one sentence is understood by: its titles, the text's first sentence and the last few."""
    sentence = sentences[index]
    before = [s for s in sentences[:index] if s.kind in {"prose", "list_item"}]
    shown = before if len(before) <= _CONTEXT_SENTENCES else [before[0], *before[-_CONTEXT_SENTENCES:]]
    text = "\n".join(readable(s.text) for s in shown)
    if len(text) > _CONTEXT_LENGTH:
        text = "… " + text[-_CONTEXT_LENGTH:]
    titles = "# " + " > ".join(sentence.headings) if sentence.headings else ""
    return "\n".join(part for part in (titles, text) if part)


def _has_content(sentence: Sentence) -> bool:
    return sentence.kind not in {"heading", "code"} and any(map(str.isalnum, sentence.text))


def _checked(
    texts: Sequence[str], known: str, topic: str | None, sentences: Sequence[Sentence], sentence: Sentence
) -> tuple[tuple[AtomicFact, ...], tuple[DroppedFact, ...]]:
    facts: list[AtomicFact] = []
    dropped: list[DroppedFact] = []
    for text in texts:
        if (added := addition(text, known)) is not None:
            dropped.append(DroppedFact(text, sentence.index, f"The text does not say {added!r}."))
            continue
        span = fact_span(sentence, text, topic)
        resolved = text
        if open_ := opens_with_pronoun(text, sentence.text):
            repaired = with_topic(text, topic, sentences, sentence.index) if topic else None
            open_, resolved = repaired is None, repaired or text
        fact = AtomicFact(resolved, span, sentence.index, checkable=not open_)
        facts.append(with_names(fact, topic, sentences))
    return tuple(facts), tuple(dropped)
