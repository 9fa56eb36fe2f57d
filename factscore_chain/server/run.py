"""Runs the application under uvicorn."""

from __future__ import annotations

import logging
import signal
import socket
import sys

import uvicorn

from factscore_chain.errors import UsageError
from factscore_chain.server.app import make_app
from factscore_chain.server.problems import log
from factscore_chain.server.protocol import patient_for
from factscore_chain.server.settings import Serving
from factscore_chain.server.sources import Sources
from factscore_chain.server.stopping import PoliteServer

BACKLOG = 2048


def serve(sources: Sources, serving: Serving) -> None:
    """Serves until SIGINT or SIGTERM; see `run_server`."""
    _log_to_stderr()
    with listening(serving) as listener:
        for line in announcement(serving, listener.getsockname()[1]):
            log.info(line)
        server = make_server(sources, serving)
        # uvicorn raises a signal again once it has shut down; a server that was told to stop has done well.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: setattr(server, "should_exit", True))
        server.run(sockets=[listener])


def announcement(serving: Serving, port: int) -> list[str]:
    """What the server says of itself when it begins."""
    host = f"[{serving.host}]" if ":" in serving.host else serving.host
    lines = [f"Serving on http://{host}:{port}"]
    if not serving.is_local and serving.access.token is None:
        lines.append(
            f"WARNING: {serving.host} can be reached from other machines, and there is no token: whoever "
            "reaches it can use it. Set a token, or leave --host out."
        )
    return lines


def make_server(sources: Sources, serving: Serving) -> uvicorn.Server:
    """The application under uvicorn, as `serve` runs it."""
    return PoliteServer(
        uvicorn.Config(
            make_app(sources, serving),
            http=patient_for(serving.limits.arrival),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=int(serving.limits.shutdown) or 1,
        )
    )


def listening(serving: Serving) -> socket.socket:
    """A socket that listens, opened before anything else so that a taken port is told plainly."""
    host = serving.host.strip("[]")
    try:
        family = socket.getaddrinfo(host, serving.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, serving.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise UsageError(
            f"Cannot serve on {serving.host}:{serving.port}: {error.strerror or error}. "
            "Choose another --port or --host."
        ) from error


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name, level in (("factscore_chain.server", logging.INFO), ("uvicorn", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.handlers = [handler]
        logger.propagate = False
