"""What an operator sees: a line for each request in the log, and figures. No text of a request in either."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factscore_chain.guard.checked import CheckedText
from factscore_chain.language_model import Usage
from factscore_chain.report import GenerationReport
from factscore_chain.server.limits import CLIENT_LEFT, ClientLeftError, is_last
from factscore_chain.server.problems import ProblemError, log, problem_of

REQUEST_ID = "X-FactScore-Request-Id"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_ALWAYS = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))


class Figures:
    """The server's metrics."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        into = self.registry
        self.requests = Counter(
            "factscore_requests", "Requests answered", ["route", "method", "status"], registry=into
        )
        self.seconds = Histogram(
            "factscore_request_seconds", "Time of requests", ["route"], buckets=_SECONDS, registry=into
        )
        self.in_progress = Gauge("factscore_requests_in_progress", "Requests being answered", registry=into)
        self.refused = Counter("factscore_refused", "Requests refused, by code", ["code"], registry=into)
        self.texts = Counter("factscore_texts", "Texts checked, by status", ["status"], registry=into)
        self.answers = Counter(
            "factscore_answers",
            "Answers of the upstream, by what was done",
            ["action", "cause"],
            registry=into,
        )
        self.facts = Counter("factscore_facts", "Facts checked, by verdict", ["verdict"], registry=into)

    def guarded(self, checked: CheckedText) -> None:
        """Counts an answer that was checked on its way, and its facts."""
        self.answers.labels(checked.action, checked.outcome.cause).inc()
        if checked.report is not None:
            self.checked([checked.report])

    def checked(self, reports: Iterable[GenerationReport]) -> None:
        """Counts texts and their facts."""
        for report in reports:
            self.texts.labels(report.status).inc()
            for fact in report.facts:
                self.facts.labels(fact.verdict.value).inc()


class ModelUse(Collector):
    """What the chat models of the server have used, read when somebody asks."""

    def __init__(self, usages: Callable[[], Iterable[Usage]]) -> None:
        self._usages = usages

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Calls and tokens so far."""
        spent = sum(self._usages(), Usage())
        yield CounterMetricFamily("factscore_model_calls", "Calls of chat models", value=spent.calls)
        tokens = CounterMetricFamily("factscore_model_tokens", "Tokens of chat models", labels=["kind"])
        tokens.add_metric(["input"], spent.input_tokens)
        tokens.add_metric(["output"], spent.output_tokens)
        yield tokens


class Observed:
    """The outermost layer: turns what is raised into an answer, counts it, and writes its line."""

    def __init__(self, app: ASGIApp, figures: Figures, routes: Sequence[BaseRoute]) -> None:
        self._app, self._figures, self._routes = app, figures, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        answer = _Answer(send, lambda: self._tell(scope, answer, time.perf_counter() - begun))
        self._figures.in_progress.inc()
        try:
            await self._served(scope, receive, answer)
        finally:
            answer.end()

    async def _served(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            await self._app(scope, receive, answer.send)
        except ClientLeftError:
            answer.status = CLIENT_LEFT
        except asyncio.CancelledError:
            await self._say(_shutting_down(), answer)
        except Exception as error:  # noqa: BLE001  every answer is one that a program can read
            await self._say(problem_of(error), answer)

    async def _say(self, problem: ProblemError, answer: _Answer) -> None:
        self._figures.refused.labels(problem.code).inc()
        if answer.status is None:
            await problem.send(answer.send)

    def _tell(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        self._figures.in_progress.dec()
        route = _path_of(scope, self._routes)
        status = str(answer.status or CLIENT_LEFT)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._figures.requests.labels(route, method, status).inc()
        self._figures.seconds.labels(route).observe(seconds)
        log.info("%s %s %s %.0f ms %s", method, route, status, 1000 * seconds, answer.id)


def _path_of(scope: Scope, routes: Sequence[BaseRoute]) -> str:
    """The path of the route that a request is for, also where it was refused on its way there."""
    found = [(one, one.matches(scope)[0]) for one in routes]
    # A route that knows the path, but not the method, is one that the request was meant for too.
    fitting = (one for wanted in (Match.FULL, Match.PARTIAL) for one, match in found if match is wanted)
    return str(getattr(next(fitting, None), "path", "other"))


class _Answer:
    """What goes out: its status, and the headers that every answer has.

    It is told of before its last piece leaves: whoever has an answer finds it in the figures and in the log.
    """

    def __init__(self, send: Send, tell: Callable[[], None]) -> None:
        self._send = send
        self._tell: Callable[[], None] | None = tell
        self.status: int | None = None
        self.id = uuid4().hex

    async def send(self, message: Message) -> None:
        """Sends a piece."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = (*_ALWAYS, (REQUEST_ID.lower().encode(), self.id.encode()))
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        if is_last(message):
            self.end()
        await self._send(message)

    def end(self) -> None:
        """Tells of it, once."""
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()


def _shutting_down() -> ProblemError:
    return ProblemError(
        503,
        "shutting_down",
        "The server is shutting down and could not finish this. Send it again.",
        kind="server_error",
        headers={"Retry-After": "5", "Connection": "close"},
    )
