"""The HTTP server: scoring, editing and a guarded way to any chat model, for apps in any language.

FastAPI and uvicorn come with the extra `server`, and are loaded only when a server is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from factscore_chain.errors import MissingExtraError
from factscore_chain.server.settings import Access, Limits, Serving, Upstream

if TYPE_CHECKING:
    from fastapi import FastAPI

    from factscore_chain.server.sources import Sources

__all__ = ["Access", "Limits", "Serving", "Upstream", "check_installed", "create_app", "run_server"]


def create_app(sources: Sources, serving: Serving | None = None) -> FastAPI:
    """Makes the ASGI application.

    Args:
        sources: What texts are checked against, see `sources.py`.
        serving: Limits, access and upstream; the defaults are those of `factscore serve`.

    Raises:
        MissingExtraError: FastAPI, prometheus-client or httpx is not installed.
    """
    try:
        from factscore_chain.server.app import make_app
    except ModuleNotFoundError as error:
        raise _without(error) from error
    return make_app(sources, serving or Serving())


def run_server(sources: Sources, serving: Serving | None = None) -> None:
    """Serves until the process is told to stop (SIGINT, SIGTERM), and finishes what is in work.

    Raises:
        MissingExtraError: FastAPI, uvicorn, prometheus-client or httpx is not installed.
        UsageError: The address is taken, or is not one of this machine.
    """
    try:
        from factscore_chain.server.run import serve
    except ModuleNotFoundError as error:
        raise _without(error) from error
    serve(sources, serving or Serving())


def check_installed() -> None:
    """Makes sure that a server can be made, before anything else is loaded.

    Raises:
        MissingExtraError: FastAPI, uvicorn, prometheus-client or httpx is not installed.
    """
    try:
        import factscore_chain.server.app
        import factscore_chain.server.run  # noqa: F401
    except ModuleNotFoundError as error:
        raise _without(error) from error


def _without(error: ModuleNotFoundError) -> Exception:
    ours = (error.name or "").startswith("factscore_chain")
    return error if ours else MissingExtraError("The HTTP server", "server")
