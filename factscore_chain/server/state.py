"""What the routes of one application share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from fastapi import Request

from factscore_chain.server.observe import Figures
from factscore_chain.server.proxy.upstream import UpstreamClient
from factscore_chain.server.settings import Serving
from factscore_chain.server.sources import Sources


@dataclass
class State:
    """One application's sources, settings and figures."""

    sources: Sources
    serving: Serving
    figures: Figures = field(default_factory=Figures)
    upstream: UpstreamClient | None = None
    ready: bool = False


def state_of(request: Request) -> State:
    """The state of the application that a request came to."""
    return cast("State", request.app.state.served)
