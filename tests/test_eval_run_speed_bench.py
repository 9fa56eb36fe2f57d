"""The benchmark of a run against the published protocol, in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscore_chain.evals.bench import resume, run_speed
from factscore_chain.evals.bench.model_server import Prefixes, StandIn
from tests.pages import PAGES, write_rows

FACTS = ["Ada Lovelace was born in London.", "Ada Lovelace wrote notes on the Analytical Engine."]
QUICK = ["--system", "Small", "--read", "0", "--write", "0", "--concurrency", "4"]
TEXT = "Ada Lovelace was born in London. She wrote notes on the Analytical Engine."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sentences = ["Ada Lovelace was born in London.", "She wrote notes on the Analytical Engine."]
    annotations = [
        {"text": text, "is-relevant": True, "human-atomic-facts": [{"text": fact, "label": "S"}]}
        for text, fact in zip(sentences, FACTS, strict=True)
    ]
    (tmp_path / "labeled").mkdir()
    write_rows(tmp_path / "pages.jsonl", PAGES)
    write_rows(
        tmp_path / "labeled/Small.jsonl",
        [{"topic": "Ada Lovelace", "output": TEXT, "input": "", "annotations": annotations}],
    )
    demonstrations = {f"Ada Brook lived in town {n}.": [f"Ada Brook lived in town {n}."] for n in range(9)}
    (tmp_path / "demons.json").write_text(json.dumps(demonstrations), encoding="utf-8")
    return tmp_path


def test_both_protocols_are_measured_on_one_server(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_speed.main(["--data", str(folder), *QUICK, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    original, ours = found["ways"][run_speed.ORIGINAL], found["ways"]["ours, 4 at once"]
    assert (original["calls"], original["facts"], original["most_in_flight"]) == (4, 2, 1)
    assert (ours["calls"], ours["facts"]) == (4, 2)
    assert 0 < ours["uncached_tokens"] < ours["prompt_tokens"]
    assert found["machine"]["versions"]["langchain-core"]


def test_a_folder_without_the_data_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_speed.main(["--data", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_what_prompts_begin_with_is_known_by_whole_blocks() -> None:
    prefixes = Prefixes()
    prefixes.keep("a" * 130)
    assert [prefixes.known("a" * length) for length in (63, 64, 130, 400)] == [0, 16, 32, 32]
    assert prefixes.known("b" + "a" * 200) == 0


def test_a_reply_tells_what_was_read_anew() -> None:
    server = StandIn({"She wrote.": ["Ada wrote."]}, read=0, write=0)
    asked = [{"role": "user", "content": "x" * 100 + "<sentence>She  wrote.</sentence>"}]
    replies = [server.answer(asked) for _ in range(2)]
    assert [reply for reply, _ in replies] == ["- Ada wrote."] * 2
    cached = [usage["prompt_tokens_details"]["cached_tokens"] for _, usage in replies]
    assert cached == [0, 32]
    assert server.counts.cached_tokens == 32


def test_a_killed_command_asks_again_for_no_more_than_was_in_flight(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--system", "Small", "--repeats", "1", "--read", "0", "--write", "0.005", "--concurrency", "2"]
    assert resume.main(["--data", str(folder), *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["calls"] == {"without": 4, "with": 4, "again": 0}
    assert 0 <= found["killed"]["asked_again"] <= 2
    assert "had been asked before" in resume.lines(found)[-1]
