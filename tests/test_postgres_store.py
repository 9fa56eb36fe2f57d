"""Answers and finished generations in PostgreSQL: what is kept, shared and lost, and what is said of it."""

from __future__ import annotations

import logging
import math
import multiprocessing
import sys
import threading
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest
from langchain_core.messages import HumanMessage

from factscore_chain.answer_cache import AnswerCache, Call
from factscore_chain.cli.main import main
from factscore_chain.completion import Completion, Usage
from factscore_chain.errors import MissingExtraError, UsageError
from factscore_chain.gate.store import RunStore
from factscore_chain.postgres import PostgresStore
from factscore_chain.storage import ANSWERS, StorageError
from factscore_chain.token_choices import TokenChoice
from tests.gates import report
from tests.openai_server import KEY, OpenAIServer
from tests.pages import PAGES, write_rows
from tests.postgres import PASSWORD, PostgresServer, postgres, running_postgres

__all__ = ["postgres", "running_postgres"]

CALL = Call("model", (HumanMessage("Was Ada Brook born in Leeds?"),), {"logprobs": True})
ODD_WORDS = (
    "'; DROP TABLE factscore_answers; --",
    "{a,b}",
    "NULL",
    '"',
    "%s {table}",
    "\\",
    "Łódź 東京 🗼",
    "",
)


def test_an_answer_comes_back_whole(postgres: PostgresServer) -> None:
    tokens = (TokenChoice("True", (("True", -0.1), ("False", -math.inf))),)
    answer = Completion("True \ud800 \0 ✓", "stop", tokens, Usage(1, 10, 2, 4))
    AnswerCache(postgres.url()).keep(CALL, answer)
    found = AnswerCache(postgres.url()).find(CALL)
    assert found is not None
    assert (found, found.usage) == (answer, answer.usage)


def test_a_generation_comes_back_whole_and_one_that_lost_something_is_not_kept(
    postgres: PostgresServer,
) -> None:
    whole = report("S").generations[0].model_copy(update={"text": "Łódź \u2028 \0 東京 🗼"})
    store = RunStore(postgres.url())
    for key, one in zip("abc", (whole, *report("!", "SF").generations), strict=True):
        store.add(key, one)
    assert dict(RunStore(postgres.url())) == {"a": whole}
    assert (len(store), store.get("b")) == (1, None)


@pytest.mark.parametrize("word", ODD_WORDS)
def test_a_word_is_a_word_and_no_statement(postgres: PostgresServer, word: str) -> None:
    store = PostgresStore(postgres.url())
    store.keep(ANSWERS, {word: word, "other": "text"})
    store.keep(ANSWERS, {word: f"{word}!"})
    assert store.find(ANSWERS, [word, "missing"]) == {word: f"{word}!"}
    assert store.keys(ANSWERS) == sorted([word, "other"])


def test_more_keys_than_one_statement_takes_are_found(postgres: PostgresServer) -> None:
    store = PostgresStore(postgres.url())
    texts = {str(number): f"text {number}" for number in range(1_100)}
    store.keep(ANSWERS, texts)
    store.keep(ANSWERS, {})
    assert store.find(ANSWERS, texts) == texts


def test_a_damaged_row_is_asked_for_again(postgres: PostgresServer) -> None:
    cache = AnswerCache(postgres.url())
    cache.keep(CALL, Completion("True"))
    postgres.run("UPDATE factscore_answers SET value = '{'")
    assert cache.find(CALL) is None


def _fill(url: str, worker: int) -> bool:
    cache = AnswerCache(url)
    calls = [Call("model", (HumanMessage(f"{worker}-{number}"),), {}) for number in range(20)]
    for call in calls:
        cache.keep(call, Completion(call.messages[0].text))
    return all(cache.find(call) == Completion(call.messages[0].text) for call in calls)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_make_and_fill_one_table_together(postgres: PostgresServer, method: str) -> None:
    with multiprocessing.get_context(method).Pool(3) as pool:
        assert all(pool.starmap(_fill, [(postgres.url(), worker) for worker in range(3)]))
    assert postgres.run("SELECT count(*) FROM factscore_answers") == [(60,)]


def _keep_in_child(cache: AnswerCache) -> None:
    cache.keep(CALL, Completion("True"))
    cache.close()


