"""Keeps the HTTP server busy at a steady rate, then asks for more than it can do, and watches.

    python -m factscore_chain.evals.bench.soak [--seconds 600] [--rate 2] [--concurrency 8] [--proxy] [--json]

`factscore serve` runs in a process of its own, on loopback, with the embedded estimator and a small knowledge
source. Each request scores a text that was not scored before; with --proxy, it is a question to a chat model
behind the server, whose answer is checked on its way, every second one as a stream. Printed: answers by
status, latencies, and the server's memory over time. Then a burst of eight times the requests it takes at
once: how many were refused (429), how quickly, and whether it answers as before once the burst is over. Exit
code 1 if the server broke, answered something other than 200 to the steady requests, left an answer
unchecked, refused none of the burst, or did not recover.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import httpx

from factscore_chain.evals.bench.load import OK, Load, growth, memory_line, steadily

_PAGES = 200
_READY_SECONDS = 180.0
_BURST = 8
_REFUSED = 429


@dataclass
class Outcome:
    """A steady load, a burst, and what came after it."""

    steady: Load
    burst: Load
    after: Load
    megabytes: list[float]
    """Of the server's memory, at equal times through the steady load; empty where it cannot be told."""

    @property
    def holds(self) -> bool:
        """Whether nothing failed, the burst was refused in part, and the server recovered."""
        calm = set(self.steady.statuses) == set(self.after.statuses) == {str(OK)}
        return calm and set(self.burst.statuses) == {str(OK), str(_REFUSED)}


def body(number: int) -> dict[str, str]:
    """A text that was not scored before, half of it false."""
    town = number % _PAGES
    text = f"Town {town} has {town + 2} wells. It has a mill. It was visited by {number} people."
    return {"text": text, "topic": f"Town {town}"}


async def ask(client: httpx.AsyncClient, number: int, load: Load) -> None:
    """Scores one text, and counts what came of it."""
    began = time.monotonic()
    try:
        status = str((await client.post("/score", json=body(number))).status_code)
    except httpx.HTTPError as error:
        status = type(error).__name__
    load.add(status, time.monotonic() - began)


async def measure(address: str, process: int, options: argparse.Namespace) -> Outcome:
    """Asks a server that is ready."""
    from factscore_chain.evals.bench import proxied

    asking = proxied.ask if options.proxy else ask
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        steady, sizes = await steadily(partial(asking, client), options.seconds, options.rate, process)
        burst, after = Load(), Load()
        numbers = range(10_000, 10_000 + _BURST * options.concurrency)
        await asyncio.gather(*(asking(client, number, burst) for number in numbers))
        for number in range(5):
            await asking(client, 20_000 + number, after)
    return Outcome(steady, burst, after, sizes)


def write_pages(folder: Path) -> Path:
    """Writes a small knowledge source into a folder."""
    pages = folder / "pages.jsonl"
    rows = ({"title": f"Town {i}", "text": f"Town {i} has {i + 2} wells and a mill."} for i in range(_PAGES))
    pages.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return pages


def run(options: argparse.Namespace) -> Outcome:
    """Starts the server, asks it, and ends it.

    Raises:
        RuntimeError: It did not start.
    """
    from factscore_chain.evals.bench import proxied

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        pages = write_pages(Path(folder))
        with listening() as (_, port):
            command = ["serve", "--knowledge", str(pages), "--port", str(port)]
        if options.proxy:
            command += ["--upstream", stack.enter_context(proxied.upstream())]
        server = subprocess.Popen(
            [sys.executable, "-m", "factscore_chain", *command, "--concurrency", str(options.concurrency)],
            env={**os.environ, "FACTSCORE_CACHE": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_until_ready(address, server)
            return asyncio.run(measure(address, server.pid, options))
        finally:
            server.terminate()
            server.wait(60)


@contextmanager
def listening() -> Iterator[tuple[socket.socket, int]]:
    """A socket on a free port of loopback, and the port."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        yield found, int(found.getsockname()[1])


def _wait_until_ready(address: str, server: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + _READY_SECONDS
    while server.poll() is None and time.monotonic() < ends:
        try:
            if httpx.get(f"{address}/readyz", timeout=5).status_code == OK:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"the server did not get ready; its exit code is {server.poll()}")


def lines(found: Outcome, rate: float) -> list[str]:
    """An outcome for people."""
    return [
        f"steady, {rate:g} a second: {found.steady.statuses}, ms {found.steady.milliseconds()}",
        memory_line(found.megabytes),
        f"burst: {found.burst.statuses}, refused in ms {found.burst.milliseconds(str(_REFUSED))}",
        f"after it: {found.after.statuses}, ms {found.after.milliseconds()}",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Keeps `factscore serve` busy, and watches it.")
    parser.add_argument("--seconds", type=float, default=600, metavar="N", help="steady load (default: 600)")
    parser.add_argument("--rate", type=float, default=2, metavar="N", help="requests a second (default: 2)")
    parser.add_argument("--concurrency", type=int, default=8, metavar="N", help="of the server (default: 8)")
    parser.add_argument("--proxy", action="store_true", help="ask a chat model through the server")
    parser.add_argument("--json", action="store_true", help="print an object instead of lines")
    options = parser.parse_args(arguments)
    try:
        found = run(options)
    except RuntimeError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({**asdict(found), "growth": growth(found.megabytes)}))
    else:
        print(*lines(found, options.rate), sep="\n")
    return 0 if found.holds else 1


if __name__ == "__main__":
    sys.exit(main())
