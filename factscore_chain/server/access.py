"""Who may ask: the names that the server answers to, and the token, compared in constant time."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest

from starlette.types import ASGIApp, Receive, Scope, Send

from factscore_chain.server.problems import ProblemError
from factscore_chain.server.settings import Access

TOKEN_HEADER = b"x-factscore-token"
"""Carries the server's token where `Authorization` is for the upstream."""


class Guarded:
    """Turns away who does not know the token, or addresses the server by a name that is not its own."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        hosts: frozenset[str] | None,
        is_open: Callable[[str], bool],
    ) -> None:
        self._app, self._token, self._hosts, self._is_open = app, access.token, hosts, is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request, if it may."""
        if scope["type"] == "http":
            self._check(scope)
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        # Every browser names a host; only simple probes do not.
        host = _host(headers.get(b"host", b""))
        if self._hosts is not None and host and host not in self._hosts:
            raise ProblemError(
                421,
                "wrong_host",
                "This server answers to the names of its own machine only. Address it as 127.0.0.1, or start "
                "it with --allow-host or with a token.",
            )
        if self._token is None or self._is_open(scope["path"]):
            return
        if not (is_token(headers.get(TOKEN_HEADER, b""), self._token) or bears(headers, self._token)):
            raise ProblemError(
                401,
                "wrong_token",
                "The token is missing or wrong. Send 'Authorization: Bearer TOKEN', or 'X-FactScore-Token: "
                "TOKEN' where Authorization is for the upstream.",
                kind="authentication_error",
                headers={"WWW-Authenticate": "Bearer"},
            )


def bears(headers: dict[bytes, bytes], token: str) -> bool:
    """Whether `Authorization` carries the server's own token."""
    scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
    return scheme.lower() == b"bearer" and is_token(given.strip(), token)


def is_token(given: bytes, token: str) -> bool:
    """Whether these are the same, in a time that tells nothing of either."""
    return compare_digest(sha256(given).digest(), sha256(token.encode()).digest())


def _host(value: bytes) -> str:
    name = value.decode("latin-1").strip().lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]