def test_a_forked_process_takes_a_connection_of_its_own(postgres: PostgresServer) -> None:
    cache = AnswerCache(postgres.url())
    assert cache.find(CALL) is None
    child = multiprocessing.get_context("fork").Process(target=_keep_in_child, args=(cache,))
    child.start()
    child.join()
    assert (child.exitcode, cache.find(CALL)) == (0, Completion("True"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    write_rows(tmp_path / "rows.jsonl", [{"topic": "Ada Lovelace", "output": "Ada Lovelace wrote notes."}])
    write_rows(tmp_path / "pages.jsonl", PAGES)
    return tmp_path


def command(server: OpenAIServer, *more: str) -> list[str]:
    model = ["--llm", "openai:m", "--base-url", server.url]
    return ["score", "rows.jsonl", "--knowledge", "pages.jsonl", *model, *more]


@pytest.mark.parametrize("kept", [("--no-cache", "--store"), ("--cache",)], ids=["store", "cache"])
@pytest.mark.usefixtures("folder")
def test_what_one_machine_has_asked_no_other_asks_again(
    postgres: PostgresServer, kept: tuple[str, ...]
) -> None:
    def answer(asked: str) -> str:
        return "True" if "<statement" in asked else "- Ada Lovelace wrote notes."

    with OpenAIServer(answer) as server:
        assert main(command(server, *kept, postgres.url())) == 0
        asked = len(server.requests)
        assert main(command(server, *kept, postgres.url())) == 0
        assert (asked > 0, len(server.requests)) == (True, asked)


def _cut_all_others(server: PostgresServer) -> None:
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ 'factscore'")


def test_a_connection_that_was_cut_is_made_again_and_nothing_is_lost(
    postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    store = PostgresStore(postgres.url())
    store.keep(ANSWERS, {"a": "1"})
    _cut_all_others(postgres)
    store.keep(ANSWERS, {"b": "2"})
    _cut_all_others(postgres)
    assert store.find(ANSWERS, "ab") == {"a": "1", "b": "2"}
    assert "was lost" in caplog.text
    assert PASSWORD not in caplog.text


def test_a_server_that_is_started_again_is_waited_for(postgres: PostgresServer) -> None:
    store = RunStore(postgres.url())
    store.add("a", report("S").generations[0])
    postgres.stop()
    start = threading.Thread(target=postgres.start)
    start.start()
    try:
        store.add("b", report("S").generations[0])
    finally:
        start.join()
    assert list(store) == ["a", "b"]


def test_a_server_that_stays_away_costs_no_result_and_is_named_once(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("factscore_chain.postgres.PATIENCE_SECONDS", 0)
    store, cache = RunStore(postgres.url()), AnswerCache(postgres.url())
    postgres.stop()
    try:
        for _ in range(2):
            store.add("a", report("S").generations[0])
            cache.keep(CALL, Completion("True"))
        assert cache.find(CALL) is None
        with pytest.raises(UsageError, match="cannot be used") as raised:
            store.get("a")
    finally:
        postgres.start()
    said = "".join([caplog.text, repr(store.store), *traceback.format_exception(raised.value)])
    assert (caplog.text.count("cannot be written"), caplog.text.count("goes on without")) == (1, 1)
    assert (PASSWORD in said, quote(PASSWORD, safe="") in said) == (False, False)


@pytest.mark.parametrize("name", ["--store", "--cache"])
@pytest.mark.usefixtures("folder")
def test_a_wrong_password_is_wrong_use_and_not_repeated(
    postgres: PostgresServer, name: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with OpenAIServer(["True"]) as server, caplog.at_level(logging.DEBUG):
        assert main(command(server, name, postgres.url(password="planted-wrong"))) == 2
        assert server.requests == []
    printed = capfd.readouterr()
    assert "password authentication failed" in printed.err
    assert "planted" not in f"{printed.out}{printed.err}{caplog.text}"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:planted/word@host/db",
        "postgresql://me:plan@ted@host/db",
        "postgresql://me:plan ted@host/db",
        "postgresql://me:planted@host/db?colour=planted",
        "mysql://me:planted@host/db",
    ],
)
def test_of_a_url_that_cannot_be_read_nothing_is_repeated(url: str) -> None:
    with pytest.raises(UsageError, match="postgresql://USER@HOST") as raised:
        AnswerCache(url)
    assert not any(part in "".join(traceback.format_exception(raised.value)) for part in ("plan", "ted@"))


def test_a_database_that_cannot_hold_every_text_is_refused(postgres: PostgresServer) -> None:
    postgres.run(
        "DROP DATABASE IF EXISTS western",
        "CREATE DATABASE western ENCODING 'LATIN1' TEMPLATE template0",
    )
    with pytest.raises(UsageError, match="LATIN1"):
        RunStore(postgres.url("western"))


def test_a_user_that_may_make_no_table_uses_one_that_is_there(postgres: PostgresServer) -> None:
    RunStore(postgres.url())
    postgres.run(
        "DROP ROLE IF EXISTS worker",
        "CREATE ROLE worker LOGIN PASSWORD 'w'",
        "GRANT USAGE ON SCHEMA public TO worker",
        "GRANT SELECT, INSERT, UPDATE ON factscore_finished TO worker",
    )
    store = RunStore(postgres.url(user="worker", password="w"))
    store.add("a", report("S").generations[0])
    with pytest.raises(StorageError, match="permission denied"):
        store.store.keep(ANSWERS, {"a": "1"})
    assert list(store) == ["a"]
    postgres.run("DROP OWNED BY worker", "DROP ROLE worker")


def test_a_table_that_went_away_is_an_error_at_once(postgres: PostgresServer) -> None:
    store = PostgresStore(postgres.url())
    store.keep(ANSWERS, {"a": "1"})
    postgres.run("DROP TABLE factscore_answers")
    with pytest.raises(StorageError, match="does not exist"):
        store.find(ANSWERS, "a")


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"factscore-chain\[postgres\]"):
        RunStore("postgresql://host/database")
