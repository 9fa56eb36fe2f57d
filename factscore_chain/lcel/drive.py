"""Synchronous streams run by the asynchronous ones, on the background loop."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from factscore_chain.aio import run_sync

_END = object()


async def in_thread(chunks: Iterator[Any]) -> AsyncIterator[Any]:
    """A synchronous iterator's items, waited for in a thread of its own.

    Not in one of the loop's own few threads: streams that wait for their models would take all of them from
    the checks that these streams wait for.
    """
    context, loop = contextvars.copy_context(), asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, "factscore-stream")

    def following() -> Any:
        return context.run(next, chunks, _END)

    try:
        while (chunk := await loop.run_in_executor(thread, following)) is not _END:
            yield chunk
    finally:
        thread.shutdown(wait=False)


def from_thread(chunks: AsyncIterator[Any]) -> Iterator[Any]:
    """An asynchronous iterator's items for synchronous code; its work goes on between them."""

    async def following() -> Any:
        return await anext(chunks, _END)

    try:
        while (chunk := run_sync(following())) is not _END:
            yield chunk
    finally:
        run_sync(_closed(chunks))


async def _closed(chunks: AsyncIterator[Any]) -> None:
    if (close := getattr(chunks, "aclose", None)) is not None:
        await close()
