"""How a server runs: where, for whom, and how much it takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from urllib.parse import urlsplit

from factscore_chain.errors import UsageError
from factscore_chain.guard.policy import GuardPolicy

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})


@dataclass(frozen=True)
class Limits:
    """What one server takes; everything beyond is refused with an error that names the limit.

    Raises:
        UsageError: A limit is not above 0.
    """

    body: int = 1_000_000
    """Bytes of a request's body."""
    text: int = 20_000
    """Characters of a text to check, and of the passages given with it."""
    concurrency: int = 16
    """Requests in work at once; one more is answered 429."""
    seconds: float = 120.0
    """Time for the work of a request."""
    arrival: float = 15.0
    """Seconds in which a request's head, and then its body, has to arrive."""
    shutdown: float = 30.0
    """Seconds for what is in work when the server is told to stop."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not (value > 0 and math.isfinite(value)):
                raise UsageError(f"The limit {one.name!r} is {value}; give a number above 0.")


@dataclass(frozen=True)
class Access:
    """Who is let in.

    Raises:
        UsageError: The token cannot stand in a header.
    """

    token: str | None = field(default=None, repr=False)
    """Bearer token; None lets everybody in who can reach the server."""
    hosts: frozenset[str] = frozenset()
    """Names by which the server may be addressed, beside its own, where there is no token."""

    def __post_init__(self) -> None:
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token):
            raise UsageError("The token is empty or has characters that no HTTP header can hold.")
        if self.token is not None and self.token != self.token.strip():
            raise UsageError("The token begins or ends with a space, which no HTTP header can hold.")


@dataclass(frozen=True)
class Upstream:
    """A server of chat models whose answers are checked on their way.

    Raises:
        UsageError: The address is none, or the key cannot stand in a header.
    """

    url: str
    """Its base URL, as an OpenAI client would be given it."""
    policy: GuardPolicy = field(default_factory=GuardPolicy)
    key: str | None = field(default=None, repr=False)
    """Sent in place of the client's own `Authorization`; None passes that on."""
    evidence: frozenset[str] = frozenset({"tool", "function"})
    """Roles of the messages of a request that its answer is checked against too."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise UsageError(
                f"The upstream's address is {self.url!r}; give a base URL such as https://api.openai.com/v1."
            )
        if self.key is not None and not (self.key.isascii() and self.key.isprintable() and self.key.strip()):
            raise UsageError("The upstream's key is empty or has characters that no HTTP header can hold.")
        object.__setattr__(self, "url", self.url.rstrip("/"))


@dataclass(frozen=True)
class Serving:
    """Everything about a server but what it checks texts against.

    Raises:
        UsageError: The port is none.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    """0 takes a free one."""
    limits: Limits = field(default_factory=Limits)
    access: Access = field(default_factory=Access)
    upstream: Upstream | None = None
    """None has no proxy."""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise UsageError(f"There is no port {self.port}; give 0 to 65535.")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return self.host == "localhost" or ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> frozenset[str] | None:
        """Names that a request may address it by; None for any.

        A page of another site can make its own name lead to this machine (DNS rebinding). Where there is no
        token that it would have to know, only the names of this machine are answered to.
        """
        if self.access.token is not None or not self.is_local:
            return None
        return LOOPBACK_NAMES | {self.host} | self.access.hosts
