"""One background event loop for all synchronous callers.

Model clients pool their connections per event loop; `asyncio.run` for each call would leave them tied to
dead loops. A single long-lived loop in a daemon thread serves scripts, notebooks (whose own loop is already
running) and worker threads alike. Only synchronous code that runs on that loop itself gets another.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Generator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, TypeVar, cast

T = TypeVar("T")
_END = object()

_lock = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []
"""The one for synchronous callers, and behind it those for synchronous calls from inside the one before."""
_held_up: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("held_up", default=None)


def _background_loop(depth: int = 0) -> asyncio.AbstractEventLoop:
    with _lock:
        while len(_loops) <= depth:
            loop = asyncio.new_event_loop()
            name = f"factscore-chain-{len(_loops)}"
            threading.Thread(target=loop.run_forever, name=name, daemon=True).start()
            _loops.append(loop)
        return _loops[depth]


def _forget_loops() -> None:
    # A forked child inherits the loop objects but not the threads that ran them.
    global _lock
    _loops.clear()
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_loops)


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end from synchronous code, whether or not a loop runs in this thread.

    The caller's context variables are visible inside. Interrupting the caller cancels the work.
    """
    here = _running_loop()
    # Called from inside one of our own loops, waiting on that loop would stop it for good: the next serves.
    loop = _background_loop(_loops.index(here) + 1 if here in _loops else 0)
    outcome: Future[T] = Future()
    tasks: list[asyncio.Task[T]] = []

    def start() -> None:
        if here is not None:
            _held_up.set(here)
        task = loop.create_task(coroutine)
        tasks.append(task)
        task.add_done_callback(lambda done: _transfer(done, outcome))

    loop.call_soon_threadsafe(start, context=contextvars.copy_context())
    try:
        return outcome.result()
    except BaseException:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
        raise


def iterate_sync(values: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """Goes through asynchronous values from synchronous code; who stops asking closes them."""
    try:
        while (one := run_sync(_next(values))) is not _END:
            yield cast(T, one)
    finally:
        run_sync(values.aclose())


async def _next(values: AsyncGenerator[T, None]) -> T | object:
    return await anext(values, _END)


def held_up_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that stands still until this work is done; usually there is none."""
    return _held_up.get()


async def off_this_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine on the background loop, for a caller whose own loop has to stay free for others.

    Cancelling the caller cancels the work.
    """
    return await on_loop(coroutine, _background_loop())


async def on_loop(coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """Runs a coroutine on a loop of another thread, and waits for it without blocking this one."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, loop))


class FairSemaphore:
    """Lets so many in at a time, in the order in which they came, from whatever thread and event loop."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[Future[None]] = deque()
        self._lock = threading.Lock()

    async def __aenter__(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn: Future[None] = Future()
            self._waiting.append(turn)
        try:
            await asyncio.wrap_future(turn)
        except BaseException:
            if not turn.cancel() and not turn.cancelled():
                self._leave()  # it was let in at the same moment
            raise

    async def __aexit__(self, *exception: object) -> None:
        self._leave()

    def _leave(self) -> None:
        with self._lock:
            while self._waiting:
                turn = self._waiting.popleft()
                if turn.set_running_or_notify_cancel():
                    break
            else:
                self._free += 1
                return
        turn.set_result(None)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _transfer(task: asyncio.Task[T], outcome: Future[T]) -> None:
    if task.cancelled():
        outcome.cancel()
    elif (error := task.exception()) is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(task.result())
