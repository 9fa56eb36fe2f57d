"""A real Chroma server for tests, on a free port, gone afterwards."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def running_chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = Path(sys.executable).with_name("chroma")
    if not program.exists():
        pytest.skip("Chroma's server program is not installed beside this Python")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(program),
        "run",
        "--path",
        str(tmp_path_factory.mktemp("chroma")),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for_port(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture
def server(running_chroma: str) -> Iterator[str]:
    """The server's address."""
    yield running_chroma
    with warnings.catch_warnings():
        # Chroma's client leaves the connections of its HTTP session to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not start")
