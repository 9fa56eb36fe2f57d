"""Gathers what a report's manifest says of the machine's side: versions and the date."""

from __future__ import annotations

import platform
from datetime import datetime, timezone
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = (
    "factscore-chain",
    "langchain-core",
    "chromadb",
    "rank-bm25",
    "onnxruntime",
    "tokenizers",
    "numpy",
)


@cache
def versions() -> dict[str, str]:
    """Python and the packages that can change a result."""
    return {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def now() -> str:
    """The time in UTC, ISO 8601, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
