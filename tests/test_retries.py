"""Which failed calls are made again, after how long: decided by the kind of error."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelTimeoutError,
)
from langchain_core.messages import HumanMessage

from factscore_chain.errors import BudgetError, FatalModelError, ModelCallError, UsageError
from factscore_chain.language_model import LanguageModel, init_model
from factscore_chain.retries import Patience, kind_of, retry_after
from tests.scripted import ScriptedChatModel


class HTTPError(Exception):
    def __init__(self, status: int | None, headers: dict[str, str] | None = None) -> None:
        super().__init__("sk-secret")
        self.response = SimpleNamespace(status_code=status, headers=headers or {})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        *((HTTPError(status), "transient") for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        *((HTTPError(status), "never") for status in (400, 401, 402, 403, 404, 413, 422)),
        (TimeoutError(), "transient"),
        (ConnectionResetError(), "transient"),
        (ModelConnectionError("x"), "transient"),
        (ModelRateLimitError("x"), "transient"),
        (ModelTimeoutError("x"), "transient"),
        (ModelAuthenticationError("x"), "never"),
        (ContextOverflowError("x"), "never"),
        *((kind("x"), "unusable") for kind in (ValueError, KeyError, IndexError, TypeError)),
        (RuntimeError("Event loop is closed"), "stale"),
        (RuntimeError("<Event> is bound to a different event loop"), "stale"),
        *((kind("x"), "never") for kind in (RuntimeError, UsageError, BudgetError, FatalModelError)),
    ],
)
def test_the_kind_of_error_decides(error: Exception, kind: str) -> None:
    assert kind_of(error) == kind


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00"}, 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00", "date": "Wed, 21 Oct 2015 07:27:30 GMT"}, 30),
        ({"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT", "date": "Wed, 21 Oct 2099 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT", "date": "today"}, 0),
    ],
)
def test_the_wait_that_a_server_names_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(HTTPError(429, headers)) == seconds


def test_a_date_to_come_is_as_long_away_as_it_is() -> None:
    moment = datetime.now(timezone.utc) + timedelta(seconds=100)
    seconds = retry_after(HTTPError(503, {"retry-after": format_datetime(moment, usegmt=True)}))
    assert seconds is not None
    assert 90 < seconds <= 100


def wait_before(attempt: int, error: Exception, **options: Any) -> float | None:
    return Patience(**options).wait_before(attempt, error, client_retries=False)


def test_waits_grow_up_to_the_longest() -> None:
    waits = [wait_before(attempt, HTTPError(500), longest_wait=10) for attempt in range(2, 8)]
    for wait, most in zip(waits, (1, 2, 4, 8, 10, 10), strict=True):
        assert wait is not None
        assert most / 2 <= wait <= most
    assert wait_before(8, HTTPError(500)) is None


def test_a_server_that_asks_for_too_long_a_wait_is_not_asked_again() -> None:
    assert wait_before(2, HTTPError(429, {"retry-after": "3600"})) is None


def test_a_reply_that_makes_no_sense_is_asked_for_once_more_at_once() -> None:
    assert [wait_before(attempt, ValueError()) for attempt in (2, 3)] == [0, None]


def test_a_connection_of_another_loop_is_replaced_at_once() -> None:
    error = RuntimeError("Event loop is closed")
    assert [wait_before(attempt, error) for attempt in (2, 20, 21)] == [0, 0, None]


def test_a_server_that_is_not_there_gets_fewer_attempts() -> None:
    error = ConnectionRefusedError()
    assert [wait_before(attempt, error) is None for attempt in (2, 4, 5)] == [False, False, True]


def test_what_the_client_tried_again_is_not_tried_again_here() -> None:
    def wait(error: Exception) -> float | None:
        return Patience().wait_before(2, error, client_retries=True)

    assert [wait(error) for error in (HTTPError(500), TimeoutError(), ValueError())] == [None, None, 0]


async def ask(chat: ScriptedChatModel, **options: Any) -> tuple[str, list[float]]:
    """What the model answers, and the seconds that were waited for it."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    model = LanguageModel(chat, patience=Patience(sleep=sleep, **options))
    try:
        return (await model.complete([HumanMessage("Is it so?")])).text, waited
    except ModelCallError as error:
        return str(error), waited


async def test_a_busy_server_is_asked_again_after_the_wait_it_named() -> None:
    busy = HTTPError(429, {"retry-after": "7"})
    chat = ScriptedChatModel(script=[busy, busy, "True"], max_retries=0)
    text, waited = await ask(chat)
    assert (text, len(chat.prompts)) == ("True", 3)
    assert all(7 <= seconds <= 7.7 for seconds in waited)


async def test_patience_ends_and_says_why() -> None:
    chat = ScriptedChatModel(script=[HTTPError(503)] * 9, max_retries=0)
    text, waited = await ask(chat, attempts=3)
    assert text == "A call to 'ScriptedChatModel' failed: HTTPError, HTTP 503."
    assert (len(chat.prompts), len(waited)) == (3, 2)


async def test_a_wrong_key_is_told_at_once_with_its_setting_and_without_itself() -> None:
    chat = ScriptedChatModel(script=[HTTPError(401)] * 9, max_retries=0)
    text, waited = await ask(chat)
    assert (len(chat.prompts), waited) == (1, [])
    assert "the key was refused" in text
    assert "sk-secret" not in text


async def test_a_call_that_never_ends_is_ended_and_made_again() -> None:
    chat = ScriptedChatModel(script=["late", "True"], delay=30, max_retries=0)
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        chat.delay = 0

    model = LanguageModel(chat, patience=Patience(longest_call=1, sleep=sleep))
    assert (await model.complete([HumanMessage("?")])).text == "late"
    assert len(waited) == 1


async def test_calls_that_wait_keep_their_places() -> None:
    chat = ScriptedChatModel(script=[HTTPError(429), "a", "b", "c"], max_retries=0)
    asked: list[int] = []

    async def sleep(seconds: float) -> None:
        asked.append(len(chat.prompts))

    model = LanguageModel(chat, concurrency=1, patience=Patience(sleep=sleep))
    await asyncio.gather(*(model.complete([HumanMessage("?")]) for _ in range(3)))
    assert asked == [1]


def test_a_model_by_name_leaves_trying_again_to_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert getattr(init_model("openai:some-model"), "max_retries", None) == 0
    assert getattr(init_model("openai:some-model", max_retries=5), "max_retries", None) == 5
