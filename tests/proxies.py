"""A proxy in front of a scripted upstream, and clients that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI

from factscore_chain.guard import GuardPolicy
from factscore_chain.server import Serving, Upstream
from tests import serving
from tests.openai_server import KEY, OpenAIServer, Script
from tests.servers import word_sources

ASKED: list[Any] = [{"role": "user", "content": "Where was Ada born?"}]
MESSAGE = "I would rather not say."


class Proxies:
    """Starts proxies in front of scripted upstreams; they end with the test."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self.upstream: OpenAIServer
        self.stop: Callable[[], None]

    def start(self, script: Script, policy: GuardPolicy | None = None, **more: Any) -> str:
        """The base URL of a proxy; `more` goes to `Upstream` or `Serving`."""
        self.upstream = self._stack.enter_context(OpenAIServer(script))
        return self.before(self.upstream.url, policy, **more)

    def before(self, url: str, policy: GuardPolicy | None = None, **more: Any) -> str:
        """The base URL of a proxy in front of an address."""
        own = {name: more.pop(name) for name in ("key", "evidence") if name in more}
        upstream = Upstream(url, policy or GuardPolicy(message=MESSAGE), **own)
        settings = Serving(port=0, upstream=upstream, **more)
        running = self._stack.enter_context(serving.Thread(word_sources(self._folder), settings))
        self.stop = running.stop
        return f"{running.url}/v1"


@pytest.fixture(name="proxies")
def started(tmp_path: Path) -> Iterator[Proxies]:
    with ExitStack() as stack:
        yield Proxies(tmp_path, stack)


def client(url: str, key: str = KEY, **more: Any) -> OpenAI:
    return OpenAI(base_url=url, api_key=key, max_retries=0, **more)


def ask(url: str, messages: Any = None, **more: Any) -> Any:
    with client(url) as asking:
        return asking.chat.completions.create(model="test-model", messages=messages or ASKED, **more)


def text_of(completion: Any) -> str:
    return str(completion.choices[0].message.content)


def policy(**settings: Any) -> GuardPolicy:
    return GuardPolicy(**{"message": MESSAGE, **settings})
