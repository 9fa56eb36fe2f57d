"""A streamed answer: the text of each choice passes a gate of its own, sentence by sentence; all else passes.

A choice's end waits until its text is out, the stream's end until every choice has ended.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx

from factscore_chain.aio import off_this_loop
from factscore_chain.guard.check import raised
from factscore_chain.guard.checked import CheckedText, FactualityError
from factscore_chain.guard.gate import SentenceGate
from factscore_chain.guard.streaming import VerifiedStream
from factscore_chain.server.problems import ProblemError, problem_of
from factscore_chain.server.proxy.bodies import OPTIONS, GuardRecord
from factscore_chain.server.proxy.completion import Guarding, factuality_problem, shown_choice
from factscore_chain.server.proxy.sse import DONE, done, event
from factscore_chain.server.proxy.upstream import unreadable, upstream_problem

OnChecked = Callable[[CheckedText], None]
_Out = asyncio.Queue["bytes | None"]
"""What is to be sent; None ends it."""


class GuardedStream:
    """The events of an upstream, with checked text in place of text.

    Args:
        incoming: The data of the upstream's events.
        upstream: Closed when they are not needed any more.
        guarding: What texts are checked with.
        is_data: Whether the answer is data, which is checked whole and shown as it is or not at all.
        on_checked: Told what each text was found to be.
    """

    def __init__(
        self,
        incoming: AsyncIterable[str],
        guarding: Guarding,
        *,
        upstream: AsyncExitStack,
        is_data: bool,
        on_checked: OnChecked,
    ) -> None:
        self._incoming, self._guarding, self._upstream = incoming, guarding, upstream
        self._kind = _WholeLane if is_data else _Lane
        self._on_checked = on_checked
        self._out: _Out = asyncio.Queue()
        self._lanes: dict[int, _Lane] = {}
        self._last: list[bytes] = []
        # A task of its own: where a client leaves, nothing more can be awaited in the answer itself.
        self._task = asyncio.create_task(self._work())

    async def pieces(self, seconds: Callable[[], float]) -> AsyncGenerator[tuple[bytes, bool], None]:
        """What the client is sent, and whether it is the last; `seconds` says how much time is left."""
        try:
            last = False
            while not last:
                items = [await asyncio.wait_for(self._out.get(), seconds())]
                while not self._out.empty():
                    items.append(self._out.get_nowait())
                last = items[-1] is None
                yield b"".join(item for item in items if item is not None), last
        except asyncio.TimeoutError:
            yield _event_of(_out_of_time()), True
        finally:
            self._task.cancel()

    async def _work(self) -> None:
        async with self._upstream:
            await self._through()

    async def _through(self) -> None:
        try:
            whole = await self._read()
            for lane in self._lanes.values():
                await lane.end(whole=whole)
            for sent in (*self._last, done()) if whole else (_event_of(_cut()),):
                self._out.put_nowait(sent)
        except Exception as error:  # noqa: BLE001  the answer has begun, so the error is its last event
            self._out.put_nowait(_event_of(_problem(error)))
        finally:
            self._out.put_nowait(None)
            for lane in self._lanes.values():
                lane.cancel()

    async def _read(self) -> bool:
        """Reads the upstream; returns whether its answer is whole."""
        try:
            async for data in self._incoming:
                if data.strip() == DONE:
                    return True
                self._take(json.loads(data))
        except httpx.TimeoutException:
            raise
        except httpx.HTTPError:
            return False
        except (ValueError, RecursionError):
            raise unreadable() from None
        # Some servers leave the last event out.
        return bool(self._lanes) and all(lane.has_ended for lane in self._lanes.values())

    def _take(self, chunk: Any) -> None:
        if not isinstance(chunk, dict):
            raise unreadable()
        if chunk.get("error"):
            raise _UpstreamError(chunk)
        choices = chunk.get("choices") or []
        if not (isinstance(choices, list) and all(_is_choice(choice) for choice in choices)):
            raise unreadable()
        if not choices:
            self._last.append(event(chunk))  # usage, which comes at the end
            return
        head = {key: value for key, value in chunk.items() if key != "choices"}
        for choice in choices:
            index = choice.get("index", 0)
            if index not in self._lanes:
                self._lanes[index] = self._kind(index, self._guarding, self._out, self._on_checked)
            self._lanes[index].take(head, choice)


class _Lane:
    """One choice of a stream."""

    def __init__(self, index: int, guarding: Guarding, out: _Out, on_checked: OnChecked) -> None:
        self._index, self._guarding, self._out, self._on_checked = index, guarding, out, on_checked
        self._head: dict[str, Any] = {}
        self._bits: asyncio.Queue[str | None] = asyncio.Queue()
        self._ending: dict[str, Any] | None = None
        self._cut = False
        self._task = asyncio.create_task(self._run())

    @property
    def has_ended(self) -> bool:
        """Whether the upstream said why it stopped."""
        return self._ending is not None

    def take(self, head: dict[str, Any], choice: dict[str, Any]) -> None:
        """Takes the next piece of the choice from the upstream."""
        self._head = head
        delta = dict(choice.get("delta") or {})
        text = delta.get("content")
        if isinstance(text, str) and text:
            self._bits.put_nowait(text)
            delta["content"] = ""
        rest = {**choice, "delta": delta}
        if choice.get("finish_reason") is not None:
            self._ending = rest
            self._bits.put_nowait(None)
        elif not text or any(value for key, value in delta.items() if key != "content"):
            self._send(rest)

    async def end(self, *, whole: bool) -> None:
        """Waits until the text is out, and the end of the choice after it."""
        if not self.has_ended:
            self._cut = not whole
            self._bits.put_nowait(None)
        await self._task

    def cancel(self) -> None:
        """Gives it up."""
        self._task.cancel()

    async def _run(self) -> None:
        try:
            first = await self._bits.get()
            checked = None if first is None else await self._checked(first)
        except _CutError:
            return
        except Exception as error:  # noqa: BLE001  told at once, whatever the upstream still says
            if isinstance(error, FactualityError):
                self._on_checked(error.checked)
            self._out.put_nowait(_event_of(_problem(error)))
            self._out.put_nowait(None)
            return
        if checked is not None:
            self._on_checked(checked)
        self._end(checked)

    async def _checked(self, first: str) -> CheckedText | None:
        gate = SentenceGate(self._guarding.checker, self._guarding.topic, self._guarding.evidence)
        stream = VerifiedStream(gate, self._text(first))
        async for piece in stream:
            if piece.text:
                self._send({"index": self._index, "delta": {"content": piece.text}, "finish_reason": None})
        return stream.result

    async def _text(self, first: str) -> AsyncIterator[str]:
        bit: str | None = first
        while bit is not None:
            yield bit
            bit = await self._bits.get()
        if self._cut:
            raise _CutError

    def _send(self, choice: dict[str, Any]) -> None:
        self._out.put_nowait(event({**self._head, "choices": [choice]}))

    def _end(self, checked: CheckedText | None) -> None:
        if self._ending is None:
            return
        ending = dict(self._ending)
        if checked is not None:
            ending[OPTIONS] = GuardRecord.of(checked).model_dump(mode="json")
            if ending.get("logprobs"):
                ending["logprobs"] = None
        self._send(ending)


class _WholeLane(_Lane):
    """A choice that is data: checked when it is there as a whole."""

    async def _checked(self, first: str) -> CheckedText | None:
        text = "".join([bit async for bit in self._text(first)])
        checker = self._guarding.checker
        checked = raised(checker.settled(await off_this_loop(checker.ainvoke(self._guarding.request(text)))))
        shown = shown_choice({"message": {"content": text}}, checked, is_data=True)
        self._send({"index": self._index, "delta": shown["message"], "finish_reason": None})
        return checked


def _is_choice(choice: Any) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get("delta") or {}, dict)


class _UpstreamError(Exception):
    """The upstream says in its stream what went wrong."""

    def __init__(self, chunk: dict[str, Any]) -> None:
        super().__init__()
        self.chunk = chunk


class _CutError(Exception):
    """The upstream broke off in the middle of a text: its last sentence is not shown."""


def _event_of(problem: ProblemError | dict[str, Any]) -> bytes:
    return event(problem) if isinstance(problem, dict) else b"data: " + problem.body + b"\n\n"


def _problem(error: Exception) -> ProblemError | dict[str, Any]:
    if isinstance(error, _UpstreamError):
        return error.chunk
    if isinstance(error, FactualityError):
        return factuality_problem(error)
    return upstream_problem(error) if isinstance(error, httpx.HTTPError) else problem_of(error)


def _cut() -> ProblemError:
    return ProblemError(
        502,
        "upstream_broke_off",
        "The upstream broke off in the middle of its answer. What was sent so far is checked; ask again.",
        kind="upstream_error",
    )


def _out_of_time() -> ProblemError:
    return ProblemError(
        504,
        "out_of_time",
        "The time for this request is over. What was sent so far is checked; ask for a shorter answer, or "
        "the operator for more time (--timeout).",
        kind="server_error",
    )
