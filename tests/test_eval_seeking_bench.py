"""The measure of evidence seeking: what changed for the better and the worse, and what it cost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from factscore_chain.evals.bench.seeking import compare, main
from factscore_chain.evals.split import is_held_out
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.openai_server import KEY, OpenAIServer
from tests.pages import write_rows
from tests.seeking import PAGES, TOPIC, ReasonedVerifier, claim


@pytest.fixture
def source(tmp_path: Path) -> KnowledgeSource:
    rows = write_rows(tmp_path / "pages.jsonl", PAGES)
    return KnowledgeSource.build(rows, tmp_path / "pages.db", max_tokens=16)


def test_verdicts_put_right_and_made_wrong_are_counted_apart(source: KnowledgeSource) -> None:
    claims = [
        claim("Ada Lovelace learned Italian.", source),  # found at the second look; people say so too
        claim("Ada Lovelace learned Italian early.", source),  # found as well; people say otherwise
        claim("Ada Lovelace learned Greek.", source),  # never found
        claim("Ada Lovelace kept 0 notebooks about sums.", source),  # found at once
    ]
    retrieval = Retrieval(retriever=KnowledgeRetriever(source=source, mode="bm25"), k=2)
    people = np.array([True, False, True, True])
    found = compare(claims, people, ReasonedVerifier(), retrieval, rounds=1)
    assert (found.facts, found.sought, found.right, found.wrong) == (4, 3, 1, 1)
    assert found.accuracy == (0.5, 0.5)
    assert found.looks == sum(found.looks_at.values()) == 3
    assert found.looks_at == {"own page": 3}
    assert found.model_calls == (0, 0)


def labelled(folder: Path) -> Path:
    """One fact about one topic, as FActScore's data have it."""
    write_rows(folder / "pages.jsonl", PAGES)
    labels = [{"text": "Ada Lovelace learned Italian.", "label": "S"}]
    row = {"topic": TOPIC, "output": "", "annotations": [{"text": "", "human-atomic-facts": labels}]}
    (folder / "labeled").mkdir()
    write_rows(folder / "labeled" / "ChatGPT.jsonl", [row])
    return folder


def test_the_command_measures_one_share_of_the_topics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(labelled(tmp_path))
    its, other = ("held-out", "train") if is_held_out(TOPIC) else ("train", "held-out")
    assert main(["--data", data, "--topics", its]) == 0
    assert capsys.readouterr().out.startswith("ChatGPT: 1 facts")
    assert main(["--data", data, "--topics", other]) == 2
    assert "no labelled fact" in capsys.readouterr().err


def test_a_missing_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 2
    assert "pages.jsonl" in capsys.readouterr().err


def test_a_chat_model_s_answers_are_kept_for_the_next_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    data = ["--data", str(labelled(tmp_path)), "--answers", str(tmp_path / "answers.db"), "--llm", "openai:m"]
    with OpenAIServer(["False"]) as server:
        arguments = [*data, "--base-url", server.url, "--k", "1", "--json"]
        assert main(arguments) == 0
        calls = server.calls
        assert main(arguments) == 0
        assert server.calls == calls == 1
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["model_calls"] == second["model_calls"]
