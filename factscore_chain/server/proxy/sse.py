"""Server-sent events: read from the upstream, written to the client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

DONE = "[DONE]"
LONGEST_EVENT = 10_000_000
"""Characters of one event; what is longer is none."""


async def events(lines: AsyncIterable[str]) -> AsyncIterator[str]:
    """The data of each event; comments and other fields are left out.

    Raises:
        ValueError: An event is endless.
    """
    data: list[str] = []
    length = 0
    async for line in lines:
        if line.startswith("data:"):
            piece = line[5:].removeprefix(" ")
            data.append(piece)
            length += len(piece)
            if length > LONGEST_EVENT:
                raise ValueError("an event is too long")
        elif not line.strip() and data:
            yield "\n".join(data)
            data, length = [], 0
    if data:
        yield "\n".join(data)


def event(value: Any) -> bytes:
    """An event with a value as JSON."""
    return f"data: {json.dumps(value, separators=(',', ':'))}\n\n".encode()


def done() -> bytes:
    """The event that ends a stream that is whole."""
    return f"data: {DONE}\n\n".encode()
