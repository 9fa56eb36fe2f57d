"""What every test stands on: no network, no key, no cache but its own."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Neither a slow machine nor a new random seed makes a test fail that passed before.
settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")

pytest_plugins = ["pytester"]

_KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "LANGSMITH_API_KEY",
    "LANGSMITH_TRACING",
    "LANGCHAIN_TRACING_V2",
)
_connect = socket.socket.connect


def _local_connect(self: socket.socket, address: Any) -> None:
    if self.family != getattr(socket, "AF_UNIX", None) and address[0] not in {
        "127.0.0.1",
        "::1",
        "localhost",
    }:
        raise AssertionError(f"A test reached for the network: {address}")
    _connect(self, address)


@pytest.fixture(autouse=True)
def _closed_world(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setattr(socket.socket, "connect", _local_connect)
    for name in _KEYS:
        monkeypatch.delenv(name, raising=False)
    # One cache for the whole run of a process: registering the examples once is enough.
    monkeypatch.setenv("FACTSCORE_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def own_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """An event loop for a synchronous test; LlamaIndex makes one where there is none, and leaves it open."""
    if iscoroutinefunction(request.function):
        yield
        return
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of benchmark data that the environment variable FACTSCORE_DATA names; skips without one."""
    folder = os.environ.get("FACTSCORE_DATA")
    if not folder:
        pytest.skip("FACTSCORE_DATA names no folder of benchmark data")
    return Path(folder)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parent.parent
