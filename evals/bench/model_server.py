"""A stand-in for a model server, in a process of its own, that takes a fixed time for each token.

    python -m factscore_chain.evals.bench.model_server [--facts FILE] [--read SECONDS] [--write SECONDS]

It speaks the chat completions of OpenAI on a free port of this machine, and prints its base URL. What a
prompt begins with is kept in blocks of 16 tokens as inference servers do, told as `cached_tokens`, and takes
no time again; a token is four characters. Asked to break up a sentence it gives the facts that FILE (JSON,
sentence to facts) has for it, else the sentence; asked for a verdict it says True. As many requests as come
are worked on at the same time. `GET /counts` tells what was asked, and `POST /counts` begins anew.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

BLOCK_TOKENS = 16
CHARACTERS = 4
"""Of a token."""
_BLOCK = BLOCK_TOKENS * CHARACTERS
_VERDICT = re.compile(r"true or false", re.IGNORECASE)
_OURS = re.compile(r"<sentence>\s*(.*?)\s*</sentence>", re.DOTALL)


@dataclass
class Counts:
    """What was asked so far."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    most_in_flight: int = 0


class Prefixes:
    """What prompts began with, block by block."""

    def __init__(self) -> None:
        self._known: set[int] = set()

    def known(self, prompt: str) -> int:
        """Tokens at the beginning of a prompt that were read before."""
        blocks = 0
        for key in self._keys(prompt):
            if key not in self._known:
                break
            blocks += 1
        return blocks * BLOCK_TOKENS

    def keep(self, prompt: str) -> None:
        """A prompt has been read."""
        self._known.update(self._keys(prompt))

    @staticmethod
    def _keys(prompt: str) -> list[int]:
        keys, key = [], 0
        for end in range(_BLOCK, len(prompt) + 1, _BLOCK):
            key = hash((key, prompt[end - _BLOCK : end]))
            keys.append(key)
        return keys


class StandIn:
    """What the server knows and remembers."""

    def __init__(self, facts: Mapping[str, Sequence[str]], read: float, write: float) -> None:
        self._facts = {_plain(sentence): list(found) for sentence, found in facts.items()}
        self._read, self._write = read, write
        self._lock = threading.Lock()
        self._prefixes = Prefixes()
        self._in_flight = 0
        self.counts = Counts()

    def begin_anew(self) -> None:
        """Forgets what was asked and read."""
        with self._lock:
            self.counts, self._prefixes = Counts(), Prefixes()

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, Any]]:
        """The reply to a conversation, after the time that it takes, and its usage."""
        prompt = "".join(f"<{one.get('role')}>{one.get('content')}" for one in messages)
        reply = self._reply(str(messages[-1].get("content")))
        tokens, written = _tokens(prompt), _tokens(reply)
        with self._lock:
            cached = min(self._prefixes.known(prompt), tokens)
            self._in_flight += 1
            self.counts.most_in_flight = max(self.counts.most_in_flight, self._in_flight)
            self.counts.calls += 1
            self.counts.prompt_tokens += tokens
            self.counts.cached_tokens += cached
            self.counts.completion_tokens += written
        time.sleep(self._read * (tokens - cached))
        with self._lock:
            self._prefixes.keep(prompt)
        time.sleep(self._write * written)
        with self._lock:
            self._in_flight -= 1
        return reply, {
            "prompt_tokens": tokens,
            "completion_tokens": written,
            "total_tokens": tokens + written,
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def _reply(self, question: str) -> str:
        if _VERDICT.search(question):
            return "True"
        ours = _OURS.findall(question)
        sentence = _plain(ours[-1] if ours else question.strip().splitlines()[-1].partition(": ")[2])
        found = self._facts.get(sentence) or [
            fact for known, facts in self._facts.items() if known and known in sentence for fact in facts
        ]
        return "\n".join(f"- {fact}" for fact in found or [sentence])


def _plain(text: str) -> str:
    return " ".join(text.split())


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    stand_in: StandIn

    def do_GET(self) -> None:
        self._send(asdict(self.stand_in.counts))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/counts":
            self.stand_in.begin_anew()
            return self._send({})
        asked = json.loads(body)
        reply, usage = self.stand_in.answer(asked["messages"])
        choice = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
        head = {"id": "chat-1", "object": "chat.completion", "created": int(time.time())}
        return self._send({**head, "model": asked.get("model"), "choices": [choice], "usage": usage})

    def _send(self, value: Mapping[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  named by the standard library
        """Says nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: clients that are killed break their connections."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until the process is ended."""
    parser = argparse.ArgumentParser(description="A model server with a fixed time for each token.")
    parser.add_argument("--facts", type=Path, metavar="FILE", help="JSON, sentence to facts")
    parser.add_argument("--read", type=float, default=0.0002, help="seconds for a token of a prompt")
    parser.add_argument("--write", type=float, default=0.02, help="seconds for a token of a reply")
    options = parser.parse_args(arguments)
    facts = {} if options.facts is None else json.loads(options.facts.read_text(encoding="utf-8"))
    handler = type("Handler", (_Handler,), {"stand_in": StandIn(facts, options.read, options.write)})
    with _Server(("127.0.0.1", 0), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
