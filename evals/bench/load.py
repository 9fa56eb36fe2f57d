"""A steady load on something that answers, and what it met with."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

OK = 200
_SAMPLES = 60


@dataclass
class Load:
    """What some requests met with."""

    statuses: dict[str, int] = field(default_factory=dict)
    """Answers by status; what was no answer stands under the name of its error."""
    latencies: dict[str, list[float]] = field(default_factory=dict)
    """Seconds by status."""

    def add(self, status: str, seconds: float) -> None:
        """Counts an answer."""
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.latencies.setdefault(status, []).append(seconds)

    def milliseconds(self, status: str = str(OK)) -> dict[str, float]:
        """Latencies of one status: the median, the 90th and 99th of a hundred, the longest."""
        found = sorted(self.latencies.get(status, ()))
        if not found:
            return {}
        places = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
        shares = {name: found[min(len(found) - 1, int(p * len(found)))] for name, p in places.items()}
        return {name: round(1000 * value, 1) for name, value in {**shares, "max": found[-1]}.items()}


def memory(process: int) -> float | None:
    """Megabytes that a process holds; None where the system does not tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return None
    line = next((line for line in status.splitlines() if line.startswith("VmRSS:")), None)
    return None if line is None else int(line.split()[1]) / 1024


def growth(megabytes: Sequence[float]) -> float | None:
    """Megabytes by which the last third of the time needed more than the middle third."""
    third = len(megabytes) // 3
    if not third:
        return None
    return statistics.fmean(megabytes[-third:]) - statistics.fmean(megabytes[third : 2 * third])


def memory_line(megabytes: Sequence[float]) -> str:
    """The memory over time for people."""
    grown = growth(megabytes)
    if grown is None:
        return "memory: not told by this system"
    return (
        f"memory: {megabytes[0]:.0f} MB at first, {max(megabytes):.0f} MB at most, "
        f"{megabytes[-1]:.0f} MB at the end, {grown:+.1f} MB from middle to last third"
    )


async def steadily(
    ask: Callable[[int, Load], Awaitable[None]], seconds: float, rate: float, process: int
) -> tuple[Load, list[float]]:
    """Asks at a rate, whether or not answers have come, and samples a process's memory 60 times.

    Args:
        ask: Asks once, by the number of the question, and counts what came of it.
        seconds: How long.
        rate: Questions a second.
        process: Whose memory.
    """
    load, sizes = Load(), list[float]()
    tasks: set[asyncio.Future[None]] = set()
    began, number, sampled = time.monotonic(), 0, 0
    while (now := time.monotonic() - began) < seconds:
        if now >= sampled * seconds / _SAMPLES:
            sampled += 1
            sizes += [size] if (size := memory(process)) is not None else []
        if now >= number / rate:
            tasks.add(asyncio.ensure_future(ask(number, load)))
            number += 1
        await asyncio.sleep(min(0.02, 1 / rate))
    await asyncio.gather(*tasks)
    return load, sizes
