"""How a server ends: told once, it finishes what is in work; told again, it gives that up."""

from __future__ import annotations

import asyncio
import signal
import socket
from types import FrameType

import uvicorn

from factscore_chain.server.problems import log


class PoliteServer(uvicorn.Server):
    """uvicorn, which says what it still does when it is told to stop, and ends cleanly when told twice."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Takes a signal; a second Ctrl-C answers what is in work with 503 `shutting_down`."""
        if self.should_exit and sig == signal.SIGINT:
            # uvicorn's own way leaves at once, without the end of the application, which then complains.
            asyncio.get_running_loop().call_soon_threadsafe(self._give_up)
        else:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finishes what is in work, as far as there is time."""
        if count := len(self.server_state.tasks):
            log.info(
                "Finishing %d request%s, for up to %d s. Press Ctrl-C again to stop at once.",
                count,
                "" if count == 1 else "s",
                self.config.timeout_graceful_shutdown,
            )
        await super().shutdown(sockets)

    def _give_up(self) -> None:
        for task in self.server_state.tasks:
            task.cancel()
