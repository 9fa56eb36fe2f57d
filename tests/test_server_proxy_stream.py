"""Streamed answers of a chat model: verified sentences as they are checked, all else as it was sent."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from langchain_openai import ChatOpenAI

from factscore_chain.server import Limits
from tests.editing import NOTES, TRUE, WRONG
from tests.openai_server import KEY, Answer, Raw
from tests.proxies import ASKED, MESSAGE, Proxies, client, policy, started

__all__ = ["started"]

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
LATER = "It is a fine day in the town of Rome and it goes on so."
"""A sentence that nothing supports."""


def stream(url: str, **more: Any) -> Iterator[Any]:
    with client(url) as asking:
        yield from asking.chat.completions.create(model="m", messages=ASKED, stream=True, **more)


def texts(chunks: Iterator[Any], index: int = 0) -> str:
    """The text of a choice, put together as a client does."""
    found = (one for chunk in chunks for one in chunk.choices if one.index == index)
    return "".join(one.delta.content or "" for one in found)


def test_a_supported_answer_streams_as_it_is(proxies: Proxies) -> None:
    chunks = list(stream(proxies.start([Answer(f"{TRUE}\n\n{TRUE} ", finish_reason="length")])))
    assert texts(iter(chunks)) == f"{TRUE}\n\n{TRUE} "
    assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "length"
    assert [chunk.id for chunk in chunks] == ["cmpl-1"] * len(chunks)
    assert chunks[-1].choices[0].factscore["passed"]


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ("annotate", f"{TRUE} {WRONG} [not supported by the sources]"),
        ("replace", f"{TRUE} {MESSAGE}"),
        ("correct", f"{TRUE} {TRUE}"),
    ],
)
def test_an_unsupported_sentence_is_shown_as_the_policy_says(proxies: Proxies, how: str, shown: str) -> None:
    chunks = list(stream(proxies.start([f"{TRUE} {WRONG}"], policy(on_fail=how))))
    assert texts(iter(chunks)) == shown
    assert not chunks[-1].choices[0].factscore["outcome"]["passed"]


def test_remove_leaves_an_unsupported_sentence_out_of_a_stream(proxies: Proxies) -> None:
    chunks = list(stream(proxies.start([f"{LATER} {TRUE} {LATER}"], policy(on_fail="remove"))))
    assert texts(iter(chunks)) == TRUE
    record = chunks[-1].choices[0].factscore
    assert (record["action"], record["passed"]) == ("remove", True)


def test_a_sentence_is_out_before_the_upstream_is_done(proxies: Proxies) -> None:
    rest = threading.Event()
    chunks = stream(proxies.start([Answer(f"{TRUE} " + f"{NOTES} " * 2, hold=rest)]))
    first = next(chunk for chunk in chunks if chunk.choices[0].delta.content)
    assert first.choices[0].delta.content == TRUE
    assert proxies.upstream.in_flight == 1
    rest.set()
    assert texts(chunks).endswith(f"{NOTES} ")


def test_a_policy_that_raises_ends_the_stream_with_an_error(proxies: Proxies) -> None:
    chunks = stream(proxies.start([f"{TRUE} {WRONG} {TRUE}"], policy(on_fail="raise")))
    shown = []
    with pytest.raises(openai.APIError, match="The answer was withheld") as caught:
        shown += [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert WRONG not in str(caught.value)


def test_what_stands_before_an_error_was_shown(proxies: Proxies) -> None:
    url = proxies.start([f"{TRUE} {WRONG} {TRUE}"], policy(on_fail="raise"))
    data = events_of(url)
    assert data[0]["choices"][0]["delta"]["content"] == TRUE
    assert data[-1]["error"]["code"] == "not_supported"
    assert len(data) == 2


def events_of(url: str) -> list[Any]:
    """The events of a stream as they are, without the one that ends it well."""
    answer = httpx.post(
        f"{url}/chat/completions",
        json={"model": "m", "messages": ASKED, "stream": True},
        headers={"Authorization": f"Bearer {KEY}"},
        timeout=60,
    )
    assert answer.headers["content-type"].startswith("text/event-stream")
    data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line]
    return [json.loads(one) for one in data if one != "[DONE]"]


def test_choices_stream_side_by_side(proxies: Proxies) -> None:
    url = proxies.start([Answer(f"{TRUE} {WRONG}", choices=3)], policy(on_fail="correct"))
    chunks = list(stream(url, n=3))
    assert [texts(iter(chunks), index) for index in range(3)] == [f"{TRUE} {TRUE}"] * 3
    assert sum(chunk.choices[0].finish_reason == "stop" for chunk in chunks) == 3


def test_tool_calls_stream_untouched(proxies: Proxies) -> None:
    url = proxies.start([Answer(TRUE, tool_calls=[CALL], finish_reason="tool_calls")])
    chunks = list(stream(url))
    calls = [one for chunk in chunks for one in chunk.choices[0].delta.tool_calls or []]
    assert [one.function.arguments for one in calls] == ['{"q": 1}']
    assert texts(iter(chunks)) == TRUE
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_usage_comes_last(proxies: Proxies) -> None:
    chunks = list(stream(proxies.start([TRUE]), stream_options={"include_usage": True}))
    assert (chunks[-1].choices, chunks[-1].usage.completion_tokens > 0) == ([], True)
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_a_stream_that_breaks_off_shows_whole_sentences_and_says_so(proxies: Proxies) -> None:
    data = events_of(proxies.start([Answer(f"{TRUE} {TRUE} " + LATER * 3, cut=True)]))
    shown = "".join(one["choices"][0]["delta"]["content"] for one in data[:-1])
    assert shown.startswith(TRUE)
    assert data[-1]["error"]["code"] == "upstream_broke_off"


def raw(*chunks: Any) -> Raw:
    lines = "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n" for one in chunks)
    return Raw(f": comment\n\nevent: x\n{lines}", "text/event-stream")


def piece(text: str, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "id": "x",
        "choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}],
    }


def test_an_error_inside_the_upstreams_stream_comes_as_it_is(proxies: Proxies) -> None:
    said = {"error": {"message": "Out of memory.", "code": 500}}
    data = events_of(proxies.start([raw(piece(f"{TRUE} And"), said)]))
    assert data[-1] == said


def test_a_stream_without_its_last_event_is_whole_if_its_choices_ended(proxies: Proxies) -> None:
    data = events_of(proxies.start([raw(piece(TRUE, role="assistant"), piece("", "stop"))]))
    assert [one["choices"][0]["finish_reason"] for one in data] == [None, None, "stop"]
    assert data[0]["choices"][0]["delta"] == {"content": "", "role": "assistant"}


def test_a_choice_without_an_end_is_let_out_at_the_end_of_the_stream(proxies: Proxies) -> None:
    data = events_of(proxies.start([raw(piece(TRUE), "[DONE]")]))
    assert [one["choices"][0]["delta"]["content"] for one in data] == [TRUE]


@pytest.mark.parametrize("odd", ["{", "[]", "3", '{"choices": [4]}', '{"choices": {"a": 1}}', "[" * 9999])
def test_an_event_that_is_no_chunk_ends_the_stream_with_an_error(proxies: Proxies, odd: str) -> None:
    data = events_of(proxies.start([raw(piece("One"), odd)]))
    assert data[-1]["error"]["code"] == "upstream_unreadable"


def test_data_streams_when_it_is_whole(proxies: Proxies) -> None:
    url = proxies.start(['{"a": "Ada was born in Paris."}'])
    chunks = list(stream(url, response_format={"type": "json_object"}))
    assert texts(iter(chunks)) == '{"a": "Ada was born in Paris."}'
    assert not chunks[-1].choices[0].factscore["outcome"]["passed"]


def test_time_that_is_over_ends_the_stream_with_an_error(proxies: Proxies) -> None:
    url = proxies.start([Answer(f"{TRUE} {NOTES} " * 20, hold=threading.Event())], limits=Limits(seconds=3))
    data = events_of(url)
    assert data[-1]["error"]["code"] in ("out_of_time", "upstream_timeout")


def test_an_upstream_is_let_go_when_the_client_leaves(proxies: Proxies) -> None:
    url = proxies.start([Answer(f"{TRUE} " * 500, drip=0.02)])
    chunks = stream(url)
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]
    end = time.monotonic() + 30
    while proxies.upstream.in_flight and time.monotonic() < end:
        time.sleep(0.05)
    assert proxies.upstream.in_flight == 0


def test_a_stream_in_flight_is_finished_before_the_server_ends(proxies: Proxies) -> None:
    rest = threading.Event()
    chunks = stream(proxies.start([Answer(f"{TRUE} " + f"{NOTES} " * 2, hold=rest)]))
    next(chunks)
    proxies.stop()
    rest.set()
    assert texts(chunks).endswith(f"{NOTES} ")


def test_langchains_client_streams_checked_text(proxies: Proxies) -> None:
    url = proxies.start([f"{TRUE} {WRONG}"], policy(on_fail="correct"))
    model = ChatOpenAI(
        model="test-model",
        base_url=url,
        api_key=KEY,
        max_retries=0,
        stream_usage=True,
    )
    chunks = list(model.stream("Where was Ada born?"))
    assert "".join(chunk.text for chunk in chunks) == f"{TRUE} {TRUE}"
    assert sum(chunk.usage_metadata is not None for chunk in chunks) == 1
