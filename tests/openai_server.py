"""A small HTTP server that speaks the chat completions of OpenAI, and misbehaves by script.

It answers on loopback, from threads of its own, so that real clients can be tested against it. Start it with
`OpenAIServer(script)`; `url` is the base URL. A script is a list of behaviours in the order of the calls (the
last one stays), or a function of the last message's text.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

KEY = "sk-right"
"""The only key that is let in."""


@dataclass(frozen=True)
class Answer:
    """A completion."""

    text: str = "True"
    logprobs: Sequence[dict[str, float]] = ()
    """For each token its alternatives, the chosen one first."""
    finish_reason: str = "stop"
    refusal: str | None = None
    tool_calls: Sequence[dict[str, Any]] = ()
    choices: int = 1
    """How often the choice is given; 0 gives an empty list."""
    usage: bool = True
    wait: float = 0.0
    """Seconds before the answer begins."""
    drip: float = 0.0
    """Seconds between pieces of the body."""
    cut: bool = False
    """The connection ends in the middle of the body."""
    hold: threading.Event | None = None
    """What the second half of the body waits for."""


@dataclass(frozen=True)
class Status:
    """An answer with another status than 200."""

    code: int
    message: str = "as scripted"
    error_code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """A body as it is, with status 200."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Reset:
    """The connection is torn down without a word."""


Behaviour = str | Answer | Status | Raw | Reset
"""A string stands for an `Answer` with that text."""
Script = Sequence[Behaviour] | Callable[[str], Behaviour]


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    path: str
    key: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """Text of the last message."""
        return str(self.body["messages"][-1]["content"])


class OpenAIServer:
    """Runs from `with` to the end of its block.

    Args:
        script: What is answered.
        seconds_per_token: How long reading and writing take, for each token of prompt and reply.
    """

    def __init__(self, script: Script, *, seconds_per_token: float = 0.0) -> None:
        self.requests: list[Request] = []
        self.most_in_flight = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._script = script
        self._seconds_per_token = seconds_per_token
        self._in_flight = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        outer = self

        class Handler(_Handler):
            server_state = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def in_flight(self) -> int:
        """Requests that are being answered."""
        with self._lock:
            return self._in_flight

    @property
    def calls(self) -> int:
        """Requests for a completion."""
        return len(self.requests)

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait_for(self, event: threading.Event) -> None:
        """Waits for an event, but not beyond the server's end."""
        while not event.wait(0.05) and not self._closing.is_set():
            pass

    def pause(self, seconds: float) -> None:
        """Waits, but not beyond the server's end."""
        if seconds:
            self._closing.wait(seconds)

    def arrived(self, request: Request) -> Behaviour:
        """Takes a request and says what is to be done about it."""
        with self._lock:
            turn = len(self.requests)
            self.requests.append(request)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        if request.key != KEY:
            return Status(401, f"Incorrect API key provided: {request.key}", "invalid_api_key")
        if callable(self._script):
            return self._script(request.question)
        return self._script[min(turn, len(self._script) - 1)]

    def left(self) -> None:
        """A request has been dealt with."""
        with self._lock:
            self._in_flight -= 1

    def spent(self, request: Request, text: str) -> dict[str, int]:
        """Counts a completion's tokens, and takes the time they take."""
        messages = request.body.get("messages", [])
        prompt = sum(_tokens(str(message.get("content"))) for message in messages)
        with self._lock:
            self.prompt_tokens += prompt
            self.completion_tokens += _tokens(text)
        self.pause(self._seconds_per_token * (prompt + _tokens(text)))
        total = prompt + _tokens(text)
        return {"prompt_tokens": prompt, "completion_tokens": _tokens(text), "total_tokens": total}


