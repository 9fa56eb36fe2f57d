"""What the soak of the proxy needs: an upstream that answers by rule, and a client that checks what it gets.

The upstream's answer to question N is the text of `soak.body(N)`, whole or as a stream of small pieces.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from factscore_chain.evals.bench.load import OK, Load
from factscore_chain.evals.bench.soak import body, listening

UNCHECKED = "unchecked"
"""Stands in place of a status for an answer that came without its check, or broke off."""
_PIECE = 6
"""Characters of a piece of a stream."""


@contextmanager
def upstream() -> Iterator[str]:
    """An OpenAI-compatible server in a thread of this process; gives its base URL."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Route

    app = Starlette(routes=[Route("/v1/chat/completions", _answer, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    with listening() as (listener, port):
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.should_exit = True
            thread.join(30)


async def _answer(request: Any) -> Any:
    from starlette.responses import JSONResponse, StreamingResponse

    asked = await request.json()
    text = body(int(asked["messages"][-1]["content"]))["text"]
    if asked.get("stream"):
        return StreamingResponse(_events(text), media_type="text/event-stream")
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return JSONResponse({"id": "c", "object": "chat.completion", "choices": [choice]})


async def _events(text: str) -> AsyncIterator[str]:
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    deltas: list[tuple[dict[str, str], str | None]] = [({"content": piece}, None) for piece in pieces]
    for delta, finish in (*deltas, ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


async def ask(client: httpx.AsyncClient, number: int, load: Load) -> None:
    """Asks the proxy, every second time for a stream, and counts what came of it."""
    streamed = bool(number % 2)
    asked = {"model": "m", "messages": [{"role": "user", "content": str(number)}], "stream": streamed}
    began = time.monotonic()
    try:
        answer = await client.post("/v1/chat/completions", json=asked)
        status = str(answer.status_code)
        if answer.status_code == OK and not _is_checked(answer.text, streamed=streamed):
            status = UNCHECKED
    except httpx.HTTPError as error:
        status = type(error).__name__
    load.add(status, time.monotonic() - began)


def _is_checked(answer: str, *, streamed: bool) -> bool:
    """Whether an answer is whole, and says what its check found."""
    if not streamed:
        return all("factscore" in choice for choice in json.loads(answer)["choices"])
    events = [line.removeprefix("data: ") for line in answer.splitlines() if line]
    if events[-1:] != ["[DONE]"]:
        return False
    choices = [choice for event in events[:-1] for choice in json.loads(event).get("choices", ())]
    return any("factscore" in choice for choice in choices)
