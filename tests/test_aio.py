"""One background loop serves every synchronous caller."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from factscore_chain import aio
from factscore_chain.aio import off_this_loop, run_sync

REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("REQUEST", default="none")


async def _loop_id() -> int:
    return id(asyncio.get_running_loop())


async def _request() -> str:
    return REQUEST.get()


async def test_work_off_this_loop_runs_elsewhere_and_ends_with_its_caller() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            assert asyncio.get_running_loop() is not here
            ended.set()

    here = asyncio.get_running_loop()
    waiting = asyncio.create_task(off_this_loop(work()))
    await asyncio.to_thread(begun.wait, 30)
    waiting.cancel()
    assert await asyncio.to_thread(ended.wait, 30)


def test_the_result_comes_back() -> None:
    assert run_sync(asyncio.sleep(0, result=7)) == 7


def test_the_exception_comes_back() -> None:
    async def fail() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run_sync(fail())


def test_every_call_uses_the_same_loop_from_every_thread() -> None:
    with ThreadPoolExecutor(4) as pool:
        loops = set(pool.map(lambda _: run_sync(_loop_id()), range(8)))
    assert len(loops) == 1


async def test_a_running_loop_is_left_alone() -> None:
    assert run_sync(_loop_id()) != await _loop_id()


def test_the_callers_context_is_visible_inside() -> None:
    token = REQUEST.set("a-17")
    try:
        assert run_sync(_request()) == "a-17"
    finally:
        REQUEST.reset(token)


def test_a_synchronous_call_from_inside_the_loop_does_not_stop_it() -> None:
    async def outer() -> str:
        REQUEST.set("inner")
        return run_sync(_request())

    assert run_sync(outer()) == "inner"


def test_an_exception_of_a_call_from_inside_the_loop_comes_back() -> None:
    async def fail() -> None:
        raise LookupError("inside")

    async def outer() -> None:
        run_sync(fail())

    with pytest.raises(LookupError, match="inside"):
        run_sync(outer())


def test_interrupting_the_caller_cancels_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    started, cancelled = threading.Event(), threading.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    class Interrupted(Future[None]):
        def result(self, timeout: float | None = None) -> None:
            started.wait(10)
            raise KeyboardInterrupt

    monkeypatch.setattr(aio, "Future", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_sync(work())
    assert cancelled.wait(10)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_loop_of_its_own() -> None:
    run_sync(_loop_id())
    child = os.fork()
    if child == 0:
        os._exit(0 if run_sync(asyncio.sleep(0, result=True)) else 1)
    deadline = time.monotonic() + 30
    while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert done == (child, 0), "the child did not come to an end"
