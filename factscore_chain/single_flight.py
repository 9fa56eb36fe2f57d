"""Lets those who want the same thing at the same time share one attempt at it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class _AbandonedError(Exception):
    """The one who led was cancelled: somebody else has to try."""


class SingleFlight(Generic[T]):
    """Runs work under a key once at a time, across threads and event loops; who comes meanwhile waits."""

    def __init__(self) -> None:
        self._flights: dict[str, Future[T]] = {}
        self._lock = threading.Lock()

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """Does the work, or waits for who is doing it already.

        Returns:
            The result, and whether it was made here. An error of the work is raised for all who wait.
        """
        while True:
            mine: Future[T] = Future()
            with self._lock:
                flight = self._flights.setdefault(key, mine)
            if flight is mine:
                return await self._lead(key, mine, work), True
            try:
                # Shielded, since who gives up waiting must not end it for the others.
                return await asyncio.shield(asyncio.wrap_future(flight)), False
            except _AbandonedError:
                continue

    async def _lead(self, key: str, flight: Future[T], work: Callable[[], Awaitable[T]]) -> T:
        try:
            value = await work()
        except BaseException as error:
            self._land(key)
            flight.set_exception(error if isinstance(error, Exception) else _AbandonedError())
            raise
        self._land(key)
        flight.set_result(value)
        return value

    def _land(self, key: str) -> None:
        with self._lock:
            del self._flights[key]
