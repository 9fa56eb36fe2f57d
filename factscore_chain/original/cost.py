"""The cost estimate of the original: words of the prompts, four tokens for three words, and old prices."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import HumanMessage

from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.llm import LLMDecomposer
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.language_model import LanguageModel
from factscore_chain.original.decomposer import OriginalDecomposer
from factscore_chain.original.documents import DocDB
from factscore_chain.original.sentences import sentences_of
from factscore_chain.values import Generation

_TOKENS_PER_WORD = 4 / 3
PRICES = {"davinci-003": 0.02, "gpt-3.5-turbo": 0.002}
"""US dollars for a thousand tokens, as in the original of 2023; they are not today's."""
FACTS_PER_SENTENCE = 4.5
"""In the labelled biographies of the release: 4.4 to 4.6 by system."""


def cost_line(words: float, task: str, model: str) -> str:
    """What is logged of a cost: words, tokens, and dollars where the original had a price."""
    tokens = round(words * _TOKENS_PER_WORD)
    price = PRICES.get(model)
    dollars = "price not known" if price is None else f"${price * tokens / 1000:.2f} at prices of 2023"
    return f"Estimated cost of {task} by {model}: {round(words)} words, {tokens} tokens, {dollars}"


def model_label(model: LanguageModel) -> str:
    """The model's name without a date."""
    return next((name for name in PRICES if model.name.startswith(name)), model.name)


def decomposition_words(
    decomposer: Decomposer, generations: Sequence[Generation], *, consider_cache: bool
) -> float:
    """Words of the prompts that ask for facts; those that are answered already may count for nothing.

    Only the published prompts can be known beforehand; of ours, the nearest demonstrations are left out.
    """
    if isinstance(decomposer, OriginalDecomposer):
        sentences = dict.fromkeys(s for one in generations for s in sentences_of(one.text)[0])
        prompts = [decomposer.prompt(sentence) for sentence in sentences]
        if consider_cache:
            prompts = [one for one in prompts if not decomposer.model.is_answered([HumanMessage(one)])]
        return sum(len(prompt.split()) for prompt in prompts)
    if not isinstance(decomposer, LLMDecomposer):
        return 0
    asked = decomposer.prompt.messages(topic="", context="", sentence="")
    fixed = sum(len(message.text.split()) for message in asked)
    # Each sentence is shown once to be broken up, and about once more as the context of those after it.
    words = sum(2.0 * len(one.text.split()) for one in generations)
    return words + fixed * sum(map(_sentences, generations))


def verification_words(db: DocDB, generations: Sequence[Generation], k: int) -> float:
    """Words of the prompts that ask for verdicts; an unknown topic counts for nothing."""
    return sum(_facts(one) * _context_words(db, one.topic or "", k) for one in generations)


def _facts(generation: Generation) -> float:
    if generation.facts is not None:
        return len(generation.facts)
    return FACTS_PER_SENTENCE * _sentences(generation)


def _sentences(generation: Generation) -> int:
    return len(split_sentences(generation.text))


def _context_words(db: DocDB, topic: str, k: int) -> float:
    try:
        passages = db.get_text_from_title(topic)
    except KnowledgeSourceError:
        return 0
    words = sum(len(passage["text"].split()) for passage in passages)
    return words * min(1, k / max(1, len(passages)))
