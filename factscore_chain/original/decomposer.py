"""Decomposition as published: one call a sentence, and post-processing (paper, section 3.1)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from pydantic import Field, PrivateAttr

from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import FatalModelError, ModelCallError
from factscore_chain.language_model import AnyModel
from factscore_chain.original.demonstrations import PublishedDemonstrations
from factscore_chain.original.entities import entity_spans
from factscore_chain.original.facts import Pair, is_left_out, postprocess_atomic_facts, text_to_sentences
from factscore_chain.original.sentences import sentence_splitter, sentences_of
from factscore_chain.prompts.prompt import load_prompt
from factscore_chain.values import (
    AtomicFact,
    Decomposition,
    Generation,
    Sentence,
    SentenceFailure,
    Span,
)


def default_instruction() -> str:
    """What precedes each sentence in the prompt, in our words."""
    return load_prompt("original_decompose").template


class OriginalDecomposer(Decomposer):
    """Breaks sentences into facts by the published prompt shape, parser and post-processing.

    A call that fails costs its sentence, where the original tries for ever.

    Raises:
        FatalModelError: Every further call would fail the same way.
    """

    model: AnyModel
    demonstrations: Mapping[str, list[str]]
    """Sentences with their facts; the first seven are shown with every prompt, and the nearest."""
    instruction: str = Field(default_factory=default_instruction)
    """What precedes each sentence."""

    _prompts: PublishedDemonstrations = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        """Prepares the demonstrations."""
        super().model_post_init(context)
        self._prompts = PublishedDemonstrations(self.demonstrations, self.instruction)

    @property
    def identity(self) -> dict[str, str]:
        """What made the facts, for the report's manifest."""
        content = "\n".join([self.instruction, *self.demonstrations])
        return {
            "kind": "original",
            **self.model.identity,
            "prompt": f"original_decompose:{sha256(content.encode()).hexdigest()[:8]}",
            "demonstrations": str(len(self.demonstrations)),
            "sentences": sentence_splitter()[0],
            "entities": entity_spans()[0],
        }

    def prompt(self, sentence: str) -> str:
        """The message that asks for the facts of a sentence."""
        return self._prompts.prompt(sentence)

    async def pairs(
        self, text: str, config: RunnableConfig | None = None
    ) -> tuple[list[Pair], list[int], dict[str, str]]:
        """Sentences with their facts, where paragraphs begin, and which sentences failed, with the cause."""
        sentences, breaks = sentences_of(text)
        asked = list(dict.fromkeys(sentences))
        replies = dict(zip(asked, await self._ask_all(asked, config), strict=True))
        failed = {sentence: str(reply) for sentence, reply in replies.items() if isinstance(reply, Exception)}
        pairs: list[Pair] = []
        for index, sentence in enumerate(sentences):
            reply = replies[sentence]
            usable = isinstance(reply, str) and not is_left_out(sentence, index)
            pairs.append((sentence, text_to_sentences(str(reply)) if usable else []))
        mended, new_breaks = postprocess_atomic_facts(pairs, breaks)
        return mended, new_breaks, failed

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        pairs, _, failed = await self.pairs(value.text, config)
        sentences = _placed([sentence for sentence, _ in pairs], value.text)
        return Decomposition(
            sentences,
            tuple(
                AtomicFact(fact, sentence.span, sentence.index)
                for sentence, (_, facts) in zip(sentences, pairs, strict=True)
                for fact in facts
            ),
            tuple(
                SentenceFailure(index, cause)
                for index, (text, _) in enumerate(pairs)
                for sentence, cause in failed.items()
                if sentence in text
            ),
        )

    async def _ask_all(self, sentences: list[str], config: RunnableConfig | None) -> list[str | Exception]:
        tasks = [asyncio.ensure_future(self._ask(sentence, config)) for sentence in sentences]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    async def _ask(self, sentence: str, config: RunnableConfig | None) -> str | Exception:
        try:
            return (await self.model.complete([HumanMessage(self.prompt(sentence))], config)).text
        except FatalModelError:
            raise
        except ModelCallError as error:
            return error


def _placed(texts: list[str], whole: str) -> tuple[Sentence, ...]:
    """Sentences with their places in the text, whatever white space joined their parts."""
    placed: list[Sentence] = []
    start = 0
    for index, text in enumerate(texts):
        found = re.compile(r"\s*".join(map(re.escape, text.split()))).search(whole, start)
        span = Span(*found.span()) if found else Span(start, start)
        placed.append(Sentence(whole[span.start : span.end], span, index))
        start = span.end
    return tuple(placed)
