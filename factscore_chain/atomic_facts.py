"""The original's module of this name: atomic facts by the published protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from factscore_chain.aio import run_sync
from factscore_chain.errors import DecompositionError, UsageError
from factscore_chain.original.cost import decomposition_words
from factscore_chain.original.decomposer import OriginalDecomposer, default_instruction
from factscore_chain.original.demonstrations import best_demos, read_demonstrations
from factscore_chain.original.entities import (
    detect_entities,
    extract_numeric_values,
    is_date,
    is_integer,
    is_num,
    normalize_answer,
)
from factscore_chain.original.facts import Pair, postprocess_atomic_facts, text_to_sentences
from factscore_chain.original.models import chat_model
from factscore_chain.original.old_caches import INSTRUCT_GPT, convert_old_caches, learned_instruction
from factscore_chain.original.sentences import detect_initials, fix_sentence_splitter
from factscore_chain.original.store import AnswerStore, ConvertedCache
from factscore_chain.values import Generation

__all__ = [
    "AtomicFactGenerator",
    "best_demos",
    "detect_entities",
    "detect_initials",
    "extract_numeric_values",
    "fix_sentence_splitter",
    "is_date",
    "is_integer",
    "is_num",
    "normalize_answer",
    "postprocess_atomic_facts",
    "text_to_sentences",
]


class AtomicFactGenerator:
    """Breaks a generation into facts, called as the original's class of this name.

    Args:
        key_path: File with the OpenAI key on its first line.
        demon_dir: Holds `demons.json`.
        gpt3_cache_file: The original's pickle of answers, which need not exist; answers are kept in
            `answers.db` beside it. None keeps none.
        llm: A chat model or "provider:name" in place of gpt-3.5-turbo (text-davinci-003 was retired).

    Raises:
        UsageError: The demonstrations are missing, or there is no key.
    """

    def __init__(
        self, key_path: str, demon_dir: str, gpt3_cache_file: str | None = None, *, llm: Any = None
    ) -> None:
        self._store: AnswerStore | None = None
        instruction, cache = default_instruction(), None
        demonstrations = read_demonstrations(Path(demon_dir) / "demons.json")
        if gpt3_cache_file is not None:
            folder = Path(gpt3_cache_file).parent
            self._store = AnswerStore(folder / "answers.db")
            convert_old_caches(folder, self._store)
            cache = ConvertedCache(self._store, INSTRUCT_GPT)
            instruction = learned_instruction(self._store, next(iter(demonstrations), "")) or instruction
        model = chat_model(llm, key_path, cache, temperature=0.7, max_tokens=512)
        self._decomposer = OriginalDecomposer(
            model=model, demonstrations=demonstrations, instruction=instruction
        )

    def run(self, generation: str, cost_estimate: str | None = None) -> tuple[list[Pair], list[int]] | int:
        """Sentences with their facts, and at which of them a new paragraph begins.

        Args:
            generation: The text.
            cost_estimate: "consider_cache" or "ignore_cache" asks nothing, and gives the words of the
                prompts instead; the first leaves out what is answered already.

        Raises:
            UsageError: The generation is no text.
            DecompositionError: A sentence could not be asked about.
        """
        if not isinstance(generation, str):
            raise UsageError(f"A generation is of type {type(generation).__name__}. Give a text.")
        if cost_estimate:
            return round(self._words(generation, consider=cost_estimate == "consider_cache"))
        pairs, breaks, failed = run_sync(self._decomposer.pairs(generation))
        for sentence, cause in failed.items():
            raise DecompositionError(f"{len(failed)} sentences could not be broken up: {cause}", sentence)
        return pairs, breaks

    def save_cache(self) -> None:
        """Kept for callers of the original: answers are on disk as they come."""

    def _words(self, generation: str, *, consider: bool) -> float:
        return decomposition_words(self._decomposer, [Generation(generation)], consider_cache=consider)
