"""Answers of chat models on disk, so that nothing is asked and paid for twice: one SQLite file.

The key is a hash of everything that shapes an answer: the messages (with the prompt's wording, the passages
and the fact in them), the model with its settings, what was asked for beside the text, and the number of
the sample. Failed, cut-off, filtered and empty answers are not kept.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, TypeAdapter, ValidationError

from factscore_chain.completion import Completion
from factscore_chain.single_flight import SingleFlight
from factscore_chain.storage import ANSWERS, StorageError, Store, open_store

_log = logging.getLogger(__name__)
T = TypeVar("T")
_COMPLETION: TypeAdapter[Completion] = TypeAdapter(Completion)
_FORMAT = 1
"""Part of every key; raised where the meaning of what is stored changes."""
APPLICATION_ID = 0x4653_4143
"""Marks the file as ours in SQLite's header."""


@dataclass(frozen=True)
class Call:
    """One request to a chat model."""

    model: str
    """Which model, with all settings that shape its answers."""
    messages: tuple[BaseMessage, ...]
    options: Mapping[str, object]
    """What is asked for beside the text, such as log-probabilities."""
    sample: int = 0
    """Tells apart requests that are the same in all else but are to be answered anew."""
    schema: type[BaseModel] | None = None
    """The form that the reply is to have; None for text."""

    @cached_property
    def key(self) -> str:
        """A hash of all of it."""
        said = [(message.type, message.content) for message in self.messages]
        schema = None if self.schema is None else self.schema.model_json_schema()
        parts = [_FORMAT, self.model, said, sorted(self.options.items()), self.sample, schema]
        return sha256(json.dumps(parts, default=str).encode("utf-8", "surrogatepass")).hexdigest()


class AnswerCache:
    """A file of answers; safe for threads, for processes, and across forks.

    It is opened when first needed. A file that cannot be used is named once in the log, and the run goes on
    without it.

    Args:
        place: What `open_store` takes: the file, or another store.
    """

    def __init__(self, place: str | Path | Store) -> None:
        self.store = open_store(place, APPLICATION_ID)
        self._flights: SingleFlight[tuple[Completion, bool]] = SingleFlight()
        self._usable = True
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.store.location)

    async def get(self, call: Call, ask: Callable[[], Awaitable[Completion]]) -> tuple[Completion, bool]:
        """The answer to a call: kept, or being asked for just now, or else asked for and kept.

        Returns:
            The answer, and whether it was asked for by this caller.
        """

        async def look_or_ask() -> tuple[Completion, bool]:
            if (kept := await asyncio.to_thread(self.find, call)) is not None:
                return kept, False
            answer = await ask()
            if answer.is_whole:
                await asyncio.to_thread(self.keep, call, answer)
            return answer, True

        (answer, asked), here = await self._flights.run(call.key, look_or_ask)
        return answer, asked and here

    def find(self, call: Call) -> Completion | None:
        """The answer that is kept for a call; None if there is none."""
        found = self._unless_broken(lambda: self.store.find(ANSWERS, [call.key])) or {}
        try:
            return _COMPLETION.validate_python(json.loads(found[call.key]))
        except (KeyError, ValueError, ValidationError):
            return None  # a damaged row is asked for again, and replaced

    def keep(self, call: Call, answer: Completion) -> None:
        """Keeps the answer to a call; it survives whatever ends the process."""
        kept = {call.key: json.dumps(asdict(answer))}
        self._unless_broken(lambda: self.store.keep(ANSWERS, kept))

    def close(self) -> None:
        """Closes the file; it is opened again if needed."""
        self.store.close()

    def _unless_broken(self, use: Callable[[], T]) -> T | None:
        """What the store gives; None once it cannot be used."""
        if not self._usable:
            return None
        try:
            return use()
        except StorageError as error:
            self._give_up(error)
            return None

    def _give_up(self, error: StorageError) -> None:
        with self._lock:
            if self._usable:
                _log.warning(
                    "The answer cache %r cannot be used (%s). The run goes on without it; delete the file, "
                    "or name another.",
                    self.store.location,
                    error,
                )
            self._usable = False
