"""Converts pickle caches of the original package into our store, once for each file.

A cache of model answers maps the prompt and "_0" to the text and the raw response; one of NP maps the fact
and its passages to a probability. Neither names the model or its settings, which only the file's name tells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from factscore_chain.original.pickles import CacheFileError, load_plain
from factscore_chain.original.store import AnswerStore

INSTRUCT_GPT, CHAT_GPT, INST_LLAMA = "InstructGPT", "ChatGPT", "inst-llama-7B"
"""Names of the original's caches of answers, without ".pkl"."""

_SAMPLE = "_0"
_LLAMA_TRUE, _LLAMA_FALSE, _LLAMA_VOCABULARIES = 5852, 7700, (32000, 32001)
_LOOKED_AT = 20


def convert_old_caches(folder: Path, store: AnswerStore) -> tuple[str, ...]:
    """Converts what a cache folder of the original holds and was not converted yet.

    Returns:
        Names of the caches converted now.

    Raises:
        CacheFileError: A cache is damaged, or holds what no cache needs; the others stay converted.
    """
    names = [INSTRUCT_GPT, CHAT_GPT, INST_LLAMA, *(path.stem for path in sorted(folder.glob("npm-*.pkl")))]
    return tuple(name for name in names if _convert(folder / f"{name}.pkl", store))


def _convert(path: Path, store: AnswerStore) -> bool:
    if not path.is_file():
        return False
    status = path.stat()
    content = f"{status.st_size} {status.st_mtime_ns}"
    if store.is_converted(path.stem, content):
        return False
    cache = load_plain(path)
    if not isinstance(cache, dict):
        raise CacheFileError(f"The cache {str(path)!r} holds a {type(cache).__name__}, not a dictionary.")
    read = _probabilities if path.stem.startswith("npm-") else _answers
    store.convert(path.stem, content, read(cache))
    return True


def _answers(cache: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    for key, value in cache.items():
        if isinstance(key, str) and key.endswith(_SAMPLE) and _is_answer(value):
            yield key[: -len(_SAMPLE)], _said(value)


def _is_answer(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def _said(value: tuple[str, Any]) -> str:
    text, beside = value
    logits = beside.ravel() if isinstance(beside, np.ndarray) else np.zeros(0)
    if len(logits) in _LLAMA_VOCABULARIES:
        return "True" if logits[_LLAMA_TRUE] > logits[_LLAMA_FALSE] else "False"
    return text


def _probabilities(cache: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    for key, value in cache.items():
        if isinstance(key, str) and isinstance(value, (int, float)) and math.isfinite(value):
            yield key, repr(float(value))


def learned_instruction(store: AnswerStore, first_demonstration: str) -> str | None:
    """How the prompts of a converted cache ask for facts: what precedes a sentence there; None if unknown."""
    for prompt in store.converted_prompts(INSTRUCT_GPT, _LOOKED_AT):
        line = prompt.split("\n", 1)[0]
        if line.endswith(first_demonstration) and (found := line[: -len(first_demonstration)].strip()):
            return found
    return None


def learned_lead(store: AnswerStore) -> str | None:
    """How the prompts of a converted cache open, with $topic for the topic; None if unknown."""
    for cache in (CHAT_GPT, INST_LLAMA):
        for prompt in store.converted_prompts(cache, _LOOKED_AT):
            lead, _, rest = prompt.partition("\n\n")
            title = rest.split("\n", 1)[0].removeprefix("Title: ")
            if rest.startswith("Title: ") and title in lead and "\n" not in lead:
                template = lead.replace("$", "$$").replace(title, "$topic")
                if Template(template).safe_substitute(topic=title) == lead:
                    return template
    return None
