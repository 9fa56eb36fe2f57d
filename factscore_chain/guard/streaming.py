"""A stream of bits of text in, a stream of checked sentences out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable

from factscore_chain.guard.checked import CheckedText
from factscore_chain.guard.gate import CheckedPiece, SentenceGate
from factscore_chain.guard.pieces import Piece


class VerifiedStream:
    """Iterates over what may be shown of a text that is still being written.

    The text is read on while a sentence is checked, and sentences that are ready together are checked
    together; they come in order. `result` is there once the iteration has ended. With `on_fail="retry"` this
    does not ask again: what fails is treated as the policy says otherwise.

    Raises:
        FactualityError: A sentence does not meet a policy that makes it an error; what stands before it was
            given.
    """

    def __init__(self, gate: SentenceGate, bits: AsyncIterable[str]) -> None:
        self.gate = gate
        self.result: CheckedText | None = None
        """The whole text with its outcome."""
        self._bits = bits

    async def __aiter__(self) -> AsyncGenerator[CheckedPiece, None]:
        """Checks the text as it comes."""
        ready: asyncio.Queue[list[Piece] | None] = asyncio.Queue()
        reading = asyncio.create_task(self._read(ready))
        preparing = asyncio.create_task(self.gate.prepare())
        try:
            while (pieces := await _next(ready)) is not None:
                async for one in self.gate.check(pieces):
                    yield one
            await reading  # an error of the model that writes is the caller's
            self.result, last = await self.gate.close()
            if last.text:
                yield last
        finally:
            for task in (reading, preparing):
                task.cancel()
            await asyncio.gather(reading, preparing, return_exceptions=True)

    async def _read(self, ready: asyncio.Queue[list[Piece] | None]) -> None:
        try:
            async for bit in self._bits:
                if pieces := self.gate.add(bit):
                    ready.put_nowait(pieces)
            ready.put_nowait(self.gate.finish())
        finally:
            ready.put_nowait(None)


async def _next(ready: asyncio.Queue[list[Piece] | None]) -> list[Piece] | None:
    """All sentences that wait, together; None at the end."""
    pieces = await ready.get()
    while pieces is not None and not ready.empty():
        following = ready.get_nowait()
        if following is None:
            ready.put_nowait(None)
            break
        pieces = [*pieces, *following]
    return pieces
