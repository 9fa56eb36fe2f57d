"""Ways to ask about the same facts, from labelled files through a real client to the figures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.evals.bench.asking import main
from factscore_chain.evals.split import is_held_out
from tests.number_facts import NUMBERS, write_data
from tests.openai_server import KEY, Answer, OpenAIServer, Status

STATEMENT = re.compile(r"<statement[^>]*>\s*(\d+) (\S+) (\S+)")


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    data = write_data(tmp_path)
    return ["--data", str(data), "--answers", str(tmp_path / "answers.jsonl"), "--llm", "openai:m", "--json"]


def right(number: str, verb: str, word: str) -> str:
    """What is true of a number by its parity; of other statements it says True."""
    return str(verb != "is" or (word == "even.") is (int(number) % 2 == 0))


def careless_in_groups(asked: str) -> Answer:
    """Right about a fact alone; in a group it says True to all but the last, of which it says nothing."""
    found = STATEMENT.findall(asked)
    if len(found) == 1:
        return Answer(right(*found[0]))
    return Answer("\n".join(f"{place}: True" for place in range(1, len(found))))


def test_what_a_group_gets_wrong_is_lost_against_asking_alone(arguments: list[str], capsys: Any) -> None:
    with OpenAIServer(careless_in_groups) as server:
        assert main([*arguments, "--base-url", server.url, "--no-structured", "--facts-per-call", "4"]) == 0
    report = json.loads(capsys.readouterr().out)
    figures, topics = report["figures"], report["topics"]
    assert (report["facts"], topics) == (4 * topics, sum(is_held_out(f"{n} (number)") for n in NUMBERS))
    assert figures["alone|f1_not_supported"] == pytest.approx(2 / 3)
    assert figures["4 in a call|f1_not_supported"] == 0
    assert figures["4 in a call|same_as_alone"] == 0.75
    assert server.calls == 4 * topics + 2 * topics


def test_what_calls_take_is_told_by_fact(arguments: list[str], capsys: Any) -> None:
    with OpenAIServer(careless_in_groups) as server:
        assert main([*arguments, "--base-url", server.url, "--no-structured", "--facts-per-call", "4"]) == 0
    costs = json.loads(capsys.readouterr().out)["costs"]
    assert (costs["alone"]["calls"], costs["4 in a call"]["calls"]) == (1, 0.5)
    assert costs["4 in a call"]["input_tokens"] < costs["alone"]["input_tokens"]


def test_answers_as_data_are_asked_by_schema(arguments: list[str], capsys: Any) -> None:
    def as_data(asked: str) -> Answer:
        return Answer(json.dumps({"verdict": right(*STATEMENT.findall(asked)[0]), "passage": None}))

    with OpenAIServer(as_data) as server:
        assert main([*arguments, "--base-url", server.url, "--facts-per-call"]) == 0
    report = json.loads(capsys.readouterr().out)
    asked = [
        request.body["response_format"]["type"]
        for request in server.requests
        if "response_format" in request.body
    ]
    assert asked == ["json_schema"] * report["facts"]
    assert report["figures"]["as data|f1_not_supported"] == pytest.approx(2 / 3)


def test_a_second_run_asks_nothing(arguments: list[str], capsys: Any) -> None:
    with OpenAIServer(careless_in_groups) as server:
        assert main([*arguments, "--base-url", server.url, "--no-structured"]) == 0
        calls = server.calls
        assert main([*arguments[:-1], "--base-url", server.url, "--no-structured"]) == 0
        assert server.calls == calls
    assert re.search(r"^4 in a call +0\.0", capsys.readouterr().out, re.MULTILINE)


def test_with_failed_answers_nothing_is_compared(arguments: list[str], capsys: Any) -> None:
    with OpenAIServer([Status(400, "no")]) as server:
        assert main([*arguments, "--base-url", server.url, "--facts", "4"]) == 2
    captured = capsys.readouterr()
    assert "answers failed, so nothing is compared" in captured.err
    assert captured.out == ""
