"""One background event loop for all synchronous callers.

Model clients pool their connections per event loop; `asyncio.run` for each call would leave them tied to
dead loops. A single long-lived loop in a daemon thread serves scripts, notebooks (whose own loop is already
running) and worker threads alike.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _background_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="factscore-chain", daemon=True).start()
        return _loop


def _forget_loop() -> None:
    # A forked child inherits the loop object but not the thread that ran it.
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_loop)


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end from synchronous code, whether or not a loop runs in this thread.

    The caller's context variables are visible inside. Interrupting the caller cancels the work.
    """
    loop = _background_loop()
    if _running_loop() is loop:
        # Synchronous user code called from inside our own loop: waiting here would stop that loop for good.
        return _in_new_thread(coroutine)
    outcome: Future[T] = Future()
    tasks: list[asyncio.Task[T]] = []

    def start() -> None:
        task = loop.create_task(coroutine)
        tasks.append(task)
        task.add_done_callback(lambda done: _transfer(done, outcome))

    loop.call_soon_threadsafe(start, context=contextvars.copy_context())
    try:
        return outcome.result()
    except BaseException:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
        raise


async def off_this_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine on the background loop, for a caller whose own loop has to stay free for others.

    Cancelling the caller cancels the work.
    """
    return await on_loop(coroutine, _background_loop())


async def on_loop(coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """Runs a coroutine on a loop of another thread, and waits for it without blocking this one."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, loop))


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


def _in_new_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    outcome: Future[T] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome.set_result(context.run(asyncio.run, coroutine))
        except BaseException as error:  # noqa: BLE001  handed to the caller, who re-raises it
            outcome.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return outcome.result()
