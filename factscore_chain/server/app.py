"""Puts the application together: routes inside, the gates around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, cast

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute

from factscore_chain.server.access import Guarded
from factscore_chain.server.limits import Limited
from factscore_chain.server.observe import ModelUse, Observed
from factscore_chain.server.page import page_router
from factscore_chain.server.problems import ProblemError, invalid, log, problem_of
from factscore_chain.server.proxy.routes import proxy_router
from factscore_chain.server.proxy.upstream import UpstreamClient
from factscore_chain.server.routes import open_router, router
from factscore_chain.server.settings import Serving
from factscore_chain.server.sources import Sources
from factscore_chain.server.state import State

OPEN = frozenset({"/", "/healthz", "/readyz", "/openapi.json"})
"""Paths that need no token: they tell nothing of what is checked or of whom."""
FREE = OPEN | {"/metrics", "/knowledge"}
"""Paths that need no work, so that they answer when everything else is refused."""


def make_app(sources: Sources, serving: Serving) -> FastAPI:
    """Makes the ASGI application; see `create_app`."""
    state = State(sources, serving)
    if serving.upstream is not None:
        state.upstream = UpstreamClient(serving.upstream, serving)
    state.figures.registry.register(ModelUse(lambda: sources.usages))
    app = FastAPI(
        title="factscore-chain",
        version=version("factscore-chain"),
        summary="Whether what a language model wrote is true.",
        description="Errors are JSON in the shape of OpenAI's: `error.message` says what to do.",
        # The interactive pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.served = state
    # Checked before the body is read, in `access.py`; here for the schema.
    token = [Depends(HTTPBearer(auto_error=False))] if serving.access.token else []
    guarded = [router] if serving.upstream is None else [router, proxy_router]
    routes = [*app.routes]
    for part in (open_router, page_router, *guarded):
        app.include_router(part, dependencies=token if part in guarded else [])
        routes += part.routes
    for kind in (RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _raised)
    _surround(app, state, routes)
    return app


def _surround(app: FastAPI, state: State, routes: list[BaseRoute]) -> None:
    serving = state.serving
    app.add_middleware(cast("Any", Limited), limits=serving.limits, is_free=FREE.__contains__)
    app.add_middleware(
        cast("Any", Guarded), access=serving.access, hosts=serving.hosts, is_open=OPEN.__contains__
    )
    app.add_middleware(cast("Any", Observed), figures=state.figures, routes=routes)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    state = cast("State", app.state.served)
    warming = asyncio.create_task(_warm_up(state))
    yield
    warming.cancel()
    if state.upstream is not None:
        await state.upstream.close()


async def _warm_up(state: State) -> None:
    try:
        await state.sources.warm_up()
    except Exception as error:  # noqa: BLE001  a request will meet it again, and be told
        log.error("The models could not be loaded: %s", problem_of(error))
    state.ready = True


async def _raised(request: Request, error: Exception) -> Response:
    """Raises what the outermost layer turns into an answer, as it does with errors of our own."""
    if isinstance(error, RequestValidationError):
        raise invalid(error.errors()) if _is_json(request) else _not_json()
    status = cast("HTTPException", error).status_code
    if status == 400:
        raise ProblemError(400, "not_json", "The body is not JSON. Send a JSON object in UTF-8.")
    raise ProblemError(
        status,
        "not_found" if status == 404 else "not_allowed",
        "There is no such address here, or not for this method. See /openapi.json for those that there are.",
        headers=cast("HTTPException", error).headers,
    )


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return request.method in {"GET", "HEAD"} or kind == "application/json" or kind.endswith("+json")


def _not_json() -> ProblemError:
    return ProblemError(415, "not_declared_json", "Send the body with 'Content-Type: application/json'.")
