"""What a server refuses so that it stays there for others, and how it goes on afterwards."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from factscore_chain.errors import UsageError
from factscore_chain.server import Access, Limits, Serving
from tests import serving
from tests.editing import TOPIC, TRUE
from tests.servers import WaitingDecomposer, waiting_sources, word_sources

BODY = {"text": TRUE, "topic": TOPIC}


@contextmanager
def word_server(folder: Path, limits: Limits) -> Iterator[serving.Thread]:
    with serving.Thread(word_sources(folder), Serving(port=0, limits=limits)) as running:
        yield running


@contextmanager
def waiting_server(folder: Path, limits: Limits) -> Iterator[tuple[serving.Thread, WaitingDecomposer]]:
    sources, waiting = waiting_sources(folder)
    with serving.Thread(sources, Serving(port=0, limits=limits)) as running:
        try:
            yield running, waiting
        finally:
            waiting.go()


def serves(running: serving.Thread) -> bool:
    """Whether it scores again, once it is done with what was before."""
    for _ in serving.while_waiting():
        answer = httpx.post(f"{running.url}/score", json=BODY, timeout=60)
        if answer.status_code == 200:
            return bool(answer.json()["score"] == 1.0)
        assert answer.status_code == 429
    return False


def posts(running: serving.Thread, text: str) -> Callable[[], httpx.Response]:
    return lambda: httpx.post(f"{running.url}/score", json={"text": text}, timeout=60)


def talk(port: int, *pieces: bytes) -> bytes:
    """Sends bytes as they are; gives what comes until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for piece in pieces:
            connection.sendall(piece)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_long_is_refused(tmp_path: Path, chunked: bool) -> None:
    content = json.dumps({"text": "x" * 3_000_000}).encode()
    with word_server(tmp_path, Limits(body=1000)) as running:
        sent = iter([content[i : i + 9000] for i in range(0, len(content), 9000)]) if chunked else content
        answer = httpx.post(
            f"{running.url}/score", content=sent, headers={"Content-Type": "application/json"}
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        assert serves(running)


HEAD = b"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    with word_server(tmp_path, Limits(arrival=1)) as running:
        answer = talk(running.port, HEAD + b"Content-Length: 100\r\n\r\n", b'{"te')
        assert b"408" in answer.split(b"\r\n")[0]
        assert b"too_slow" in answer
        assert serves(running)


@pytest.mark.parametrize(
    "pieces", [(), (HEAD,), (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GE")]
)
def test_a_head_that_does_not_come_is_not_waited_for(tmp_path: Path, pieces: tuple[bytes, ...]) -> None:
    with word_server(tmp_path, Limits(arrival=1)) as running:
        assert talk(running.port, *pieces).count(b"HTTP/1.1 ") == len(pieces) // 2
        assert serves(running)


@pytest.mark.parametrize("sent", [b"\x00\x01\x02\r\n\r\n", b"A" * 100_000])
def test_what_is_no_http_is_refused(tmp_path: Path, sent: bytes) -> None:
    with word_server(tmp_path, Limits(arrival=1)) as running:
        assert b"HTTP/1.1 400" in talk(running.port, sent)
        assert serves(running)


def test_many_slow_bodies_keep_nobody_out(tmp_path: Path) -> None:
    with word_server(tmp_path, Limits(concurrency=1)) as running, ExitStack() as held:
        for _ in range(50):
            slow = held.enter_context(socket.create_connection(("127.0.0.1", running.port)))
            slow.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        assert serves(running)


def test_no_more_bytes_are_held_than_the_limits_allow(tmp_path: Path) -> None:
    with word_server(tmp_path, Limits(concurrency=1, body=1000)) as running, ExitStack() as held:
        for _ in range(9):
            slow = held.enter_context(socket.create_connection(("127.0.0.1", running.port)))
            slow.sendall(HEAD + b"Content-Length: 1000\r\n\r\n" + b" " * 999)
        answers = [posts(running, "x" * 900)().status_code for _ in range(20)]
        assert 429 in answers
    with word_server(tmp_path, Limits(concurrency=1, body=1000)) as running:
        assert serves(running)


def test_a_body_with_two_lengths_is_refused(tmp_path: Path) -> None:
    with word_server(tmp_path, Limits(arrival=1)) as running:
        both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        answer = talk(running.port, HEAD + both)
        assert (answer.count(b"HTTP/1.1 "), b"two_lengths" in answer) == (1, True)


def test_a_full_server_says_so_at_once_and_recovers(tmp_path: Path) -> None:
    with waiting_server(tmp_path, Limits(concurrency=2)) as (running, waiting), ThreadPoolExecutor() as pool:
        held = [pool.submit(posts(running, "WAIT here.")) for _ in range(2)]
        waiting.wait_for_begun(2)
        refused = posts(running, "One more.")()
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert refused.json()["error"]["type"] == "overloaded_error"
        assert httpx.get(f"{running.url}/healthz").status_code == 200
        waiting.go()
        assert [one.result().status_code for one in held] == [200, 200]
        assert serves(running)


def test_hundreds_of_requests_at_once_are_answered_or_refused(tmp_path: Path) -> None:
    limits = Limits(concurrency=4)
    with waiting_server(tmp_path, limits) as (running, waiting), ThreadPoolExecutor(100) as pool:

        def statuses(text: str, count: int) -> Counter[int]:
            return Counter(pool.map(lambda _: posts(running, text)().status_code, range(count)))

        held = [pool.submit(posts(running, "WAIT here.")) for _ in range(4)]
        waiting.wait_for_begun(4)
        assert statuses(TRUE, 150) == {429: 150}
        waiting.go()
        assert [one.result().status_code for one in held] == [200] * 4
        assert set(statuses(TRUE, 150)) <= {200, 429}
        assert serves(running)


def test_work_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with waiting_server(tmp_path, Limits(seconds=2, concurrency=1)) as (running, waiting):
        answer = posts(running, "WAIT here.")()
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "out_of_time")
        waiting.wait_for_given_up()
        assert serves(running)


def test_work_for_a_client_that_left_is_given_up(tmp_path: Path) -> None:
    with waiting_server(tmp_path, Limits(concurrency=1)) as (running, waiting):
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            body = b'{"text": "WAIT here."}'
            connection.sendall(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            waiting.wait_for_begun()
        waiting.wait_for_given_up()
        assert serves(running)


def stopped_in_work(folder: Path, limits: Limits, go: bool) -> httpx.Response:
    """The answer to a request that was in work when the server was told to stop."""
    with waiting_server(folder, limits) as (running, waiting), ThreadPoolExecutor() as pool:
        held: Future[httpx.Response] = pool.submit(posts(running, "WAIT here."))
        waiting.wait_for_begun()
        running.stop()
        if go:
            threading.Timer(0.3, waiting.go).start()
        return held.result()


def test_what_is_in_work_is_finished_before_the_server_ends(tmp_path: Path) -> None:
    assert stopped_in_work(tmp_path, Limits(), go=True).status_code == 200


def test_what_is_not_finished_in_time_is_told_to_come_again(tmp_path: Path) -> None:
    answer = stopped_in_work(tmp_path, Limits(shutdown=1), go=False)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "shutting_down")


@pytest.mark.parametrize(
    "wrong", [{"body": 0}, {"seconds": -1.0}, {"concurrency": 0}, {"arrival": float("nan")}]
)
def test_a_limit_that_is_none_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        Limits(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("token", ["", " a", "ключ", "a\nb"])
def test_a_token_that_no_header_can_hold_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="token"):
        Access(token)
