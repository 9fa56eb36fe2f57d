"""Synchronous streams run by the asynchronous ones, on the background loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from factscore_chain.aio import run_sync

_END = object()


async def in_thread(chunks: Iterator[Any]) -> AsyncIterator[Any]:
    """A synchronous iterator's items, each waited for in a thread."""
    while (chunk := await asyncio.to_thread(next, chunks, _END)) is not _END:
        yield chunk


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
