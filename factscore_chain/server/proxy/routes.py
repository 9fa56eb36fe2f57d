"""The routes of the proxy, for a client whose base URL is this server's `/v1`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing
from typing import Any
from urllib.parse import quote

import httpx
from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from factscore_chain.guard.check import TextChecker
from factscore_chain.guard.checked import FactualityError
from factscore_chain.server.limits import time_left
from factscore_chain.server.problems import ProblemError
from factscore_chain.server.proxy.bodies import ChatCompletion, ChatRequest
from factscore_chain.server.proxy.completion import Guarding, checked_completion, factuality_problem
from factscore_chain.server.proxy.evidence import evidence_of
from factscore_chain.server.proxy.lanes import GuardedStream
from factscore_chain.server.proxy.sse import events
from factscore_chain.server.proxy.upstream import (
    UpstreamClient,
    as_answered,
    headers_of,
    unreadable,
)
from factscore_chain.server.routes import WORK, Served, errors
from factscore_chain.server.state import State

proxy_router = APIRouter(prefix="/v1")

_EVENT = {
    "type": "object",
    "properties": {"data": {"type": "string", "description": "A chunk as JSON, or [DONE]."}},
    "required": ["data"],
}
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ChatCompletion,
        "description": "The upstream's answer, checked; with `stream`, its events.",
        "content": {"text/event-stream": {"schema": _EVENT}},
    },
    **errors(*WORK),
    "default": {"description": "What the upstream answered, as it is."},
}


@proxy_router.post("/chat/completions", responses=_ANSWERS, summary="Ask the upstream, and check its answer")
async def chat(body: ChatRequest, request: Request, served: Served) -> Response:
    """Passes the request on, checks every text of the answer, and shows what the policy says.

    Streamed text is held back a sentence at a time. Tool calls, finish reasons, usage and errors of the
    upstream pass as they are; each choice (of a stream: its last chunk) has the outcome under `factscore`.
    """
    upstream, guarding = _upstream(served), _guarding(body, served)
    if body.stream:
        return await _streamed(body, request, served, guarding)

    async def ask(asked: Mapping[str, Any]) -> dict[str, Any]:
        return _completion(await upstream.asked(request, asked))

    first = await upstream.asked(request, body.for_upstream())
    if first.status_code != httpx.codes.OK:
        return as_answered(first)
    return await _whole(_completion(first), first, body, served, guarding, ask)


async def _whole(
    completion: dict[str, Any],
    answer: httpx.Response,
    body: ChatRequest,
    served: State,
    guarding: Guarding,
    ask: Any,
) -> Response:
    try:
        shown, checked = await checked_completion(completion, body, guarding, ask)
    except FactualityError as error:
        served.figures.guarded(error.checked)
        raise factuality_problem(error) from error
    for one in checked:
        served.figures.guarded(one)
    headers = {**headers_of(answer), "content-type": "application/json"}
    return Response(json.dumps(shown).encode(), headers=headers)


async def _streamed(body: ChatRequest, request: Request, served: State, guarding: Guarding) -> Response:
    stack = AsyncExitStack()
    try:
        answer = await stack.enter_async_context(_upstream(served).streamed(request, body.for_upstream()))
        if answer.status_code != httpx.codes.OK or not _is_stream(answer):
            await answer.aread()
            await stack.aclose()
            if answer.status_code != httpx.codes.OK:
                return as_answered(answer)
            raise unreadable()
    except BaseException:
        await stack.aclose()
        raise
    stream = GuardedStream(
        events(answer.aiter_lines()),
        guarding,
        upstream=stack,
        is_data=body.wants_json,
        on_checked=served.figures.guarded,
    )
    headers = {**headers_of(answer), "cache-control": "no-cache", "x-accel-buffering": "no"}
    headers.pop("content-type", None)
    return _EventStream(stream.pieces(lambda: time_left(request.scope)), headers)


@proxy_router.get("/models", responses=_ANSWERS | {200: {}}, summary="The upstream's models")
async def models(request: Request, served: Served) -> Response:
    """The upstream's answer, as it is."""
    return await _upstream(served).passed_on(request, "models")


@proxy_router.get("/models/{model:path}", responses=_ANSWERS | {200: {}}, summary="A model of the upstream")
async def model(model: str, request: Request, served: Served) -> Response:
    """The upstream's answer, as it is."""
    if {".", ".."} & set(model.split("/")):
        raise _not_here()
    return await _upstream(served).passed_on(request, f"models/{quote(model, safe='/:@')}")


@proxy_router.post(
    "/embeddings",
    responses=_ANSWERS | {200: {}},
    summary="The upstream's embeddings",
)
async def embeddings(body: dict[str, Any], request: Request, served: Served) -> Response:
    """The upstream's answer, as it is: it holds no text that could be wrong."""
    return await _upstream(served).passed_on(request, "embeddings", body)


@proxy_router.api_route("/{path:path}", methods=["GET", "POST", "DELETE"], include_in_schema=False)
async def nothing_else(path: str) -> Response:
    """Says why the rest of the upstream is not here."""
    raise _not_here()


def _not_here() -> ProblemError:
    return ProblemError(
        404,
        "not_guarded",
        "Only chat completions are checked here, so only they, models and embeddings are passed on. Use "
        "/v1/chat/completions, or ask the upstream itself.",
    )


def _guarding(body: ChatRequest, served: State) -> Guarding:
    upstream, options = served.serving.upstream, body.options
    assert upstream is not None  # noqa: S101  the routes are there only with one
    evidence = evidence_of(body, upstream.evidence)
    if not evidence:
        served.sources.resolve(options.knowledge, options.topic)
    checker = TextChecker(
        served.sources.chain(options.knowledge), upstream.policy, editor=served.sources.editor
    )
    return Guarding(checker, options.topic, evidence, served.serving.limits.text)


def _upstream(served: State) -> UpstreamClient:
    assert served.upstream is not None  # noqa: S101  the routes are there only with one
    return served.upstream


def _completion(answer: httpx.Response) -> dict[str, Any]:
    """The data of an answer.

    Raises:
        ProblemError: It is not JSON, or the upstream said no.
    """
    try:
        found = json.loads(answer.content)
    except (ValueError, RecursionError):
        raise unreadable() from None
    if answer.status_code != httpx.codes.OK or not isinstance(found, dict):
        raise unreadable()
    return found


def _is_stream(answer: httpx.Response) -> bool:
    return bool(answer.headers.get("content-type", "").startswith("text/event-stream"))


class _EventStream(Response):
    """Events as they come, whose last one ends the answer.

    Clients stop reading at the last event, and may ask again before an answer that ends later has ended.
    """

    media_type = "text/event-stream"

    def __init__(self, pieces: AsyncGenerator[tuple[bytes, bool], None], headers: Mapping[str, str]) -> None:
        self._pieces = pieces
        self.status_code, self.background = httpx.codes.OK, None
        self.init_headers(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends them."""
        head = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(head)
        async with aclosing(self._pieces) as pieces:
            async for piece, last in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": not last})
