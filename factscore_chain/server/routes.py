"""Scoring, editing, the list of sources, health and metrics."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from factscore_chain.aio import off_this_loop
from factscore_chain.edit.report import EditReport
from factscore_chain.guard.evidence import CallEvidence, as_evidence
from factscore_chain.report import Report
from factscore_chain.server.bodies import (
    EditRequest,
    Health,
    Knowledge,
    KnowledgeList,
    ScoreRequest,
)
from factscore_chain.server.problems import ErrorBody, ProblemError
from factscore_chain.server.state import State, state_of
from factscore_chain.values import Generation

Served = Annotated[State, Depends(state_of)]

_WHY = {
    400: "The body is not JSON.",
    401: "The token is missing or wrong.",
    404: "The server has no such topic or knowledge source; `error.code` says which.",
    408: "The body came too slowly.",
    413: "The body or the text is too long.",
    415: "The body is not declared as JSON.",
    421: "The server does not answer to this name.",
    422: "The request does not fit; `error.param` names the field.",
    429: "The server is full; `Retry-After` says when to come again.",
    500: "The server failed.",
    502: "A chat model could not be used.",
    503: "The server is shutting down, or its budget is used up.",
    504: "The work took too long.",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers with these statuses, for the schema."""
    return {status: {"model": ErrorBody, "description": _WHY[status]} for status in statuses}


ALWAYS = (401, 421, 500)
WORK = (400, 401, 404, 408, 413, 415, 421, 422, 429, 500, 502, 503, 504)

router = APIRouter()
open_router = APIRouter()


@router.post("/score", responses=errors(*WORK), summary="Check a text")
async def score(body: ScoreRequest, served: Served) -> Report:
    """Breaks the text into atomic facts, checks each against the knowledge source, and gives the report.

    What goes wrong with single facts stands in the report, which then says so in `coverage` and `error`.
    """
    generation = prepared(body, served)
    chain = served.sources.chain(body.knowledge, evidence(body))
    report = await off_this_loop(chain.ascore(generation))
    served.figures.checked(report.generations)
    return report


@router.post("/edit", responses=errors(*WORK), summary="Check a text and mend it")
async def edit(body: EditRequest, served: Served) -> EditReport:
    """Mends the sentences that state unsupported facts; an edit stays only where it was verified.

    `generations[0].text` is the mended text, `before` and `after` are the reports.
    """
    generation = prepared(body, served)
    chain = served.sources.edit_chain(body.knowledge, body.policy, body.mend, evidence(body))
    report = await off_this_loop(chain.aedit(generation))
    served.figures.checked(report.before.generations)
    return report


@router.get("/knowledge", responses=errors(*ALWAYS), summary="List the knowledge sources")
async def knowledge(served: Served) -> KnowledgeList:
    """The names that `knowledge` may have in a request."""
    names = served.sources.chains
    return KnowledgeList(
        default=served.sources.default, sources=tuple(_described(name, served) for name in names)
    )


@router.get("/metrics", responses=errors(*ALWAYS), response_class=PlainTextResponse, summary="For Prometheus")
async def metrics(served: Served) -> Response:
    """Requests, refusals, facts by verdict, and what chat models used, in Prometheus' text format."""
    return Response(generate_latest(served.figures.registry), media_type=CONTENT_TYPE_LATEST)


@open_router.head("/healthz", include_in_schema=False)
@open_router.get("/healthz", summary="Whether it runs")
async def healthz() -> Health:
    """Answers as long as the process can answer."""
    return Health(version=version("factscore-chain"))


@open_router.head("/readyz", include_in_schema=False)
@open_router.get("/readyz", responses=errors(503), summary="Whether it takes requests")
async def readyz(served: Served) -> Health:
    """Answers 503 until the models are loaded."""
    if not served.ready:
        raise ProblemError(
            503,
            "starting",
            "The models are being loaded. Ask again in a moment.",
            kind="server_error",
            headers={"Retry-After": "1"},
        )
    return Health(version=version("factscore-chain"))


def prepared(body: ScoreRequest, served: State) -> Generation:
    """The generation that a body holds, if it can be scored at all.

    Raises:
        ProblemError: It is too long.
        UsageError: The source is unknown.
        TitleNotFoundError: No document of the source has the topic's title.
        AmbiguousTitleError: Several may be meant.
    """
    limit = served.serving.limits.text
    if body.length > limit:
        raise ProblemError(
            413,
            "too_long",
            f"The text has {body.length:,} characters, more than {limit:,}. Send it in parts, or ask the "
            "operator for more (--max-text).",
            param="text",
        )
    if body.passages:
        served.sources.chain(body.knowledge)
    else:
        served.sources.resolve(body.knowledge, body.topic)
    return Generation(body.text, body.topic, body.facts, body.id)


def evidence(body: ScoreRequest) -> CallEvidence:
    """The passages that come with a body."""
    return as_evidence([passage.model_dump() for passage in body.passages])


def _described(name: str, served: State) -> Knowledge:
    chain = served.sources.chain(name)
    source = served.sources.knowledge(name)
    if source is None:
        return Knowledge(name=name, estimator=chain.estimator)
    return Knowledge(
        name=name,
        documents=source.document_count,
        passages=source.passage_count,
        content_hash=source.content_hash,
        built=source.built,
        estimator=chain.estimator,
    )
