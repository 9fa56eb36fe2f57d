"""Chunks of a chain's stream: their text goes through the gate, everything else passes at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.runnables.utils import AddableDict

from factscore_chain.errors import UsageError
from factscore_chain.guard.evidence import CallEvidence
from factscore_chain.guard.gate import SentenceGate
from factscore_chain.guard.streaming import VerifiedStream
from factscore_chain.lcel.keys import Keys, text_of
from factscore_chain.lcel.values import METADATA, summary, without_repeats

_END = object()


async def checked_chunks(
    chunks: AsyncIterator[Any], gate: SentenceGate, keys: Keys, always: CallEvidence
) -> AsyncIterator[Any]:
    """Gives the chunks of a stream with their text checked, in the kind in which they came.

    Of a dict, other keys pass as they come; text waits until the context is there. Of messages, what is no
    text passes.

    Raises:
        UsageError: A chunk is no text, no message, and no dict with either.
        FactualityError: A sentence does not meet a policy that makes it an error.
    """
    flow = _Flow(chunks, gate, keys, always)
    working = asyncio.create_task(flow.run())
    try:
        while (one := await flow.out.get()) is not _END:
            yield one
        await working
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


def added(whole: Any, chunk: Any) -> Any:
    """What has come of a stream so far, with its next chunk; plain dicts are added key by key.

    Raises:
        UsageError: The two are of kinds that cannot be added.
    """
    if isinstance(whole, Mapping) and isinstance(chunk, Mapping):
        return AddableDict(whole) + AddableDict(chunk)
    try:
        return whole + chunk
    except TypeError:
        kinds = f"{type(whole).__name__} and {type(chunk).__name__}"
        raise UsageError(
            f"A stream of {kinds} is no one answer. Stream texts, chunks of messages, or dicts with either."
        ) from None


class _Flow:
    """One stream on its way: what kind it is, and what has come of it."""

    def __init__(
        self, chunks: AsyncIterator[Any], gate: SentenceGate, keys: Keys, always: CallEvidence
    ) -> None:
        self.out: asyncio.Queue[Any] = asyncio.Queue()
        self._chunks, self._gate, self._keys, self._always = chunks, gate, keys, always
        self._dict = False
        self._message: BaseMessage | None = None
        self._seen: AddableDict = AddableDict()
        self._preparing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        try:
            stream = VerifiedStream(self._gate, self._bits())
            async for piece in stream:
                if piece.text:
                    self._show(piece.text)
            if stream.result is not None and self._message is not None:
                self._put(self._chunk("", {METADATA: summary(stream.result)}))
            if self._dict and self._keys.outcome is not None:
                self.out.put_nowait(AddableDict({self._keys.outcome: stream.result}))
        finally:
            if self._preparing is not None:
                self._preparing.cancel()
            self.out.put_nowait(_END)

    async def _bits(self) -> AsyncIterator[str]:
        """The text, which waits for its context; all else is put out as it comes."""
        waiting: list[str] = []
        async for chunk in self._chunks:
            waiting += self._read(chunk)
            if waiting and self._knows_context():
                yield "".join(waiting)
                waiting = []
        if waiting:
            self._require_evidence(self._seen)
            yield "".join(waiting)
        if self._dict and self._keys.text not in self._seen:
            self._keys.request(self._seen, self._always)  # raises, with the keys that there are

    def _require_evidence(self, value: Any) -> None:
        self._keys.require_evidence(value, self._gate.checker.scorer, self._always)

    def _knows_context(self) -> bool:
        context = self._keys.context
        return not self._dict or not context or any(key in self._seen for key in context)

    def _read(self, chunk: Any) -> list[str]:
        if not isinstance(chunk, Mapping):
            text = self._text(chunk)
            if text.strip():
                self._require_evidence(chunk)
            return [text]
        self._dict = True
        rest = {key: value for key, value in chunk.items() if key != self._keys.text}
        self._seen = self._seen + AddableDict(chunk)
        if rest:
            self.out.put_nowait(AddableDict(rest))
            self._learn(rest)
        return [self._text(chunk[self._keys.text])] if self._keys.text in chunk else []

    def _learn(self, rest: Mapping[str, Any]) -> None:
        """Takes context and topic to the gate, and has the passages read ahead."""
        if self._keys.topic in rest:
            self._gate.topic = self._keys.topic_of(self._seen)
        if any(key in rest for key in self._keys.context):
            self._gate.evidence = self._keys.evidence(self._seen, self._always)
            self._preparing = asyncio.create_task(self._gate.prepare())

    def _text(self, value: Any) -> str:
        if isinstance(value, BaseMessage):
            if self._message is None:
                self._message = value
            bare = _without_text(value)
            if bare is not None:
                self._put(bare)
                self._gate.silent = self._gate.silent or bool(bare.tool_call_chunks)
        return text_of(value)

    def _show(self, text: str) -> None:
        self._put(text if self._message is None else self._chunk(text))

    def _chunk(self, text: str, metadata: dict[str, Any] | None = None) -> AIMessageChunk:
        assert self._message is not None  # noqa: S101  there is no chunk of a message without one
        return AIMessageChunk(content=text, id=self._message.id, response_metadata=metadata or {})

    def _put(self, value: Any) -> None:
        self.out.put_nowait(AddableDict({self._keys.text: value}) if self._dict else value)


def _without_text(message: BaseMessage) -> AIMessageChunk | None:
    """What a chunk of a message says beside its text: calls of tools, usage, metadata; None if nothing."""
    blocks = [
        one
        for one in (message.content if isinstance(message.content, list) else [])
        if isinstance(one, dict) and one.get("type") not in ("text", "reasoning", "thinking")
    ]
    bare = AIMessageChunk(
        content=blocks or "",
        id=message.id,
        name=message.name,
        response_metadata=without_repeats(message.response_metadata),
        usage_metadata=getattr(message, "usage_metadata", None),
        tool_call_chunks=getattr(message, "tool_call_chunks", None) or [],
        tool_calls=[] if isinstance(message, AIMessageChunk) else getattr(message, "tool_calls", []),
    )
    said = bare.content or bare.response_metadata or bare.usage_metadata
    return bare if said or bare.tool_call_chunks or bare.tool_calls else None
