"""Whoever has an answer finds its request done: its place free, its line logged, its count in the figures."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.guard import GuardPolicy
from factscore_chain.server import Limits, Serving, Upstream, create_app
from tests.editing import TOPIC, TRUE
from tests.openai_server import KEY, OpenAIServer
from tests.proxies import ASKED
from tests.servers import word_sources

SCORE = ("POST", "/score", {"text": TRUE, "topic": TOPIC})
CHAT = ("POST", "/v1/chat/completions", {"model": "m", "messages": ASKED})
STREAM = ("POST", "/v1/chat/completions", {"model": "m", "messages": ASKED, "stream": True})
Hook = Callable[[], Awaitable[object]]


@asynccontextmanager
async def application(folder: Path) -> AsyncIterator[Any]:
    """A server that takes one request at a time, with a proxy before a scripted upstream."""
    with ExitStack() as stack:
        upstream = Upstream(stack.enter_context(OpenAIServer([TRUE])).url, GuardPolicy())
        app = create_app(word_sources(folder), Serving(limits=Limits(concurrency=1), upstream=upstream))
        async with app.router.lifespan_context(app):
            yield app


async def ask(app: Any, request: tuple[str, str, Any], hook: Hook | None = None) -> tuple[int, bytes]:
    """The answer's status and body; `hook` runs at the moment when a client has all of it."""
    method, path, body = request
    headers = {"host": "localhost", "content-type": "application/json", "authorization": f"Bearer {KEY}"}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "http_version": "1.1",
        "scheme": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
    }
    arriving: asyncio.Queue[Any] = asyncio.Queue()
    arriving.put_nowait({"type": "http.request", "body": json.dumps(body).encode()})
    sent: list[Any] = []

    async def send(message: Any) -> None:
        nonlocal hook
        sent.append(message)
        whole = not message.get("more_body", "status" in message) or b"[DONE]" in message.get("body", b"")
        if whole and hook is not None:
            now, hook = hook, None
            await now()

    await app(scope, arriving.get, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


@pytest.mark.parametrize("request_", [SCORE, CHAT, STREAM], ids=["score", "chat", "stream"])
async def test_whoever_has_an_answer_may_ask_again_at_once(
    tmp_path: Path, request_: tuple[str, str, Any]
) -> None:
    statuses: list[int] = []
    async with application(tmp_path) as app:

        async def again() -> None:
            statuses.append((await ask(app, request_))[0])

        statuses.append((await ask(app, request_, again))[0])
    assert statuses == [200, 200]


@pytest.mark.parametrize("request_", [SCORE, CHAT, STREAM], ids=["score", "chat", "stream"])
async def test_whoever_has_an_answer_finds_it_counted_and_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, request_: tuple[str, str, Any]
) -> None:
    caplog.set_level(logging.INFO)
    found: list[str] = []
    async with application(tmp_path) as app:

        async def look() -> None:
            found.extend([caplog.text, (await ask(app, ("GET", "/metrics", None)))[1].decode()])

        await ask(app, request_, look)
    assert f"POST {request_[1]} 200 " in found[0]
    assert f'factscore_requests_total{{method="POST",route="{request_[1]}",status="200"}} 1.0' in found[1]
    assert "factscore_requests_in_progress 1.0" in found[1]  # this look itself
