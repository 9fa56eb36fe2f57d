"""Protocols at one model, from labelled files through a real client to the figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evals.bench.same_model import main
from factscore_chain.evals.excerpts import excerpts
from factscore_chain.evals.recorded import Recorder
from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.votes import read_votes
from factscore_chain.values import AtomicFact, Claim, Passage
from factscore_chain.verify.llm import LLMVerifier
from tests.number_facts import NUMBERS, write_data
from tests.openai_server import KEY, Answer, OpenAIServer, Status
from tests.scripted import ScriptedChatModel

UNSURE = [{"True": -0.6, "False": -0.8}]
SURE = {True: [{"True": -0.1, "False": -3.0}], False: [{"False": -0.1, "True": -3.0}]}


def knows_parity(asked: str) -> Answer:
    """True to all by the published prompt; by ours it tells even from odd, and is unsure of the rest."""
    if asked.startswith("Use the context"):
        return Answer("True")
    number, parity, word = asked.split("<statement>")[1].split()[:3]
    if parity != "is":
        return Answer("True", logprobs=UNSURE)
    right = (word == "even.") is (int(number) % 2 == 0)
    return Answer(str(right), logprobs=SURE[right])


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    data = write_data(tmp_path)
    return ["--data", str(data), "--answers", str(tmp_path / "answers.jsonl"), "--llm", "openai:m", "--json"]


def test_both_protocols_are_measured_on_held_out_topics(
    arguments: list[str], tmp_path: Path, capsys: Any
) -> None:
    votes = tmp_path / "votes.jsonl"
    with OpenAIServer(knows_parity) as server:
        assert main([*arguments, "--base-url", server.url, "--votes", str(votes)]) == 0
    report = json.loads(capsys.readouterr().out)
    held_out = sum(is_held_out(f"{number} (number)") for number in NUMBERS)
    assert (report["facts"], report["topics"]) == (4 * held_out, held_out)
    assert report["facts_in_training"] == min(104, 4 * (len(NUMBERS) - held_out))
    figures = report["figures"]
    assert (figures["original|f1_not_supported"], figures["original|error_rate"]) == (0, 50)
    assert figures["retrieval+llm|f1_not_supported"] == pytest.approx(2 / 3)
    assert figures["retrieval+llm less original"] == pytest.approx(200 / 3)
    assert figures["joint|auc"] >= figures["retrieval+llm|auc"]
    assert server.calls == report["facts_in_training"] + 2 * report["facts"]
    assert report["costs"]["original"]["calls"] == 4
    assert sum(vote.held_out for vote in read_votes(votes)) == report["facts"]


def test_what_was_answered_is_not_asked_again(arguments: list[str], capsys: Any) -> None:
    with OpenAIServer(knows_parity) as server:
        assert main([*arguments, "--base-url", server.url]) == 0
        first = capsys.readouterr().out
        answers = Path(arguments[3])
        kept = answers.read_text(encoding="utf-8").splitlines(keepends=True)
        answers.write_text("".join(kept[:-1]) + kept[-1][:20], encoding="utf-8")
        calls = server.calls
        assert main([*arguments, "--base-url", server.url]) == 0
        assert server.calls == calls + 1
    again = json.loads(capsys.readouterr().out)
    assert again["figures"] == json.loads(first)["figures"]
    assert len(answers.read_text(encoding="utf-8").splitlines()) == len(kept)


def test_with_failed_answers_nothing_is_compared(arguments: list[str], capsys: Any) -> None:
    with OpenAIServer([Status(400, "no")]) as server:
        assert main([*arguments, "--base-url", server.url, "--facts", "8", "--training-facts", "4"]) == 2
    captured = capsys.readouterr()
    assert "20 of 20 answers failed" in captured.err
    assert captured.out == ""


def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"note": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"Line 1 of .*notes.jsonl' is no recorded answer"):
        Recorder(path)
    assert path.read_text(encoding="utf-8") == '{"note": 1}\n'


def test_a_failed_call_is_not_kept(tmp_path: Path) -> None:
    claim = Claim(AtomicFact("12 is even."), (Passage("p", "The number 12 is even."),))
    judge = LLMVerifier(model=ScriptedChatModel(script=[RuntimeError("down"), "True"]))
    path = tmp_path / "answers.jsonl"
    assert Recorder(path).ask(judge, claim).verdict == "failed"
    assert Recorder(path).ask(judge, claim).verdict == "supported"
    assert (Recorder(path).ask(judge, claim).raw, len(path.read_text().splitlines())) == ("True", 1)


def test_facts_of_one_topic_get_the_same_few_sentences_in_their_order() -> None:
    text = "The Danube flows through Vienna. Its waters are brown. It ends in the Black Sea. It is long."
    passages = (Passage("p", text, "Danube"), Passage("q", "Pelicans live there.", "Danube"))
    facts = ("The Danube ends in the Black Sea.", "The Danube flows through Vienna.")
    cut = excerpts([Claim(AtomicFact(fact), passages, "Danube") for fact in facts], sentences=1)
    assert cut[0].passages == cut[1].passages
    (passage,) = cut[0].passages
    assert passage.text == "The Danube flows through Vienna. It ends in the Black Sea."
    assert (passage.id, passage.title) == ("p", "Danube")


def test_a_fact_without_words_or_passages_gets_no_sentences() -> None:
    claims = [Claim(AtomicFact("..."), (Passage("p", "It is."),), "A"), Claim(AtomicFact("It is."), (), "B")]
    assert [one.passages for one in excerpts(claims, sentences=2)] == [(), ()]
