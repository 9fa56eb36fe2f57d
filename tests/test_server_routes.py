"""Scoring, editing and listing over HTTP, and what is said of requests that do not fit."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from factscore_chain.edit.report import EditReport
from factscore_chain.errors import UsageError
from factscore_chain.report import Report
from factscore_chain.server import Limits, Serving
from factscore_chain.server.sources import Sources
from tests import serving
from tests.editing import NOTES, TOPIC, TRUE, WRONG, word_chain
from tests.pages import make_source
from tests.servers import JSON, word_sources


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    sources = word_sources(tmp_path_factory.mktemp("server"))
    settings = Serving(port=0, limits=Limits(text=500))
    with serving.Thread(sources, settings) as running, httpx.Client(base_url=running.url) as client:
        yield client


def test_a_text_is_scored_as_the_chain_scores_it(server: httpx.Client) -> None:
    answer = server.post("/score", json={"text": f"{TRUE} {WRONG}", "topic": TOPIC, "id": "a"})
    report = Report.model_validate_json(answer.content)
    assert answer.status_code == 200
    assert (report.init_score, report.generations[0].id) == (0.5, "a")
    assert [fact.text for fact in report.unsupported] == [WRONG]
    assert report.facts[0].best_passage is not None


def test_facts_that_are_given_take_the_place_of_decomposition(server: httpx.Client) -> None:
    answer = server.post("/score", json={"text": "", "topic": TOPIC, "facts": [TRUE]})
    assert [fact["text"] for fact in answer.json()["generations"][0]["facts"]] == [TRUE]


def test_an_empty_list_of_facts_is_refused(server: httpx.Client) -> None:
    answer = server.post("/score", json={"text": WRONG, "topic": TOPIC, "facts": []})
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "facts")


def test_a_text_is_mended_and_the_proof_comes_with_it(server: httpx.Client) -> None:
    answer = server.post("/edit", json={"text": f"{NOTES} {WRONG}", "topic": TOPIC})
    report = EditReport.model_validate_json(answer.content)
    assert report.text == f"{NOTES} {TRUE}"
    assert (report.before.init_score, report.after.init_score) == (0.5, 1.0)


def test_the_sources_are_listed_with_what_they_hold(server: httpx.Client) -> None:
    listed = server.get("/knowledge").json()
    (one,) = listed["sources"]
    assert (listed["default"], one["name"], one["documents"]) == ("pages", "pages", 4)
    assert len(one["content_hash"]) == 64


class OneDocument(BaseRetriever):
    """Finds the same document, whatever it is asked."""

    def _get_relevant_documents(self, query: str, **kwargs: Any) -> list[Document]:
        return [Document("Nothing but this.")]


def test_a_request_names_the_source_that_is_asked(tmp_path_factory: pytest.TempPathFactory) -> None:
    chains = [word_chain(make_source(tmp_path_factory.mktemp("two"))), word_chain(OneDocument())]  # type: ignore[arg-type]
    with serving.Thread(Sources.of(chains)) as running:
        names = [one["name"] for one in httpx.get(f"{running.url}/knowledge").json()["sources"]]
        scores = [
            httpx.post(f"{running.url}/score", json={"text": TRUE, "knowledge": name}).json()["score"]
            for name in (None, *names)
        ]
    assert (names, scores) == (["pages", "OneDocument"], [1.0, 1.0, 0.0])


def test_two_sources_of_one_name_are_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    chain = word_chain(make_source(tmp_path_factory.mktemp("same")))
    with pytest.raises(UsageError, match="Two knowledge sources are called 'pages'"):
        Sources.of([chain, chain])


WRONG_BODIES = [
    ({"text": 1}, 422, "invalid", "text"),
    ({}, 422, "invalid", "text"),
    ([], 422, "invalid", None),
    ({"text": "x", "tpoic": "y"}, 422, "invalid", "tpoic"),
    ({"text": "x", "facts": [1]}, 422, "invalid", "facts.0"),
    ({"text": "x", "facts": [" "]}, 422, "invalid", "facts.0"),
    ({"text": "x", "topic": "Ada Byron"}, 404, "unknown_topic", "topic"),
    ({"text": "x", "topic": "Mercury"}, 404, "unknown_topic", "topic"),
    ({"text": "x", "knowledge": "nowhere"}, 404, "unknown_knowledge", "knowledge"),
    ({"text": "x" * 501}, 413, "too_long", "text"),
]


@pytest.mark.parametrize("path", ["/score", "/edit", "/page/check"])
@pytest.mark.parametrize(("body", "status", "code", "param"), WRONG_BODIES)
def test_a_body_that_does_not_fit_is_told_where(
    server: httpx.Client, path: str, body: Any, status: int, code: str, param: str | None
) -> None:
    answer = server.post(path, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (status, code, param)
    assert error["message"].endswith(".")


def test_a_topic_that_may_mean_several_names_them(server: httpx.Client) -> None:
    error = server.post("/score", json={"text": "x", "topic": "Mercury"}).json()["error"]
    assert error["near"] == ["Mercury (element)", "Mercury (planet)"]


NOT_JSON = [
    (b"{", JSON, 400, "not_json"),
    (b"", JSON, 422, "invalid"),
    (b"\xff\xfe", JSON, 400, "not_json"),
    (b"[" * 100_000, JSON, 400, "not_json"),
    (b'{"text": ' + b"9" * 5000 + b"}", JSON, 400, "not_json"),
    (b'{"text": "x"}', {"Content-Type": "text/plain"}, 415, "not_declared_json"),
    (b'{"text": "x"}', {}, 415, "not_declared_json"),
]


@pytest.mark.parametrize(("content", "headers", "status", "code"), NOT_JSON, ids=range(len(NOT_JSON)))
def test_what_is_no_json_is_told(
    server: httpx.Client, content: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    answer = server.post("/score", content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize("text", ["Ada\x00was born.", "Ada \ud800 was.", "\u2028", "\U000e0041", "😀" * 100])
def test_any_characters_can_be_scored_and_mended(server: httpx.Client, text: str) -> None:
    for path in ("/score", "/edit", "/page/check"):
        answer = server.post(path, content=json.dumps({"text": text}), headers=JSON)
        assert answer.status_code == 200
        answer.content.decode()


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/score", 405), ("GET", "/docs", 404)])
def test_an_address_that_is_none_is_told(server: httpx.Client, method: str, path: str, status: int) -> None:
    answer = server.request(method, path)
    assert answer.status_code == status
    assert "/openapi.json" in answer.json()["error"]["message"]


def test_a_model_that_cannot_be_used_is_the_upstreams_fault(server: httpx.Client) -> None:
    answer = server.post("/score", json={"text": "The KEY is wrong."})
    assert (answer.status_code, answer.json()["error"]["type"]) == (502, "upstream_error")


def test_trouble_with_one_fact_stands_in_the_report(server: httpx.Client) -> None:
    report = server.post("/score", json={"text": f"{TRUE} They BREAK it.", "topic": TOPIC}).json()
    assert "not verified" in report["generations"][0]["error"]
    assert report["counts"]["failed"] > 0


def test_prometheus_can_read_what_was_done(server: httpx.Client) -> None:
    server.post("/score", json={"text": WRONG, "topic": TOPIC})
    assert serving.eventually(lambda: 'route="/score",status="200"' in server.get("/metrics").text)
    answer = server.get("/metrics")
    lines = answer.text.splitlines()
    assert answer.headers["content-type"].startswith("text/plain")
    assert any(one.startswith('factscore_facts_total{verdict="not_supported"}') for one in lines)
    assert "factscore_model_calls_total 0.0" in lines


def test_the_log_holds_no_text(server: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.post("/score?hidden=secret", json={"text": "My secret is here.", "topic": TOPIC})
    server.post("/score", json={"text": 1, "secret": "secret"})
    assert serving.eventually(lambda: "POST /score 422 " in caplog.text)
    ours = [one.getMessage() for one in caplog.records if not one.name.startswith("http")]  # the client's
    assert any(one.startswith("POST /score 200 ") for one in ours)
    assert "secret" not in "".join(ours)


def test_the_schema_shows_bodies_errors_and_what_fields_mean(server: httpx.Client) -> None:
    schema = server.get("/openapi.json").json()
    score = schema["paths"]["/score"]["post"]
    assert score["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Report")
    assert score["responses"]["429"]["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorBody")
    topic = schema["components"]["schemas"]["ScoreRequest"]["properties"]["topic"]
    assert "whole source" in topic["description"]
    assert "/page/check" not in schema["paths"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_may_ask_for_the_head_only(server: httpx.Client, path: str) -> None:
    answer = server.head(path)
    assert (answer.status_code, answer.content) == (200, b"")


def test_an_answer_is_not_sniffed_and_can_be_found_in_the_log(server: httpx.Client) -> None:
    answer = server.get("/healthz")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert len(answer.headers["x-factscore-request-id"]) == 32
