"""Who is let in, and what a server says of itself when it begins."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from factscore_chain.errors import UsageError
from factscore_chain.server import Access, Serving, create_app
from factscore_chain.server.run import announcement, listening
from tests import serving
from tests.editing import TRUE
from tests.servers import word_sources

TOKEN = "right-token"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    sources = word_sources(tmp_path_factory.mktemp("locked"))
    with serving.Thread(sources, Serving(port=0, access=Access(TOKEN))) as running:
        yield running.url


LET_IN = [
    {"Authorization": f"Bearer {TOKEN}"},
    {"Authorization": f"bearer  {TOKEN}"},
    {"X-FactScore-Token": TOKEN},
]
TURNED_AWAY = [
    {},
    {"Authorization": TOKEN},
    {"Authorization": f"Basic {TOKEN}"},
    {"Authorization": f"Bearer {TOKEN}x"},
    {"Authorization": f"Bearer {TOKEN[:-1]}"},
    {"Authorization": "Bearer"},
    {"X-FactScore-Token": ""},
]


@pytest.mark.parametrize("headers", LET_IN)
def test_who_knows_the_token_is_let_in(locked: str, headers: dict[str, str]) -> None:
    assert httpx.post(f"{locked}/score", json={"text": TRUE}, headers=headers).status_code == 200


@pytest.mark.parametrize("headers", TURNED_AWAY)
@pytest.mark.parametrize("path", ["/score", "/edit", "/page/check", "/knowledge", "/metrics"])
def test_who_does_not_is_turned_away(locked: str, path: str, headers: dict[str, str]) -> None:
    answer = httpx.post(f"{locked}{path}", json={"text": TRUE}, headers=headers)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert TOKEN not in answer.text


@pytest.mark.parametrize(
    ("asked", "counted"), [("POST /score", "/score"), ("DELETE /edit", "/edit"), ("GET /secret", "other")]
)
def test_what_is_turned_away_is_counted_for_its_route(locked: str, asked: str, counted: str) -> None:
    method, path = asked.split()
    httpx.request(method, f"{locked}{path}")
    told = httpx.get(f"{locked}/metrics", headers=LET_IN[0]).text
    assert f'factscore_requests_total{{method="{method}",route="{counted}",status="401"}}' in told


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/openapi.json"])
def test_what_tells_nothing_needs_no_token(locked: str, path: str) -> None:
    assert httpx.get(f"{locked}{path}").status_code == 200


def test_a_token_does_not_show(locked: str) -> None:
    assert TOKEN not in repr(Serving(access=Access(TOKEN)))


HOSTS = [("localhost:1", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("evil.example", 421), ("", 200)]


@pytest.mark.parametrize(("host", "status"), [*HOSTS, ("mine.example", 200)])
def test_without_a_token_only_its_own_names_are_answered(
    tmp_path_factory: pytest.TempPathFactory, host: str, status: int
) -> None:
    settings = Serving(access=Access(hosts=frozenset({"mine.example"})))
    app = create_app(word_sources(tmp_path_factory.mktemp("hosts")), settings)
    from fastapi.testclient import TestClient

    assert TestClient(app).get("/healthz", headers={"Host": host}).status_code == status


def test_with_a_token_any_name_is_answered(locked: str) -> None:
    assert httpx.get(f"{locked}/healthz", headers={"Host": "any.example"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "token", "warns"),
    [("127.0.0.1", None, False), ("::1", None, False), ("0.0.0.0", None, True), ("0.0.0.0", "t", False)],
)
def test_a_server_that_others_can_reach_says_so(host: str, token: str | None, warns: bool) -> None:
    said = announcement(Serving(host, access=Access(token)), 80)
    assert any("WARNING" in line for line in said) is warns


def test_a_taken_port_is_told_plainly(locked: str) -> None:
    port = int(locked.rsplit(":", 1)[1])
    with pytest.raises(UsageError, match=f"Cannot serve on 127.0.0.1:{port}: .* Choose another --port"):
        listening(Serving(port=port))
