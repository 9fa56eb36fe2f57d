"""Errors as they leave the server: JSON that says what was wrong and what to do, in the shape of OpenAI's.

A message holds no text of the request, but for names that the caller gave, such as a topic.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from traceback import format_tb
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict
from starlette.types import Send

from factscore_chain.errors import (
    AmbiguousTitleError,
    BudgetError,
    FactScoreError,
    FatalModelError,
    ModelCallError,
    TitleNotFoundError,
    UsageError,
)

log = logging.getLogger("factscore_chain.server")

INVALID = "invalid_request_error"
"""Kind of an error that the caller can mend."""


class ErrorDetail(BaseModel):
    """What was wrong."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    message: str
    """What was wrong, and what to do."""
    type: str
    """Its kind: `invalid_request_error`, `authentication_error`, `overloaded_error`, `upstream_error`,
    `factuality_error` or `server_error`."""
    code: str
    """Its name, for programs."""
    param: str | None = None
    """The field that it is about."""


class ErrorBody(BaseModel):
    """The body of every answer with a status of 400 or more."""

    error: ErrorDetail


class ProblemError(FactScoreError):
    """An answer with a status of 400 or more."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        kind: str = INVALID,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code = status, code
        self.headers = dict(headers or {})
        self._detail = {
            "message": _whole(message),
            "type": kind,
            "code": code,
            "param": param,
            **(more or {}),
        }

    @property
    def body(self) -> bytes:
        """The body, as JSON."""
        return orjson.dumps({"error": self._detail})

    async def send(self, send: Send) -> None:
        """Sends it as an ASGI response."""
        headers = {
            "content-type": "application/json",
            "content-length": str(len(self.body)),
            "cache-control": "no-store",
            **self.headers,
        }
        raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": raw})
        await send({"type": "http.response.body", "body": self.body})


class UnknownKnowledgeError(UsageError):
    """No source of the server has this name."""


def problem_of(error: Exception) -> ProblemError:
    """What an exception means to the caller; of one that is not ours only the kind goes to the log."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, (TitleNotFoundError, AmbiguousTitleError)):
        near = error.near if isinstance(error, TitleNotFoundError) else error.candidates
        return ProblemError(404, "unknown_topic", str(error), param="topic", more={"near": list(near)})
    if isinstance(error, UnknownKnowledgeError):
        return ProblemError(404, "unknown_knowledge", str(error), param="knowledge")
    if isinstance(error, UsageError):
        return ProblemError(422, "unusable", str(error))
    if isinstance(error, BudgetError):
        return ProblemError(503, "budget_used_up", str(error), kind="server_error")
    if isinstance(error, (FatalModelError, ModelCallError)):
        return ProblemError(502, "model_failed", str(error), kind="upstream_error")
    if isinstance(error, FactScoreError):
        return ProblemError(500, "failed", str(error), kind="server_error")
    # The words of a foreign error may quote the request.
    trace = "".join(format_tb(error.__traceback__))
    log.error("%s, raised at\n%s", type(error).__name__, trace)
    return ProblemError(
        500,
        "internal",
        f"The server failed ({type(error).__name__}). Its log says where; try again, or tell its operator.",
        kind="server_error",
    )


def invalid(errors: Sequence[Any]) -> ProblemError:
    """What is wrong with a body, as pydantic found it, without what it was given."""
    first = errors[0]
    place = ".".join(str(part) for part in first["loc"] if part not in {"body", "query", "path"})
    if first["type"] == "json_invalid":
        return ProblemError(400, "not_json", "The body is not JSON. Send a JSON object in UTF-8.")
    what = f"{place}: {first['msg']}" if place else str(first["msg"])
    return ProblemError(
        422, "invalid", f"The request does not fit: {what}. See /openapi.json.", param=place or None
    )


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
