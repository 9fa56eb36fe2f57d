"""A real server for tests: uvicorn on a free port, in a thread of this process or in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from factscore_chain.server.run import listening, make_server
from factscore_chain.server.settings import Serving
from factscore_chain.server.sources import Sources

PATIENCE = 90
"""Seconds to wait for a server to begin or to end."""


class Thread:
    """uvicorn in a thread, from `with` to the end of its block."""

    def __init__(self, sources: Sources, serving: Serving | None = None) -> None:
        self.serving = serving or Serving(port=0)
        self._server = make_server(sources, self.serving)
        self._listener = listening(self.serving)
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],), daemon=True)
        self.port = int(self._listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Thread:
        self._thread.start()
        wait_until_ready(self.url)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._listener.close()

    def stop(self) -> None:
        """Tells it to stop, as a signal would."""
        self._server.should_exit = True


@contextmanager
def process(*arguments: str, log: Path, variables: dict[str, str] | None = None) -> Iterator[Process]:
    """`factscore serve` as a process; ended, if it has not ended by then."""
    command = [sys.executable, "-m", "factscore_chain", "serve", "--port", "0", *arguments]
    with log.open("w") as stderr:
        running = subprocess.Popen(command, stderr=stderr, env={**os.environ, **(variables or {})})
    try:
        yield Process(running, log)
    finally:
        running.kill()
        running.wait()


class Process:
    """A process and what it wrote."""

    def __init__(self, running: subprocess.Popen[bytes], log: Path) -> None:
        self._running, self._log = running, log

    @property
    def said(self) -> str:
        """Everything it wrote so far."""
        return self._log.read_text()

    @property
    def url(self) -> str:
        """Where it serves, once it does."""
        for _ in while_waiting():
            if found := re.search(r"Serving on (http://\S+)", self.said):
                wait_until_ready(found[1])
                return found[1]
            assert self._running.poll() is None, self.said
        raise AssertionError(f"It did not begin: {self.said}")

    def ask_to_stop(self) -> None:
        """Sends what a supervisor sends."""
        self._running.send_signal(signal.SIGTERM)

    def interrupt(self) -> None:
        """Sends what Ctrl-C sends."""
        self._running.send_signal(signal.SIGINT)

    def wait_until_it_says(self, words: str) -> None:
        """Waits for words in its log."""
        assert eventually(lambda: words in self.said), self.said

    def exit_code(self) -> int:
        """Waits for its end."""
        return self._running.wait(PATIENCE)


def wait_until_ready(url: str) -> None:
    """Waits until a server says that it takes requests."""
    for _ in while_waiting():
        with suppress(httpx.TransportError):
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
    raise AssertionError(f"{url} is not ready.")


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold in time."""
    return any(holds() for _ in while_waiting())


def while_waiting() -> Iterator[None]:
    """Goes round until something has to have happened."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        yield None
        time.sleep(0.05)
