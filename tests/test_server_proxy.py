"""Whole answers of a chat model, checked on their way to the real clients of OpenAI and LangChain."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from langchain_openai import ChatOpenAI

from factscore_chain.errors import UsageError
from factscore_chain.server import Access, Limits, Upstream
from tests import serving
from tests.editing import NOTES, TOPIC, TRUE, WRONG
from tests.openai_server import KEY, Answer, Raw, Status
from tests.proxies import ASKED, MESSAGE, Proxies, ask, client, policy, started, text_of
from tests.servers import word_sources

__all__ = ["started"]

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}


def test_a_supported_answer_comes_as_it_is_with_its_outcome(proxies: Proxies) -> None:
    found = ask(proxies.start([Answer(TRUE, finish_reason="length")]))
    (choice,) = found.choices
    assert (choice.message.content, choice.finish_reason) == (TRUE, "length")
    assert found.usage.total_tokens == found.usage.prompt_tokens + found.usage.completion_tokens > 0
    assert (choice.factscore["passed"], choice.factscore["action"]) == (True, "pass")


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ("annotate", f"{WRONG}\n\nNote: 1 of 1 statements in this answer is not supported by the sources:\n"),
        ("replace", MESSAGE),
        ("correct", TRUE),
        ("remove", MESSAGE),  # nothing is left
    ],
)
def test_an_unsupported_answer_is_shown_as_the_policy_says(proxies: Proxies, how: str, shown: str) -> None:
    found = ask(proxies.start([WRONG], policy(on_fail=how)))
    assert text_of(found).startswith(shown)
    assert found.choices[0].factscore["outcome"]["unsupported"][0]["text"] == WRONG


def test_a_policy_that_raises_gives_an_error_that_no_client_repeats(proxies: Proxies) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        ask(proxies.start([WRONG], policy(on_fail="raise")))
    body: Any = caught.value.body
    assert (body["type"], body["code"]) == ("factuality_error", "not_supported")
    assert body["factscore"]["outcome"]["unsupported"][0]["text"] == WRONG
    assert WRONG not in body["message"]


def test_a_policy_that_retries_asks_again_and_counts_both_calls(proxies: Proxies) -> None:
    found = ask(proxies.start([WRONG, TRUE], policy(on_fail="retry")))
    first, second = proxies.upstream.requests
    assert text_of(found) == TRUE
    assert found.choices[0].factscore["retries"] == 1
    assert [one["role"] for one in second.body["messages"]] == ["user", "assistant", "user"]
    assert WRONG in second.question
    assert first.body["messages"] == ASKED
    assert found.usage.prompt_tokens == proxies.upstream.prompt_tokens


def test_trouble_with_the_second_call_leaves_what_the_policy_does_otherwise(proxies: Proxies) -> None:
    found = ask(proxies.start([Answer(WRONG), Status(500)], policy(on_fail="retry")))
    assert text_of(found) == MESSAGE


def test_every_choice_is_checked(proxies: Proxies) -> None:
    found = ask(proxies.start([Answer(WRONG, choices=3)], policy(on_fail="correct")), n=3)
    assert [(one.index, one.message.content) for one in found.choices] == [(0, TRUE), (1, TRUE), (2, TRUE)]
    assert proxies.upstream.requests[0].body["n"] == 3


def test_tool_calls_pass_untouched(proxies: Proxies) -> None:
    found = ask(proxies.start([Answer("", tool_calls=[CALL], finish_reason="tool_calls")]))
    (choice,) = found.choices
    assert (choice.finish_reason, choice.message.tool_calls[0].function.arguments) == (
        "tool_calls",
        '{"q": 1}',
    )
    assert not hasattr(choice, "factscore")


def test_a_refusal_passes_untouched(proxies: Proxies) -> None:
    found = ask(proxies.start([Answer(refusal="No.")], policy(on_fail="replace", on_empty="fail")))
    assert (found.choices[0].message.content, found.choices[0].message.refusal) == (None, "No.")


UPSTREAM_ERRORS = [
    (Status(400, "Bad parameter."), openai.BadRequestError, "Bad parameter."),
    (Status(404, "No such model."), openai.NotFoundError, "No such model."),
    (Status(429, "Slow down.", headers={"Retry-After": "7"}), openai.RateLimitError, "Slow down."),
    (Status(503, "Busy."), openai.InternalServerError, "Busy."),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("behaviour", "kind", "says"), UPSTREAM_ERRORS)
def test_an_error_of_the_upstream_comes_as_it_is(
    proxies: Proxies, behaviour: Status, kind: type[openai.APIStatusError], says: str, stream: bool
) -> None:
    with pytest.raises(kind, match=says) as caught:
        ask(proxies.start([behaviour]), stream=stream)
    assert caught.value.status_code == behaviour.code
    assert caught.value.response.headers.get("retry-after") == behaviour.headers.get("Retry-After")


def test_a_wrong_key_is_refused_by_the_upstream(proxies: Proxies) -> None:
    with client(proxies.start([TRUE]), "sk-wrong") as asking, pytest.raises(openai.AuthenticationError):
        asking.chat.completions.create(model="m", messages=ASKED)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("body", ["no JSON", "[]", '{"choices": 1}', "[" * 9999, '{"object": "x"}'])
def test_an_answer_that_is_no_completion_is_not_passed_on(proxies: Proxies, body: str, stream: bool) -> None:
    with pytest.raises(openai.InternalServerError) as caught:
        ask(proxies.start([Raw(body)]), stream=stream)
    assert caught.value.code == "upstream_unreadable"


@pytest.mark.parametrize("stream", [False, True])
def test_an_upstream_that_is_down_is_told(proxies: Proxies, stream: bool) -> None:
    with pytest.raises(openai.InternalServerError) as caught:
        ask(proxies.before("http://127.0.0.1:9/v1"), stream=stream)
    assert (caught.value.status_code, caught.value.code) == (502, "upstream_unreachable")


def test_an_upstream_that_is_too_slow_is_not_waited_for(proxies: Proxies) -> None:
    with pytest.raises(openai.InternalServerError) as caught:
        ask(proxies.start([Answer(TRUE, wait=60)], limits=Limits(seconds=0.5)))
    assert caught.value.status_code == 504


def test_an_answer_that_breaks_off_is_not_passed_on(proxies: Proxies) -> None:
    with pytest.raises(openai.InternalServerError) as caught:
        ask(proxies.start([Answer(TRUE, cut=True)]))
    assert caught.value.code == "upstream_broke_off"


TOOL = [*ASKED, {"role": "tool", "tool_call_id": "c1", "content": "Bob was born in Rome."}]
PARTS = [
    *ASKED,
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "Bob was born in Rome."}]},
]
SYSTEM = [{"role": "system", "content": "Bob was born in Rome."}, *ASKED]


@pytest.mark.parametrize(
    ("messages", "roles", "passed"),
    [
        (ASKED, {"tool"}, False),
        (TOOL, {"tool"}, True),
        (PARTS, {"tool"}, True),
        (TOOL, {"system"}, False),
        (SYSTEM, {"tool"}, False),
        (SYSTEM, {"tool", "system"}, True),
    ],
)
def test_messages_in_the_chosen_roles_are_evidence(
    proxies: Proxies, messages: Any, roles: set[str], passed: bool
) -> None:
    url = proxies.start(["Bob was born in Rome."], evidence=frozenset(roles))
    record = ask(url, messages).choices[0].factscore
    assert record["passed"] is passed


def test_a_request_brings_passages_that_the_upstream_does_not_see(proxies: Proxies) -> None:
    extra = {"factscore": {"passages": [{"text": "Bob was born in Rome.", "title": "Bob"}], "topic": "Bob"}}
    url = proxies.start(["Bob was born in Rome."])
    assert ask(url, extra_body=extra).choices[0].factscore["passed"]
    assert proxies.upstream.requests[0].body == {"model": "test-model", "messages": ASKED}


@pytest.mark.parametrize(
    ("options", "status"),
    [({"knowledge": "x"}, 404), ({"topic": "Bob"}, 404), ({"tpoic": "Bob"}, 422), (1, 422)],
)
def test_wrong_options_are_told_before_the_upstream_is_asked(
    proxies: Proxies, options: Any, status: int
) -> None:
    with pytest.raises(openai.APIStatusError) as caught:
        ask(proxies.start([TRUE]), extra_body={"factscore": options})
    assert caught.value.status_code == status
    assert proxies.upstream.calls == 0


@pytest.mark.parametrize(
    ("how", "content", "refusal"), [("annotate", '{"a": 1}', None), ("replace", None, MESSAGE)]
)
def test_data_is_shown_as_it_is_or_refused(
    proxies: Proxies, how: str, content: str | None, refusal: str | None
) -> None:
    url = proxies.start(['{"a": 1}'], policy(on_fail=how))
    found = ask(url, response_format={"type": "json_object"})
    message = found.choices[0].message
    assert (message.content, message.refusal) == (content, refusal)
    assert not found.choices[0].factscore["outcome"]["passed"]


def test_a_text_too_long_to_check_is_treated_as_one_that_could_not_be_checked(proxies: Proxies) -> None:
    url = proxies.start([TRUE * 5], policy(on_error="closed"), limits=Limits(text=50))
    found = ask(url)
    assert (text_of(found), found.choices[0].factscore["outcome"]["cause"]) == (MESSAGE, "error")


def test_what_else_a_request_holds_is_passed_on(proxies: Proxies) -> None:
    odd = {"seed": 10**30, "temperature": 0.5, "new_thing": {"a": [None, True, "\ud800"]}, "stop": None}
    url = proxies.start([TRUE])
    body = {"model": "m", "messages": ASKED, **odd}
    answer = httpx.post(
        f"{url}/chat/completions?api-version=1",
        content=json.dumps(body),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", "X-Own": "yes"},
    )
    (request,) = proxies.upstream.requests
    assert (answer.status_code, request.body, request.headers["x-own"]) == (200, body, "yes")
    assert request.path == "/v1/chat/completions?api-version=1"


def test_log_probabilities_of_words_that_were_changed_are_left_out(proxies: Proxies) -> None:
    url = proxies.start([Answer(WRONG, logprobs=[{"a": -0.1}])], policy(on_fail="correct"))
    assert ask(url, logprobs=True).choices[0].logprobs is None


def test_models_are_those_of_the_upstream(proxies: Proxies) -> None:
    with client(proxies.start([TRUE])) as asking:
        assert [one.id for one in asking.models.list()] == ["test-model"]
        assert asking.models.retrieve("test-model").owned_by == "tests"


@pytest.mark.parametrize("path", ["completions", "responses", "models/../files", "models/%2e%2e/files"])
def test_what_is_not_checked_is_not_passed_on(proxies: Proxies, path: str) -> None:
    url = proxies.start([TRUE])
    with httpx.Client() as asking:
        request = asking.build_request("GET" if "models" in path else "POST", f"{url}/x", json={})
        request.url = request.url.copy_with(raw_path=f"/v1/{path}".encode())
        assert asking.send(request).status_code in (404, 405)
    assert proxies.upstream.calls == 0


def test_without_an_upstream_there_is_no_proxy(tmp_path: Path) -> None:
    with serving.Thread(word_sources(tmp_path)) as running:
        answer = httpx.post(f"{running.url}/v1/chat/completions", json={"messages": ASKED})
        assert answer.status_code == 404


def test_the_servers_token_stays_here_and_the_clients_key_goes_on(proxies: Proxies) -> None:
    url = proxies.start([TRUE], access=Access("ours"))
    with client(url, default_headers={"X-FactScore-Token": "ours"}) as asking:
        assert text_of(asking.chat.completions.create(model="m", messages=ASKED)) == TRUE
    assert "x-factscore-token" not in proxies.upstream.requests[0].headers
    with client(url, "ours") as asking, pytest.raises(openai.AuthenticationError, match=r"provided: $"):
        asking.chat.completions.create(model="m", messages=ASKED)
    assert "ours" not in str(proxies.upstream.requests)


def test_the_servers_own_key_takes_the_place_of_the_clients(proxies: Proxies) -> None:
    url = proxies.start([TRUE], access=Access("ours"), key=KEY)
    with client(url, "ours") as asking:
        assert text_of(asking.chat.completions.create(model="m", messages=ASKED)) == TRUE


def test_neither_key_nor_text_is_logged(proxies: Proxies, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    url = proxies.start([WRONG])
    caplog.clear()
    httpx.post(
        f"{url}/chat/completions",
        json={"model": "m", "messages": ASKED},
        headers={"Authorization": f"Bearer {KEY}"},
    )
    assert serving.eventually(lambda: "POST /v1/chat/completions 200" in caplog.text)
    assert not any(word in caplog.text for word in (KEY, WRONG, "Ada"))


def test_langchains_client_gets_a_checked_answer(proxies: Proxies) -> None:
    url = proxies.start([WRONG], policy(on_fail="correct"))
    model = ChatOpenAI(model="test-model", base_url=url, api_key=KEY, max_retries=0)
    answer = model.invoke("Where was Ada born?")
    assert answer.text == TRUE
    assert answer.usage_metadata is not None


def test_what_was_done_is_counted(proxies: Proxies) -> None:
    url = proxies.start([WRONG])
    ask(url)
    lines = httpx.get(url.replace("/v1", "/metrics")).text.splitlines()
    assert 'factscore_answers_total{action="annotate",cause="unsupported"} 1.0' in lines
    assert 'factscore_facts_total{verdict="not_supported"} 1.0' in lines


@pytest.mark.parametrize("url", ["", "api.openai.com/v1", "ftp://x/v1", "http://", "http://x/v1?a=b"])
def test_an_upstream_that_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="give a base URL"):
        Upstream(url)


def test_notes_and_topics_reach_the_check(proxies: Proxies) -> None:
    url = proxies.start([f"{TRUE} {NOTES}"])
    record = ask(url, extra_body={"factscore": {"topic": TOPIC}}).choices[0].factscore
    assert (record["outcome"]["facts"], record["passed"]) == (2, True)
