"""The cache of answers: what is the same call, what is kept, and what happens when the file is no good."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI

from factscore_chain.aio import run_sync
from factscore_chain.answer_cache import AnswerCache, Call
from factscore_chain.completion import Completion, Usage
from factscore_chain.errors import ModelCallError
from factscore_chain.fresh import FRESH
from factscore_chain.language_model import LanguageModel
from factscore_chain.model_identity import model_identity
from factscore_chain.token_choices import TokenChoice
from tests.scripted import Reply, ScriptedChatModel, scripted_reply

QUESTION = [HumanMessage("Was Ada Brook born in Leeds?")]
CALL = Call("model", tuple(QUESTION), {"logprobs": True})


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers.db")


def model(cache: AnswerCache, *script: Reply, delay: float = 0) -> tuple[LanguageModel, ScriptedChatModel]:
    replies = iter(script)
    # One number and no list of replies, so that two of them are the same model to the cache.
    chat = ScriptedChatModel(script=lambda _: next(replies), delay=delay, number=0)
    return LanguageModel(chat, cache=cache), chat


def test_what_is_kept_comes_back_whole(cache: AnswerCache) -> None:
    tokens = (TokenChoice("True", (("True", -0.1), ("False", -math.inf))),)
    answer = Completion("True \ud800 ✓", "stop", tokens, Usage(1, 10, 2, 4))
    cache.keep(CALL, answer)
    found = AnswerCache(cache.path).find(CALL)
    assert found is not None
    assert (found, found.usage) == (answer, answer.usage)


@pytest.mark.parametrize(
    "other",
    [
        Call("another", CALL.messages, CALL.options),
        Call("model", (HumanMessage("Was Ada Brook born in Hull?"),), CALL.options),
        Call("model", (AIMessage(QUESTION[0].text),), CALL.options),
        Call("model", (*CALL.messages, *CALL.messages), CALL.options),
        Call("model", CALL.messages, {"logprobs": False}),
        Call("model", CALL.messages, CALL.options, sample=1),
    ],
)
def test_whatever_shapes_an_answer_is_in_the_key(cache: AnswerCache, other: Call) -> None:
    cache.keep(CALL, Completion("True"))
    assert cache.find(other) is None


async def test_the_same_call_is_made_once_and_costs_once(cache: AnswerCache) -> None:
    first, chat = model(cache, "True")
    assert [(await first.complete(QUESTION)).text for _ in range(3)] == ["True"] * 3
    assert (first.usage, len(chat.prompts)) == (Usage(1, 10, 2, cached_answers=2), 1)
    second, other = model(AnswerCache(cache.path), "False")
    assert (await second.complete(QUESTION)).text == "True"
    assert other.prompts == []


async def test_the_same_call_at_the_same_time_is_made_once(cache: AnswerCache) -> None:
    asked, chat = model(cache, "True", delay=0.02)
    answers = await asyncio.gather(*(asked.complete(QUESTION) for _ in range(5)))
    assert [answer.text for answer in answers] == ["True"] * 5
    assert (len(chat.prompts), asked.usage.calls, asked.usage.cached_answers) == (1, 1, 4)


async def test_samples_of_one_prompt_are_answers_of_their_own(cache: AnswerCache) -> None:
    asked, chat = model(cache, "One.", "Two.")
    drawn = [(await asked.complete(QUESTION, sample=number)).text for number in (1, 2, 1, 2)]
    assert drawn == ["One.", "Two.", "One.", "Two."]
    assert len(chat.prompts) == 2


@pytest.mark.parametrize(
    "reply",
    [
        scripted_reply("Tr", finish_reason="length"),
        scripted_reply("True", finish_reason="content_filter"),
        scripted_reply(" "),
        AIMessage("", additional_kwargs={"refusal": "I won't."}),
    ],
)
async def test_what_is_not_whole_is_asked_again(cache: AnswerCache, reply: AIMessage) -> None:
    asked, chat = model(cache, reply, "True")
    await asked.complete(QUESTION)
    assert (await asked.complete(QUESTION)).text == "True"
    assert len(chat.prompts) == 2


async def test_a_failure_is_shared_by_those_who_wait_and_not_kept(cache: AnswerCache) -> None:
    asked, chat = model(cache, ConnectionError(), "True", delay=0.02)
    found = await asyncio.gather(*(asked.complete(QUESTION) for _ in range(3)), return_exceptions=True)
    assert [type(one) for one in found] == [ModelCallError] * 3
    assert (await asked.complete(QUESTION)).text == "True"
    assert len(chat.prompts) == 2


async def test_who_is_cancelled_takes_nobody_along(cache: AnswerCache) -> None:
    asked, chat = model(cache, "True", "True", delay=1)
    first = asyncio.create_task(asked.complete(QUESTION))
    while chat.most_in_flight == 0:  # noqa: ASYNC110  the model cannot say that it is being asked
        await asyncio.sleep(0.01)
    others = [asyncio.create_task(asked.complete(QUESTION)) for _ in range(2)]
    await asyncio.sleep(0.01)
    first.cancel()
    others[0].cancel()
    assert (await others[1]).text == "True"
    with pytest.raises(asyncio.CancelledError):
        await first


def test_threads_with_loops_of_their_own_share_one_call(cache: AnswerCache) -> None:
    asked, chat = model(cache, "True", delay=0.05)
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: asyncio.run(asked.complete(QUESTION)).text, range(4)))
    assert (answers, len(chat.prompts)) == (["True"] * 4, 1)


def _fill(path: Path, worker: int) -> bool:
    cache = AnswerCache(path)
    calls = [Call("model", (HumanMessage(f"{worker}-{number}"),), {}) for number in range(30)]
    for call in calls:
        cache.keep(call, Completion(call.messages[0].text))
    return all(cache.find(call) == Completion(call.messages[0].text) for call in calls)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_write_to_one_file(tmp_path: Path, method: str) -> None:
    path = tmp_path / "answers.db"
    with multiprocessing.get_context(method).Pool(4) as pool:
        assert all(pool.starmap(_fill, [(path, worker) for worker in range(4)]))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (120,)


def test_the_file_is_its_users_alone_and_holds_no_prompt_and_no_key(cache: AnswerCache) -> None:
    chat = ChatOpenAI(model="gpt-4o-mini", api_key="sk-secret-1", default_headers={"X-Key": "sk-secret-2"})
    cache.keep(Call(model_identity(chat), tuple(QUESTION), {}), Completion("True"))
    files = list(cache.path.parent.iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    content = b"".join(file.read_bytes() for file in files)
    assert not any(word in content for word in (b"sk-secret", b"Ada Brook"))
    assert "sk-secret" not in model_identity(chat)


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"api_key": "sk-b"}, True),
        ({"timeout": 3, "max_retries": 9}, True),
        ({"temperature": 0.9}, False),
        ({"base_url": "http://localhost:1/v1"}, False),
        ({"model_kwargs": {"top_k": 3}}, False),
        ({"max_tokens": 5}, False),
    ],
)
def test_a_model_is_told_by_what_shapes_its_answers(changed: dict[str, Any], same: bool) -> None:
    usual: dict[str, Any] = {"model": "gpt-4o-mini", "api_key": "sk-a", "temperature": 0}
    one, other = ChatOpenAI(**usual), ChatOpenAI(**{**usual, **changed})
    assert (model_identity(one) == model_identity(other)) is same


def _not_a_database(path: Path) -> None:
    path.write_bytes(b"This is no database at all. " * 100)


def _another_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE documents (text)")


def _a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("spoil", [_not_a_database, _another_database, _a_folder])
async def test_a_file_that_is_no_good_is_named_once_and_the_run_goes_on(
    cache: AnswerCache, spoil: Any, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(cache.path)
    before = None if cache.path.is_dir() else cache.path.read_bytes()
    asked, _ = model(cache, "True", "False")
    assert [(await asked.complete(QUESTION)).text for _ in range(2)] == ["True", "False"]
    assert [str(cache.path) in record.getMessage() for record in caplog.records] == [True]
    assert before is None or cache.path.read_bytes() == before


async def test_a_locked_file_is_named_and_the_run_goes_on(
    cache: AnswerCache, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factscore_chain.storage.BUSY_SECONDS", 0.05)
    cache.find(CALL)
    cache.close()
    with sqlite3.connect(cache.path, isolation_level=None) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        asked, _ = model(cache, "True")
        assert (await asked.complete(QUESTION)).text == "True"
    assert "locked" in caplog.text


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"text": 3}', '{"text": "T", "finish_reason": "?"}'])
def test_a_damaged_row_is_asked_for_again(cache: AnswerCache, damaged: str) -> None:
    cache.keep(CALL, Completion("True"))
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE answers SET answer = ?", (damaged,))
    assert cache.find(CALL) is None
    cache.keep(CALL, Completion("False"))
    assert cache.find(CALL) == Completion("False")


def test_without_a_cache_every_call_is_made() -> None:
    chat = ScriptedChatModel(script=["True", "False"])
    asked = LanguageModel(chat)
    assert [run_sync(asked.complete(QUESTION)).text for _ in range(2)] == ["True", "False"]


async def test_an_answer_that_is_wanted_anew_is_neither_looked_up_nor_kept(cache: AnswerCache) -> None:
    asked, _ = model(cache, "True", "False")
    await asked.complete(QUESTION)
    assert (await asked.complete(QUESTION, FRESH)).text == "False"
    assert (await asked.complete(QUESTION)).text == "True"