class _Handler(BaseHTTPRequestHandler):
    server_state: OpenAIServer
    protocol_version = "HTTP/1.1"
    _is_in_flight = False

    def do_GET(self) -> None:
        models = [{"id": "test-model", "object": "model", "created": 0, "owned_by": "tests"}]
        found = models[0] if self.path.endswith("/test-model") else {"object": "list", "data": models}
        self._send(200, json.dumps(found).encode())

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        body = json.loads(self.rfile.read(length))
        request = Request(self.path, key, body, {name.lower(): text for name, text in self.headers.items()})
        behaviour = self.server_state.arrived(request)
        self._is_in_flight = True
        try:
            self._behave(request, Answer(behaviour) if isinstance(behaviour, str) else behaviour)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self._leave()

    def _leave(self) -> None:
        """Counts the request as dealt with, once."""
        if self._is_in_flight:
            self._is_in_flight = False
            self.server_state.left()

    def _behave(self, request: Request, behaviour: Answer | Status | Raw | Reset) -> None:
        if isinstance(behaviour, Reset):
            # Without lingering, closing sends a reset instead of an orderly end.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return None
        if isinstance(behaviour, Raw):
            return self._send(200, behaviour.body.encode(), behaviour.content_type)
        if isinstance(behaviour, Status):
            error = {"message": behaviour.message, "type": "scripted", "code": behaviour.error_code}
            body = json.dumps({"error": error}).encode()
            return self._send(behaviour.code, body, headers=behaviour.headers)
        self.server_state.pause(behaviour.wait)
        usage = self.server_state.spent(request, behaviour.text) if behaviour.usage else None
        if request.body.get("stream"):
            body, kind = b"".join(_events(request, behaviour, usage)), "text/event-stream"
        else:
            body, kind = json.dumps(_completion(request, behaviour, usage)).encode(), "application/json"
        return self._send(200, body, kind, drip=behaviour.drip, cut=behaviour.cut, hold=behaviour.hold)

    def _send(
        self,
        status: int,
        body: bytes,
        content_type: str = "application/json",
        *,
        headers: dict[str, str] | None = None,
        drip: float = 0.0,
        cut: bool = False,
        hold: threading.Event | None = None,
    ) -> None:
        self.send_response(status)
        all_headers = {"Content-Type": content_type, "Content-Length": str(len(body)), **(headers or {})}
        for name, value in all_headers.items():
            self.send_header(name, value)
        self.end_headers()
        sent = body[: len(body) // 2] if cut else body
        size = 16 if drip else max(1, len(sent) // 2 if hold else len(sent))
        for start in range(0, len(sent), size):
            if hold and start:
                self.server_state.wait_for(hold)
            if start + size >= len(sent):
                self._leave()  # whoever has the whole answer may ask again before this thread goes on
            self.wfile.write(sent[start : start + size])
            self.wfile.flush()
            self.server_state.pause(drip)
        self.close_connection = cut

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  named by the standard library
        """Says nothing."""


def _completion(request: Request, answer: Answer, usage: dict[str, int] | None) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if answer.refusal else answer.text,
        "refusal": answer.refusal,
    }
    if answer.tool_calls:
        message["tool_calls"] = list(answer.tool_calls)
    choice: dict[str, Any] = {"message": message, "finish_reason": answer.finish_reason}
    if request.body.get("logprobs") and answer.logprobs:
        choice["logprobs"] = _logprobs(answer)
    choices = [{"index": index, **choice} for index in range(answer.choices)]
    found = {**_head(request, "chat.completion"), "choices": choices}
    return found if usage is None else {**found, "usage": usage}


def _events(request: Request, answer: Answer, usage: dict[str, int] | None) -> Iterator[bytes]:
    head = _head(request, "chat.completion.chunk")
    deltas: list[dict[str, Any]] = [
        {"content": answer.text[i : i + 2]} for i in range(0, len(answer.text), 2)
    ]
    deltas += [{"tool_calls": [{"index": i, **call}]} for i, call in enumerate(answer.tool_calls)]
    for delta in deltas:
        for index in range(answer.choices):
            choice = {"index": index, "delta": delta, "finish_reason": None}
            yield _event({**head, "choices": [choice]})
    for index in range(answer.choices):
        end: dict[str, Any] = {"index": index, "delta": {}, "finish_reason": answer.finish_reason}
        if request.body.get("logprobs") and answer.logprobs:
            end["logprobs"] = _logprobs(answer)
        yield _event({**head, "choices": [end]})
    options = request.body.get("stream_options")
    if usage is not None and isinstance(options, dict) and options.get("include_usage"):
        yield _event({**head, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _logprobs(answer: Answer) -> dict[str, Any]:
    return {"content": [_token(alternatives) for alternatives in answer.logprobs], "refusal": None}


def _token(alternatives: dict[str, float]) -> dict[str, Any]:
    listed = [{"token": token, "logprob": value, "bytes": None} for token, value in alternatives.items()]
    return {**listed[0], "top_logprobs": listed}


def _head(request: Request, kind: str) -> dict[str, Any]:
    return {"id": "cmpl-1", "object": kind, "created": int(time.time()), "model": request.body.get("model")}


def _event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _tokens(text: str) -> int:
    return (len(text) + 3) // 4
