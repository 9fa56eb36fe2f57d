"""When a failed model call is made again, and how long to wait before that: by the kind of error alone."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from langchain_core.exceptions import ModelConnectionError, ModelRateLimitError, ModelTimeoutError

from factscore_chain.errors import FactScoreError
from factscore_chain.failures import is_fatal, is_unreachable, status_of

Kind = Literal["never", "unusable", "stale", "transient"]
"""What may help: nothing; asking once more, where a server's reply made no sense; another connection, where
one was kept from another event loop; or waiting."""

_TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
_TRANSIENT = (ModelConnectionError, ModelRateLimitError, ModelTimeoutError, TimeoutError, ConnectionError)
_TRANSIENT_NAMES = frozenset({"APIConnectionError", "TransportError"})
"""Of clients that LangChain does not translate, such as httpx."""
_UNUSABLE = (ValueError, TypeError, LookupError, AttributeError)
_UNUSABLE_NAMES = frozenset({"APIResponseValidationError"})
_OTHER_LOOP = ("Event loop is closed", "different event loop", "attached to a different loop")
"""What Python says where something is used that was made in another event loop."""
_MOST_STALE = 20
"""Attempts where connections are stale: a client drops one with each, and may have kept one for each call."""


@dataclass(frozen=True)
class Patience:
    """How long to try."""

    attempts: int = 7
    """Calls at most where waiting may help."""
    unreachable_attempts: int = 4
    """The same where there is no server: it may be about to start, but its address may be wrong too."""
    first_wait: float = 1.0
    """Seconds before the second attempt; each further wait is twice as long."""
    longest_wait: float = 60.0
    """Seconds. A server that asks for more is not asked again."""
    longest_call: float = 600.0
    """Seconds that one attempt may take, whatever trickles in."""
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep

    def wait_before(self, attempt: int, error: Exception, *, client_retries: bool) -> float | None:
        """Seconds to wait before attempt number `attempt` (2 and up); None if there is to be none.

        Args:
            attempt: Number of the attempt that would follow.
            error: What ended the one before.
            client_retries: The client has tried several times already where waiting may help.
        """
        kind = kind_of(error)
        if kind in ("unusable", "stale"):
            return 0.0 if attempt <= (2 if kind == "unusable" else _MOST_STALE) else None
        most = self.unreachable_attempts if is_unreachable(error) else self.attempts
        if kind == "never" or client_retries or attempt > most:
            return None
        wanted = retry_after(error)
        if wanted is not None:
            # A little apart, or all the calls that wait come back at one moment.
            return wanted * random.uniform(1, 1.1) if wanted <= self.longest_wait else None
        return min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 2)) * random.uniform(0.5, 1)


def kind_of(error: Exception) -> Kind:
    """Whether waiting, or asking once more, may help."""
    if isinstance(error, FactScoreError) or is_fatal(error):
        return "never"
    if (status := status_of(error)) is not None and status >= 400:
        return "transient" if status in _TRANSIENT_STATUS or status >= 500 else "never"
    if isinstance(error, RuntimeError) and any(words in str(error) for words in _OTHER_LOOP):
        return "stale"
    names = {base.__name__ for base in type(error).__mro__}
    if isinstance(error, _TRANSIENT) or names & _TRANSIENT_NAMES:
        return "transient"
    return "unusable" if isinstance(error, _UNUSABLE) or names & _UNUSABLE_NAMES else "never"


def retry_after(error: Exception) -> float | None:
    """Seconds that the server asks to wait, by a number or a date; None if it names none."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        return None if value is None else max(0.0, _seconds(str(value), headers.get("date")))
    except ValueError:
        return None


def _seconds(value: str, date: str | None) -> float:
    """A wait as seconds; one up to a moment is counted from when the server says that it answered.

    Both are by the server's clock: ours may be wrong, or may have been set since.
    """
    try:
        return float(value)
    except ValueError:
        until = _moment(value)
    try:
        since = datetime.now(timezone.utc) if date is None else _moment(date)
    except ValueError:
        since = datetime.now(timezone.utc)
    return (until - since).total_seconds()


def _moment(value: str) -> datetime:
    moment = parsedate_to_datetime(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
