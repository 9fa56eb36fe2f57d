"""The one place that decides what an exception means: stop the run, or lose one item and go on."""

from __future__ import annotations

import logging
from traceback import format_tb

from langchain_core.exceptions import ModelAuthenticationError, ModelNotFoundError

from factscore_chain.errors import FactScoreError, FatalModelError, ModelCallError

_log = logging.getLogger(__name__)

_FATAL_STATUS = {
    401: "the key was refused",
    402: "it has to be paid for first",
    403: "access was denied",
    404: "it was not found",
}
_NO_QUOTA = "insufficient_quota"
"""Code of a 429 that waiting does not mend."""


def model_call_error(error: Exception, model: str) -> FactScoreError:
    """Tells what a failed model call means, without the request's text or key.

    Returns:
        `FatalModelError` where every further call would fail the same way, else `ModelCallError`; errors
        of our own pass unchanged.
    """
    if isinstance(error, FactScoreError):
        return error
    if (why := _fatal_cause(error)) is not None:
        return FatalModelError(
            f"The model {model!r} cannot be used: {why} ({type(error).__name__}). "
            "Check the model's name and the API key in the provider's environment variable."
        )
    status = _status(error)
    detail = f"HTTP {status}" if status else "no usable answer"
    return ModelCallError(f"A call to {model!r} failed: {type(error).__name__}, {detail}.")


def rejects_logprobs(error: Exception) -> bool:
    """Whether a server turned a request down only because it asked for log-probabilities."""
    return _status(error) in {None, 400, 422} and "logprob" in str(error).lower()


def _fatal_cause(error: Exception) -> str | None:
    if isinstance(error, ModelAuthenticationError):
        return _FATAL_STATUS[401]
    if isinstance(error, ModelNotFoundError):
        return _FATAL_STATUS[404]
    if getattr(error, "code", None) == _NO_QUOTA:
        return "its quota is used up"
    return _FATAL_STATUS.get(_status(error) or 0)


def _status(error: Exception) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        if isinstance(status := getattr(holder, "status_code", None), int):
            return status
    return None


def cause_of(error: Exception) -> str:
    """What a report says of an error that cost one item.

    Our own messages are written to be read. Those of other libraries may quote a request with its text or
    key, so only their kind is told; where they were raised, without their words, goes to the debug log.
    """
    if isinstance(error, FactScoreError):
        return str(error)
    _log.debug("%s raised at\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
    return f"{type(error).__name__} in a stage; the debug log of {__name__!r} has the trace"
