"""What figures were measured with: versions and machine, for the head of a benchmark's JSON."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from factscore_chain.cores import available_cores

_PACKAGES = (
    "factscore-chain",
    "langchain-core",
    "langchain-openai",
    "httpx",
    "numpy",
    "onnxruntime",
    "tokenizers",
)


def machine() -> dict[str, Any]:
    """Processor, cores that may be used, memory in GB, system, Python, and versions of what does the work."""
    return {
        "processor": _processor(),
        "cores": available_cores(),
        "memory_gb": _memory(),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name)) is not None},
    }


def machine_line() -> str:
    """The same for people, without versions."""
    found = machine()
    return (
        f"{found['processor']}, {found['cores']} cores, Python {found['python']}, "
        f"factscore-chain {found['versions'].get('factscore-chain', 'from source')}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3, 1)
    except (AttributeError, ValueError, OSError):
        return None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
