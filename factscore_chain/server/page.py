"""The page at `/`, on which a person checks a text, and what it asks for.

The page is one answer that loads nothing further. What it shows of a text comes as lines of JSON: the facts
as soon as they are judged, then the corrected version.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from factscore_chain.aio import off_this_loop
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.report import EditReport
from factscore_chain.edit.shown import edited_texts
from factscore_chain.html.page import READING
from factscore_chain.html.payload import evidence as rests_on
from factscore_chain.html.payload import overview
from factscore_chain.html.policy import content_policy
from factscore_chain.html.template import asset, filled
from factscore_chain.html.visible import visible
from factscore_chain.report import Report
from factscore_chain.server.bodies import EditRequest
from factscore_chain.server.observe import Figures
from factscore_chain.server.problems import ProblemError, problem_of
from factscore_chain.server.routes import Served, evidence, prepared
from factscore_chain.values import Generation

page_router = APIRouter(include_in_schema=False)


@page_router.get("/")
async def page() -> HTMLResponse:
    """The page."""
    html, policy = _page()
    return HTMLResponse(html, headers={"Content-Security-Policy": policy, "X-Frame-Options": "DENY"})


@page_router.post("/page/check")
async def check(body: EditRequest, served: Served) -> Response:
    """What the page shows of a text: a line with its facts, then one with the corrected version."""
    generation = prepared(body, served)
    chain = served.sources.edit_chain(body.knowledge, body.policy, body.mend, evidence(body))
    return StreamingResponse(_lines(generation, chain, served.figures), media_type="application/x-ndjson")


async def _lines(generation: Generation, chain: EditChain, figures: Figures) -> AsyncIterator[bytes]:
    try:
        report = await off_this_loop(chain.scorer.ascore(generation))
        figures.checked(report.generations)
        yield _line(_facts(report))
        yield _line(_corrected(await off_this_loop(chain.aedit(report))))
    except Exception as error:  # noqa: BLE001  the answer has begun, so the error is its last line
        yield _problem_line(problem_of(error))


def _facts(report: Report) -> dict[str, Any]:
    (one,) = report.generations
    return {"overview": overview(one, (None,) * len(one.facts), None), "evidence": rests_on(one)}


def _corrected(report: EditReport) -> dict[str, Any]:
    (one,), (after,), (edited,) = report.generations, report.after.generations, edited_texts(report)
    shown = edited and {
        "changes": [(change.kind, visible(change.text)) for change in edited.changes],
        "reasons": [visible(reason) for reason in edited.reasons],
    }
    return {
        "text": one.text,
        "edited": shown,
        "score": after.init_score,
        "left": [visible(fact.text) for fact in after.unsupported],
        "error": None if one.error is None else visible(one.error),
    }


def _line(data: dict[str, Any]) -> bytes:
    return orjson.dumps(data) + b"\n"


def _problem_line(problem: ProblemError) -> bytes:
    return problem.body + b"\n"


@cache
def _page() -> tuple[str, str]:
    style = asset("report.css") + _asset("page.css")
    script = "".join(map(asset, READING)) + _asset("page.js")
    policy = content_policy(style, script, "connect-src 'self'", "img-src data:", "frame-ancestors 'none'")
    return filled(_asset("page.html.j2"), style=style, script=script), policy


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
