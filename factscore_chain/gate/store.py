"""A store of finished generations that many runs share: what was scored once is not scored again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from factscore_chain.errors import UsageError
from factscore_chain.report import GenerationReport
from factscore_chain.storage import FINISHED, RUNS, StorageError, Store, open_store

_log = logging.getLogger(__name__)


class RunStore(Mapping[str, GenerationReport]):
    """Reports of generations by their content key, in one private SQLite file; safe for several processes.

    Each generation is written as soon as it is scored, so it outlives whatever ends the run. A damaged row
    is as good as none: its generation is scored again.

    Args:
        place: What `open_store` takes: the file, or another store.

    Raises:
        UsageError: The store cannot be opened or read, or is a database of something else.
    """

    def __init__(self, place: str | Path | Store) -> None:
        self.store = open_store(place, RUNS)
        self._writable = True
        self._lock = threading.Lock()  # callbacks come from several threads
        self._find("")

    def __getitem__(self, key: str) -> GenerationReport:
        try:
            return GenerationReport.model_validate_json(self._find(key)[key])
        except (KeyError, ValidationError):
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())

    def add(self, key: str, report: GenerationReport) -> None:
        """Keeps a generation; one of which something was lost is left to be scored again.

        Where the store cannot be written any more, that is said once, and the run goes on without it.
        """
        if not report.complete:
            return
        text = report.model_dump_json()
        with self._lock:
            if not self._writable:
                return
            try:
                self.store.keep(FINISHED, {key: text})
            except StorageError as error:
                self._writable = False
                _log.warning(
                    "%r cannot be written any more (%s). The run goes on; what it scores from here on is in "
                    "its report alone.",
                    self.store.location,
                    error,
                )

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def _find(self, key: str) -> dict[str, str]:
        try:
            return self.store.find(FINISHED, [key])
        except StorageError as error:
            raise self._unusable(error) from error

    def _keys(self) -> list[str]:
        try:
            return self.store.keys(FINISHED)
        except StorageError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> UsageError:
        return UsageError(f"The store {self.store.location!r} cannot be used ({error}). Name another place.")
