"""Answers of models on disk, so that nothing is asked and paid for twice: one SQLite file.

The key is everything that shapes an answer: the messages, and the model with all its settings as LangChain
writes them. Answers converted from the original's caches stand apart: there nothing but the prompt is known,
so only the published protocol, which sends the same prompts, may look among them.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from langchain_core.caches import BaseCache
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, Generation

from factscore_chain.errors import FactScoreError

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, prompt TEXT, message TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS answered ON answers (prompt);
CREATE TABLE IF NOT EXISTS converted (
    cache TEXT NOT NULL, prompt TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (cache, prompt)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (cache TEXT PRIMARY KEY, content TEXT NOT NULL);
"""
_FREE = cast(UsageMetadata, {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0})
_WHOLE = frozenset({None, "stop", "end_turn", "STOP"})


class AnswerStore:
    """The file of answers; safe for threads, and for processes through SQLite's own locks.

    Raises:
        FactScoreError: The file cannot be opened or made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)  # it holds what users wrote
            self._connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
            self._connection.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise FactScoreError(
                f"The cache {str(path)!r} cannot be used ({error}). Delete it, or give another cache_dir."
            ) from error

    def answer(self, key: str) -> str | None:
        """The message stored under a key, as JSON."""
        return self._one("SELECT message FROM answers WHERE key = ?", key)

    def keep(self, key: str, message: str, prompt: str | None = None) -> None:
        """Stores the message that answers a prompt; it survives whatever ends the process."""
        hashed = None if prompt is None else _hash(prompt)
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, hashed, message))

    def is_answered(self, prompt: str, cache: str) -> bool:
        """Whether any model answered a prompt of one message, or a converted cache does."""
        kept = self._one("SELECT key FROM answers WHERE prompt = ?", _hash(prompt))
        return kept is not None or self.converted(cache, prompt) is not None

    def converted(self, cache: str, prompt: str) -> str | None:
        """The answer that one of the original's caches held for a prompt."""
        return self._one("SELECT answer FROM converted WHERE cache = ? AND prompt = ?", cache, prompt)

    def converted_prompts(self, cache: str, limit: int) -> list[str]:
        """Some prompts of a converted cache."""
        with self._lock, closing(self._connection.cursor()) as cursor:
            rows = cursor.execute("SELECT prompt FROM converted WHERE cache = ? LIMIT ?", (cache, limit))
            return [prompt for (prompt,) in rows]

    def is_converted(self, cache: str, content: str) -> bool:
        """Whether this cache was converted from a file of this content."""
        return self._one("SELECT content FROM sources WHERE cache = ?", cache) == content

    def convert(self, cache: str, content: str, answers: Iterable[tuple[str, str]]) -> None:
        """Stores the answers of one of the original's caches, all or none."""
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO converted VALUES (?, ?, ?)",
                ((cache, prompt, answer) for prompt, answer in answers),
            )
            connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?)", (cache, content))

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._connection.close()

    def _one(self, sql: str, *parameters: str) -> str | None:
        with self._lock:
            row = self._connection.execute(sql, parameters).fetchone()
        return None if row is None else str(row[0])

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._connection:
            yield self._connection


class AnswerCache(BaseCache):
    """The store as the cache of a LangChain chat model.

    Args:
        store: Where answers are kept.
        cache: Name of the converted cache to look in as well; None looks in none.
        model: What else tells one model from another, since not every class tells LangChain its settings.
    """

    def __init__(self, store: AnswerStore, cache: str | None = None, model: str = "") -> None:
        self._store = store
        self._cache = cache
        self._model = model

    def of(self, model: BaseChatModel) -> AnswerCache:
        """The same cache for the answers of one model: its class and plain settings are in the key."""
        settings = {
            name: value
            for name in type(model).model_fields
            if isinstance(value := getattr(model, name), (str, int, float, bool))
        }
        kind = f"{type(model).__module__}.{type(model).__qualname__}"
        return AnswerCache(self._store, self._cache, f"{kind} {sorted(settings.items())}")

    def lookup(self, prompt: str, llm_string: str) -> Sequence[Generation] | None:
        """The answer to these messages by a model with these settings."""
        if (kept := self._store.answer(self._key(prompt, llm_string))) is not None:
            return [ChatGeneration(message=AIMessage.model_validate_json(kept))]
        text = _only_text(prompt) if self._cache is not None else None
        if text is None or (old := self._store.converted(self._cache or "", text)) is None:
            return None
        return [ChatGeneration(message=AIMessage(old, usage_metadata=_FREE))]

    def update(self, prompt: str, llm_string: str, return_val: Sequence[Generation]) -> None:
        """Keeps a whole answer; what was cut off, filtered or empty is asked again next time."""
        for generation in return_val[:1]:
            message = getattr(generation, "message", None)
            if isinstance(message, AIMessage) and _is_whole(message):
                # What it cost was paid once; the next run must not count it again.
                free = message.model_copy(update={"usage_metadata": _FREE})
                self._store.keep(self._key(prompt, llm_string), free.model_dump_json(), _only_text(prompt))

    def _key(self, prompt: str, llm_string: str) -> str:
        return _hash(f"{self._model}\0{prompt}\0{llm_string}")

    def clear(self, **kwargs: Any) -> None:
        """Nothing is ever cleared from here; delete the file."""
        raise FactScoreError(f"Delete {str(self._store.path)!r} to clear the cache.")


def _is_whole(message: AIMessage) -> bool:
    metadata = message.response_metadata
    reason = metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason")
    return reason in _WHOLE and bool(message.text.strip()) and "refusal" not in message.additional_kwargs


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _only_text(prompt: str) -> str | None:
    """The text of a conversation of one message, as LangChain hands it to a cache."""
    try:
        (message,) = json.loads(prompt)
        content = message["kwargs"]["content"]
    except (ValueError, TypeError, KeyError):
        return None
    return content if isinstance(content, str) else None
