"""The most memory that a process held."""

from __future__ import annotations

import resource
import sys


def peak_memory_mb(who: int = resource.RUSAGE_SELF) -> float:
    """Megabytes that this process, or the largest of its children, held at most."""
    peak = resource.getrusage(who).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
