"""How many cores this process may use."""

from __future__ import annotations

import os
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_OLD_QUOTA, _OLD_PERIOD = (Path("/sys/fs/cgroup/cpu") / f"cpu.cfs_{one}_us" for one in ("quota", "period"))


def available_cores() -> int:
    """Cores that this process may use: those it is bound to, or fewer where its container has a quota."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(bound, container_cores() or bound))


def container_cores() -> int | None:
    """Cores that the container's quota amounts to, a part of one taken for one; None without a quota."""
    try:
        if _QUOTA.exists():
            quota, period = _QUOTA.read_text(encoding="ascii").split()
        else:
            quota, period = (path.read_text(encoding="ascii") for path in (_OLD_QUOTA, _OLD_PERIOD))
        # "max" and -1 stand for no bound.
        return -(-int(quota) // int(period)) if int(quota) > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
