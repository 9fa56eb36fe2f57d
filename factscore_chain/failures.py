"""The one place that decides what an exception means: stop the run, or lose one item and go on."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from traceback import format_tb

from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAuthenticationError,
    ModelNotFoundError,
    ModelTimeoutError,
)

from factscore_chain.errors import FactScoreError, FatalModelError, ModelCallError

_log = logging.getLogger(__name__)

_KEY = "Check the API key in {keys}."
_FATAL_STATUS = {
    401: ("the key was refused", _KEY),
    402: ("it has to be paid for first", "Check the account that the API key in {keys} belongs to."),
    403: ("access was denied", _KEY),
    404: ("it was not found", "Check the model's name, and the server's address if you named one."),
}
_NO_QUOTA = "insufficient_quota"
"""Code of a 429 that waiting does not mend."""
_TOO_LONG = "context_length_exceeded"
_UNREACHABLE = frozenset({"ConnectError", "ConnectionRefusedError", "gaierror"})
_DETAILS = {
    400: "the server does not take the request; it may be too long for the model",
    408: "the server ran out of time",
    413: "the request is too long",
    422: "the server does not take the request",
    429: "the server takes no more calls for now",
}


def model_call_error(error: Exception, model: str, keys: Sequence[str] = ()) -> FactScoreError:
    """Tells what a failed model call means, without the request's text or key.

    Args:
        error: What the client raised.
        model: The model's name.
        keys: Environment variables that its key is read from.

    Returns:
        `FatalModelError` where every further call would fail the same way, else `ModelCallError`; errors
        of our own pass unchanged.
    """
    if isinstance(error, FactScoreError):
        return error
    if (fatal := _fatal(error)) is not None:
        why, advice = fatal
        named = " or ".join(keys) or "the provider's environment variable"
        return FatalModelError(
            f"The model {model!r} cannot be used: {why} ({type(error).__name__}). {advice.format(keys=named)}"
        )
    return ModelCallError(f"A call to {model!r} failed: {type(error).__name__}, {_detail(error)}.")


def rejects_logprobs(error: Exception) -> bool:
    """Whether a server turned a request down only because it asked for log-probabilities."""
    return status_of(error) in {None, 400, 422} and "logprob" in str(error).lower()


def rejects_schema(error: Exception) -> bool:
    """Whether a server turned a request down only because of the form that it asked for."""
    said = str(error).lower()
    named = any(word in said for word in ("response_format", "schema", "grammar", "tool"))
    return isinstance(error, NotImplementedError) or (status_of(error) in {400, 422} and named)


def is_fatal(error: Exception) -> bool:
    """Whether every further call would fail the same way, at once."""
    return _fatal(error) is not None and not is_unreachable(error)


def status_of(error: Exception) -> int | None:
    """The HTTP status that a client's error tells of; None if it tells of none."""
    for holder in (error, getattr(error, "response", None)):
        if isinstance(status := getattr(holder, "status_code", None), int):
            return status
    return None


def _fatal(error: Exception) -> tuple[str, str] | None:
    if isinstance(error, ModelAuthenticationError):
        return _FATAL_STATUS[401]
    if isinstance(error, ModelNotFoundError):
        return _FATAL_STATUS[404]
    if getattr(error, "code", None) == _NO_QUOTA:
        return "its quota is used up", _FATAL_STATUS[402][1]
    if is_unreachable(error):
        return "its server cannot be reached", "Check that it runs, and its address."
    return _FATAL_STATUS.get(status_of(error) or 0)


def is_unreachable(error: BaseException) -> bool:
    """Whether no connection came about, as opposed to one that broke."""
    return any(base.__name__ in _UNREACHABLE for one in _chain(error) for base in type(one).__mro__)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and those that led to it; a chain may come back to where it was."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__


def _detail(error: Exception) -> str:
    status = status_of(error)
    if isinstance(error, ContextOverflowError) or getattr(error, "code", None) == _TOO_LONG:
        return "the prompt is longer than the model's context"
    if status is None or status < 400:
        timed_out = isinstance(error, (ModelTimeoutError, TimeoutError))
        return "it took too long" if timed_out else "no usable answer"
    return f"HTTP {status}" + (f": {_DETAILS[status]}" if status in _DETAILS else "")


def cause_of(error: Exception) -> str:
    """What a report says of an error that cost one item.

    Our own messages are written to be read. Those of other libraries may quote a request with its text or
    key, so only their kind is told; where they were raised, without their words, goes to the debug log.
    """
    if isinstance(error, FactScoreError):
        return str(error)
    _log.debug("%s raised at\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
    return f"{type(error).__name__} in a stage; the debug log of {__name__!r} has the trace"
