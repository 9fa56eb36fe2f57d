"""The chat model's server behind the proxy: asked as the client asked, answered for as it answered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
from starlette.requests import Request
from starlette.responses import Response

from factscore_chain.server.access import TOKEN_HEADER, bears
from factscore_chain.server.problems import ProblemError
from factscore_chain.server.settings import Serving, Upstream

_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OURS = _HOP_BY_HOP | {"host", "content-length", "accept-encoding", "cookie", "origin", "referer", "expect"}
_THEIRS = _HOP_BY_HOP | {"content-length", "content-encoding", "set-cookie", "date", "server"}
_CONNECT = 10.0


class UpstreamClient:
    """Asks the upstream; what goes wrong on the way becomes a `ProblemError`."""

    def __init__(self, upstream: Upstream, serving: Serving) -> None:
        self._base = upstream.url
        self._key = upstream.key
        self._token = serving.access.token
        limits = serving.limits
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(limits.seconds, connect=min(_CONNECT, limits.seconds)),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=limits.concurrency),
            follow_redirects=False,
        )

    async def close(self) -> None:
        """Closes its connections."""
        await self._client.aclose()

    async def passed_on(self, request: Request, path: str, body: Mapping[str, Any] | None = None) -> Response:
        """The upstream's answer to a request that needs no check, as it is."""
        made = self._made(request, path, None if body is None else _json(body))
        with _told():
            answer = await self._client.send(made)
        return as_answered(answer)

    async def asked(self, request: Request, body: Mapping[str, Any]) -> httpx.Response:
        """The upstream's whole answer to a chat request."""
        async with self.streamed(request, body) as answer:
            with _told():
                await answer.aread()
            return answer

    @asynccontextmanager
    async def streamed(self, request: Request, body: Mapping[str, Any]) -> AsyncIterator[httpx.Response]:
        """The upstream's answer to a chat request, as it begins; its body is still to be read."""
        made = self._made(request, "chat/completions", _json(body))
        with _told():
            answer = await self._client.send(made, stream=True)
        try:
            yield answer
        finally:
            await answer.aclose()

    def _made(self, request: Request, path: str, content: bytes | None) -> httpx.Request:
        return self._client.build_request(
            request.method,
            f"{self._base}/{path}",
            params=request.url.query or None,
            headers=self._headers(request),
            content=content,
        )

    def _headers(self, request: Request) -> list[tuple[bytes, bytes]]:
        given = dict(request.headers.raw)
        drop = {name.encode() for name in _OURS} | {TOKEN_HEADER}
        is_ours = self._token is not None and bears(given, self._token)
        if self._key is not None or is_ours:
            drop.add(b"authorization")
        kept = [(name, value) for name, value in request.headers.raw if name.lower() not in drop]
        own = [] if self._key is None else [(b"authorization", f"Bearer {self._key}".encode())]
        return [*kept, *own]


def as_answered(answer: httpx.Response) -> Response:
    """An answer of the upstream that was read, as it is."""
    if answer.is_redirect:
        raise ProblemError(
            502,
            "upstream_redirects",
            f"The upstream answered {answer.status_code}, a redirect. Give the server its final address.",
            kind="upstream_error",
        )
    return Response(answer.content, answer.status_code, headers_of(answer))


def headers_of(answer: httpx.Response) -> dict[str, str]:
    """The headers of an answer that are for the client too."""
    return {name: value for name, value in answer.headers.items() if name.lower() not in _THEIRS}


def _json(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode()
    except ValueError:
        raise ProblemError(400, "not_json", "The body holds NaN or infinity, which is no JSON.") from None


@contextmanager
def _told() -> Iterator[None]:
    """Turns what goes wrong on the way to the upstream into an answer."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise upstream_problem(error) from None


def upstream_problem(error: Exception) -> ProblemError:
    """What trouble with the upstream means to the client; its own words may hold the address."""
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        return _upstream(502, "upstream_unreachable", "The upstream cannot be reached. Check that it runs.")
    if isinstance(error, httpx.TimeoutException):
        return _upstream(504, "upstream_timeout", "The upstream did not answer in time. Try again.")
    return _upstream(
        502, "upstream_broke_off", "The upstream broke off before its answer was there. Try again."
    )


def unreadable() -> ProblemError:
    """An answer that is no chat completion, so that it cannot be checked."""
    return _upstream(
        502, "upstream_unreadable", "The upstream's answer is no chat completion, so it was not passed on."
    )


def _upstream(status: int, code: str, message: str) -> ProblemError:
    return ProblemError(status, code, message, kind="upstream_error")
