"""Chat models for the drop-in: the one that a name of the original stands for, or the user's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel

from factscore_chain.answer_cache import AnswerCache
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel, init_model
from factscore_chain.published_names import CHAT_GPT

KEY_VARIABLE = "OPENAI_API_KEY"


def read_key(path: str) -> str | None:
    """The first line of a key file; None if there is no file but the environment has a key.

    Raises:
        UsageError: There is neither, or the file is empty. The message never holds the argument where it
            looks like a key itself.
    """
    file = Path(path)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        if os.environ.get(KEY_VARIABLE):
            return None
        named = "the path given (it looks like a key, not a path)" if _is_like_key(path) else repr(path)
        raise UsageError(
            f"There is no OpenAI key: no file at {named}, and {KEY_VARIABLE} is not set. openai_key is the "
            "path of a file whose first line is the key."
        ) from None
    key = lines[0].strip() if lines else ""
    if not key:
        raise UsageError(f"The key file {path!r} is empty. Put the key on its first line.")
    return key


def chat_model(llm: Any, key_path: str, cache: AnswerCache | None, **options: Any) -> LanguageModel:
    """Makes the model that answers, with its answers kept.

    Args:
        llm: The user's own model or "provider:name"; None for the original's.
        key_path: File with the OpenAI key, for a model of OpenAI that is named.
        cache: Where answers are kept.
        options: Settings for a model that is named; the user's own model keeps its settings.

    Raises:
        UsageError: There is no key, or the model cannot be set up.
    """
    if isinstance(llm, LanguageModel):
        return llm
    if isinstance(llm, BaseChatModel):
        return LanguageModel(llm, cache=cache)
    if llm is not None and not isinstance(llm, str):
        raise UsageError(f"{type(llm).__name__} is no model. Give a chat model or a name.")
    name = llm or CHAT_GPT
    if name.startswith("openai:") and (key := read_key(key_path)) is not None:
        options["api_key"] = key
    return LanguageModel(init_model(name, **options), cache=cache)


def _is_like_key(text: str) -> bool:
    return text.startswith("sk-") or (len(text) > 30 and "/" not in text and "." not in text)
