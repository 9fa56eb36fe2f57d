"""What a query engine gives back after a check: whole, or as a stream of checked sentences."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    Response,
    StreamingResponse,
)

from factscore_chain.aio import run_sync
from factscore_chain.guard import CheckedText, CheckRequest, SentenceGate, TextChecker, VerifiedStream

FACTUALITY = "factuality"
"""Key of a response's metadata under which the outcome of its check stands, as plain data."""


def with_record(metadata: Mapping[str, Any] | None, checked: CheckedText) -> dict[str, Any]:
    """A response's metadata with what became of its check."""
    return {**(metadata or {}), FACTUALITY: _record(checked)}


def _record(checked: CheckedText) -> dict[str, Any]:
    return {"passed": checked.passed, "score": checked.score, **checked.to_dict()}


def in_one_piece(shown: Response, like: RESPONSE_TYPE) -> RESPONSE_TYPE:
    """A response as a stream of one piece, where the one that it stands for was a stream."""
    text = shown.response or ""
    if isinstance(like, StreamingResponse):
        return StreamingResponse((piece for piece in [text]), shown.source_nodes, shown.metadata)
    if isinstance(like, AsyncStreamingResponse):
        return AsyncStreamingResponse(_one(text), shown.source_nodes, shown.metadata)
    return shown


async def _one(text: str) -> AsyncGenerator[str, None]:
    yield text


def streamed(response: StreamingResponse, checker: TextChecker, request: CheckRequest) -> StreamingResponse:
    """The stream of a response, each sentence as soon as it is checked; the record comes with its end."""
    metadata = dict(response.metadata or {})
    bits = _from_thread(iter(response.response_gen))

    def shown() -> Iterator[str]:
        # Left unfinished, it is closed by the loop that it runs on, once nobody holds it any more.
        pieces = _pieces(bits, checker, request, metadata)
        while (piece := run_sync(_next(pieces))) is not None:
            yield piece

    return StreamingResponse((piece for piece in shown()), response.source_nodes, metadata)


def streamed_async(
    response: AsyncStreamingResponse, checker: TextChecker, request: CheckRequest
) -> AsyncStreamingResponse:
    """The same without blocking."""
    metadata = dict(response.metadata or {})
    pieces = _pieces(response.async_response_gen(), checker, request, metadata)
    return AsyncStreamingResponse(pieces, response.source_nodes, metadata)


async def _pieces(
    bits: AsyncIterator[str], checker: TextChecker, request: CheckRequest, metadata: dict[str, Any]
) -> AsyncGenerator[str, None]:
    stream = VerifiedStream(SentenceGate(checker, request.topic, request.evidence), bits)
    async with aclosing(stream.__aiter__()) as checked:
        async for piece in checked:
            if piece.text:
                yield piece.text
    if stream.result is not None:
        metadata[FACTUALITY] = _record(stream.result)


async def _next(pieces: AsyncGenerator[str, None]) -> str | None:
    return await anext(pieces, None)


async def _from_thread(bits: Iterator[str]) -> AsyncGenerator[str, None]:
    """Bits that somebody makes who blocks."""
    while (bit := await asyncio.to_thread(next, bits, None)) is not None:
        yield bit
