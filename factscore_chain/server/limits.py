"""The gate before the work: no body too long or too slow, no more at once than can be done, no endless work.

Pure ASGI, since it has to see the body arrive and the client go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factscore_chain.server.problems import ProblemError
from factscore_chain.server.settings import Limits

HELD_FOR_EACH = 8
"""Bodies of full length that may be held while they arrive, for each request that may be in work.

Bytes are counted, not bodies, so that many slow clients cannot keep others out.
"""
GRACE = 5.0
"""Seconds beyond its time in which an answer that has begun may come to an end of its own."""
DEADLINE = "factscore.deadline"
"""Key of the scope with the time, on the loop's clock, by which the work has to be done."""
CLIENT_LEFT = 499
"""Status that the log gives to a request whose client went away."""


class ClientLeftError(Exception):
    """The client closed the connection before its answer was there."""


class Limited:
    """Lets requests through as far as the limits allow."""

    def __init__(self, app: ASGIApp, limits: Limits, is_free: Callable[[str], bool]) -> None:
        self._app, self._limits, self._is_free = app, limits, is_free
        self._held = 0
        self._working = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http" or self._is_free(scope["path"]):
            await self._app(scope, receive, send)
            return
        self._refuse_if_full()
        body = await self._body(scope, receive)
        self._refuse_if_full()
        with self._place() as free:
            await self._work(scope, _Exchange(body, receive, send, free))

    @contextmanager
    def _place(self) -> Iterator[Callable[[], None]]:
        """A place among those in work, and what frees it early."""
        taken = True
        self._working += 1

        def free() -> None:
            nonlocal taken
            self._working -= taken
            taken = False

        try:
            yield free
        finally:
            free()

    def _refuse_if_full(self, also: bool = False) -> None:
        if also or self._working >= self._limits.concurrency:
            raise ProblemError(
                429,
                "overloaded",
                f"The server is at its limit of {self._limits.concurrency} requests at once. Try again soon.",
                kind="overloaded_error",
                headers={"Retry-After": "1"},
            )

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        if b"transfer-encoding" in headers and b"content-length" in headers:
            # Two lengths are how a request is smuggled past a proxy that believes the other one.
            raise ProblemError(
                400, "two_lengths", "The body has two lengths. Send one.", headers={"Connection": "close"}
            )
        if declared.isdigit() and int(declared) > self._limits.body:
            raise self._too_large()
        try:
            return await asyncio.wait_for(self._arrived(receive), self._limits.arrival)
        except asyncio.TimeoutError:
            raise ProblemError(
                408,
                "too_slow",
                f"The body did not arrive within {self._limits.arrival:g} s. Send it at once.",
                headers={"Connection": "close"},
            ) from None

    async def _arrived(self, receive: Receive) -> bytes:
        parts = bytearray()
        most = HELD_FOR_EACH * self._limits.concurrency * self._limits.body
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientLeftError
                piece = message.get("body", b"")
                self._held += len(piece)
                parts += piece
                if len(parts) > self._limits.body:
                    raise self._too_large()
                self._refuse_if_full(self._held > most)
                if not message.get("more_body", False):
                    return bytes(parts)
        finally:
            self._held -= len(parts)

    def _too_large(self) -> ProblemError:
        return ProblemError(
            413,
            "too_large",
            f"The body is longer than {self._limits.body:,} bytes. Send less, or ask the operator for more "
            "(--max-body).",
            headers={"Connection": "close"},
        )

    async def _work(self, scope: Scope, exchange: _Exchange) -> None:
        scope[DEADLINE] = asyncio.get_running_loop().time() + self._limits.seconds
        work = asyncio.ensure_future(self._app(scope, exchange.receive, exchange.send))
        gone = asyncio.ensure_future(exchange.watch())
        try:
            for seconds in (self._limits.seconds, GRACE):
                await asyncio.wait({work, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                if exchange.ended:
                    await asyncio.wait({work}, timeout=GRACE)
                if work.done():
                    work.result()
                    return
                if gone.done():
                    raise ClientLeftError
                if not exchange.begun:
                    raise self._out_of_time()
            raise ClientLeftError  # it does not read what is sent
        finally:
            work.cancel(), gone.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    def _out_of_time(self) -> ProblemError:
        return ProblemError(
            504,
            "out_of_time",
            f"The work took longer than {self._limits.seconds:g} s. Send a shorter text, or ask the operator "
            "for more time (--timeout).",
            kind="server_error",
        )


class _Exchange:
    """What goes between client and work: the body that has arrived, and how far the answer is."""

    def __init__(self, body: bytes, receive: Receive, send: Send, done: Callable[[], None]) -> None:
        self._body: bytes | None = body
        self._receive, self._send, self._done = receive, send, done
        self._left = asyncio.Event()
        self.begun = self.ended = False

    async def receive(self) -> Message:
        """Gives the body, and then waits for the client to go."""
        if (body := self._body) is not None:
            self._body = None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Passes a piece of the answer on."""
        self.begun = True
        last = is_last(message)
        if last:
            self._done()  # or a client that asks one question after the other could find itself in the way
        await self._send(message)
        self.ended = last

    async def watch(self) -> None:
        """Waits for the client to go."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left.set()


def is_last(message: Message) -> bool:
    """Whether an answer ends with this message."""
    return message["type"] == "http.response.body" and not message.get("more_body", False)


def time_left(scope: Mapping[str, Any]) -> float:
    """Seconds until the work of a request has to be done."""
    return max(0.0, float(scope[DEADLINE]) - asyncio.get_running_loop().time())
