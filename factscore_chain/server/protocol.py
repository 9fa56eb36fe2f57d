"""HTTP/1.1 by uvicorn and h11, with a time in which the head of a request has to arrive.

uvicorn itself waits for ever for a head that has begun, so idle clients could hold all its connections.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def patient_for(seconds: float) -> type[H11Protocol]:
    """A protocol that closes connections whose next head takes longer than this."""

    class Protocol(_WithDeadline):
        patience = seconds

    return Protocol


class _WithDeadline(H11Protocol):
    patience = 15.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # uvicorn's own lines hold the query, and it writes them wherever somebody handles its logger.
        self.access_log = False
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()

    def _watch(self) -> None:
        """Runs the clock while a head is awaited, from its first byte or the connection's beginning."""
        if self.conn.their_state is not h11.IDLE:
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.patience, self._give_up)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()
