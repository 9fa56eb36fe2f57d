"""How many calls to models are made at once, and in a minute: one bound for all who hold the same object.

LangChain's `InMemoryRateLimiter` counts requests alone, lets those who wait overtake each other, and knows
nothing of what a call really used; aiolimiter is bound to one event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from factscore_chain.aio import FairSemaphore, held_up_loop
from factscore_chain.errors import UsageError

CONCURRENCY = 16
"""Calls in flight at most, where nobody says otherwise."""
_MINUTE = 60.0
_GLANCE = 1.0
"""Seconds after which a call that waits looks again: what others really used may have made room."""
_PAUSE = 0.05
"""The same, while a server's wish to be left alone is waited out."""

Settle = Callable[[int], None]
"""Told how many tokens a call took."""

_held: ContextVar[frozenset[int]] = ContextVar("held", default=frozenset())


class CallLimits:
    """Bounds on calls to models; safe for threads and for event loops side by side.

    Calls go in the order in which they came. None is sent that would bring the requests, or the tokens, of
    the 60 seconds before it above what is allowed. Its tokens are estimated until it is known what it took;
    one that is larger than all tokens of a minute goes when no other counts any more.

    Args:
        concurrency: Calls in flight at most.
        requests_per_minute: Requests at most, further attempts included; None for any number.
        tokens_per_minute: Tokens of prompts and replies at most; None for any number.
        clock: Tells the time in seconds.
        sleep: Waits for some seconds.

    Raises:
        UsageError: A bound allows no call.
    """

    def __init__(
        self,
        concurrency: int = CONCURRENCY,
        *,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ) -> None:
        if concurrency < 1:
            raise UsageError(f"concurrency is {concurrency}; give 1 or more calls in flight.")
        for name, value in (
            ("requests_per_minute", requests_per_minute),
            ("tokens_per_minute", tokens_per_minute),
        ):
            if value is not None and value < 1:
                raise UsageError(f"{name} is {value}; give 1 or more, or leave it out for no bound.")
        self.concurrency = concurrency
        self.requests_per_minute, self.tokens_per_minute = requests_per_minute, tokens_per_minute
        self._clock, self._sleep = clock, sleep
        self._queues = _Queues(concurrency)
        self._nested: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queues] = WeakKeyDictionary()
        self._window = _Window(requests_per_minute, tokens_per_minute)
        self._pausing = 0
        self._lock = Lock()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A place among the calls in flight, until the block ends.

        A call made from inside of one that has a place shares it: it would wait for itself.
        """
        mine = _held.get()
        if id(self) in mine:
            yield
            return
        async with self._mine.slots:
            token = _held.set(mine | {id(self)})
            try:
                yield
            finally:
                _held.reset(token)

    async def admit(self, tokens: int, *, again: bool = False) -> Settle:
        """Waits until a request may be sent; the function it gives is told what the call took.

        Args:
            tokens: What prompt and reply are expected to take.
            again: Whether it is a further attempt, which has done its waiting for the server.
        """
        if not again and self._pausing:
            async with self._mine.newcomer:
                while self._pausing:
                    await self._sleep(_PAUSE)
        if not self._window.bounded:
            return _unheard
        async with self._mine.turn:
            while (wait := self._window.wait(tokens, self._clock())) > 0:
                await self._sleep(min(wait, _GLANCE))
            return self._window.add(tokens, self._clock())

    @property
    def _mine(self) -> _Queues:
        """Where this caller queues up.

        One that an event loop stands still for, as with synchronous code in a notebook, must not wait for the
        places of calls on that loop: it has queues of its own.
        """
        loop = held_up_loop()
        if loop is None:
            return self._queues
        with self._lock:
            return self._nested.setdefault(loop, _Queues(self.concurrency))

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Lets no new call begin until the block ends: a server has asked to be left alone."""
        with self._lock:
            self._pausing += 1
        try:
            yield
        finally:
            with self._lock:
                self._pausing -= 1


class _Queues:
    """Where calls wait for their turn."""

    def __init__(self, concurrency: int) -> None:
        self.slots, self.newcomer, self.turn = FairSemaphore(concurrency), FairSemaphore(1), FairSemaphore(1)


class _Sent:
    """A request that counts."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at, self.tokens = at, tokens


class _Window:
    """What was sent in the last minute."""

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        self._most_requests, self._most_tokens = requests, tokens
        self._sent: deque[_Sent] = deque()
        self._lock = Lock()

    @property
    def bounded(self) -> bool:
        return self._most_requests is not None or self._most_tokens is not None

    def wait(self, tokens: int, now: float) -> float:
        """Seconds until a request of so many tokens fits, if nothing changes meanwhile."""
        with self._lock:
            while self._sent and self._sent[0].at + _MINUTE <= now:
                self._sent.popleft()
            leaving = max(self._requests_over(), self._tokens_over(tokens))
            return self._sent[leaving - 1].at + _MINUTE - now if leaving else 0.0

    def _requests_over(self) -> int:
        """How many of the oldest must leave for one more request."""
        return 0 if self._most_requests is None else max(0, len(self._sent) + 1 - self._most_requests)

    def _tokens_over(self, tokens: int) -> int:
        """How many of the oldest must leave for so many more tokens."""
        if self._most_tokens is None:
            return 0
        over = sum(one.tokens for one in self._sent) + tokens - self._most_tokens
        for leaving, one in enumerate(self._sent):
            if over <= 0:
                return leaving
            over -= one.tokens
        return len(self._sent)

    def add(self, tokens: int, now: float) -> Settle:
        """Counts a request."""
        if not self.bounded:
            return _unheard
        sent = _Sent(now, tokens)
        with self._lock:
            self._sent.append(sent)

        def settle(used: int) -> None:
            with self._lock:
                sent.tokens = used

        return settle


def _unheard(tokens: int) -> None:
    """Where nothing is counted."""
