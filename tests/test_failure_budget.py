"""How much a run may lose before it stops, and what it keeps then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever

from factscore_chain.chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.report import Report
from factscore_chain.values import Generation
from tests.openai_server import KEY, OpenAIServer, Status
from tests.pages import PAGES, make_source, write_rows
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier

FACTS = tuple(f"Ada Lovelace wrote note {number}." for number in range(20))


def by_number(asked: str) -> Any:
    """Answers about the first five facts, and fails on the others."""
    return "True" if any(fact in asked for fact in FACTS[:5]) else RuntimeError("broken")


def scored(folder: Path, script: Any, *, most: int | None, one_by_one: bool) -> tuple[Report, int]:
    """The report, and the calls that were made for it."""
    model = ScriptedChatModel(script=script)
    chain = FactScoreChain(
        make_source(folder), llm=LanguageModel(model, concurrency=1), max_failures=most, gamma=None
    )
    groups = [(fact,) for fact in FACTS] if one_by_one else [FACTS]
    return chain.score_many([Generation("-", "Ada Lovelace", facts=g) for g in groups]), len(model.prompts)


@pytest.mark.parametrize("one_by_one", [True, False])
def test_a_run_stops_after_so_many_failures_and_keeps_what_it_has(tmp_path: Path, one_by_one: bool) -> None:
    report, calls = scored(tmp_path, by_number, most=3, one_by_one=one_by_one)
    assert (calls - report.counts.supported, report.complete) == (3, False)
    # Generations are in work together, so of those that would succeed some may not have been asked about.
    assert report.counts.supported in (range(6) if one_by_one else (5,))
    said = [*(one.error or "" for one in report.generations), *(fact.cause or "" for fact in report.facts)]
    assert any("max_failures is 3" in text for text in said)


def test_without_a_bound_everything_is_tried(tmp_path: Path) -> None:
    report, calls = scored(tmp_path, by_number, most=None, one_by_one=False)
    assert (calls, report.counts.failed) == (20, 15)


def test_fewer_failures_than_the_bound_stop_nothing(tmp_path: Path) -> None:
    assert scored(tmp_path, by_number, most=16, one_by_one=True)[1] == 20


def test_each_run_begins_with_a_budget_of_its_own(tmp_path: Path) -> None:
    model = ScriptedChatModel(script=[RuntimeError("x"), RuntimeError("x"), "True"])
    chain = FactScoreChain(make_source(tmp_path), llm=model, max_failures=2)
    rows = [Generation("-", "Ada Lovelace", facts=(fact,)) for fact in FACTS[:3]]
    counts = [chain.score(row).counts for row in rows]
    assert [(one.failed, one.supported) for one in counts] == [(1, 0), (1, 0), (0, 1)]


class _Broken(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Any]:
        raise ConnectionError("gone")


def test_generations_that_fail_without_a_model_count_too() -> None:
    chain = FactScoreChain(
        _Broken(), decomposer=SentenceDecomposer(), verifier=WordVerifier(), max_failures=2
    )
    report = chain.score_many([f"Ada wrote note {number}." for number in range(20)])
    tried = [one for one in report.generations if "Not tried" not in (one.error or "")]
    assert 2 <= len(tried) < 8


def test_a_bound_of_none_at_all_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="max_failures"):
        scored(tmp_path, by_number, most=0, one_by_one=True)


def test_the_command_ends_incomplete_with_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    rows = write_rows(
        tmp_path / "rows.jsonl",
        [{"output": f, "topic": "Ada Lovelace", "facts": [f]} for f in FACTS],
    )
    pages, out = write_rows(tmp_path / "pages.jsonl", PAGES), tmp_path / "report.json"

    def reply(asked: str) -> Any:
        return "True" if any(fact in asked for fact in FACTS[:5]) else Status(400)

    with OpenAIServer(reply) as server:
        model = ["--llm", "openai:scripted", "--base-url", server.url, "--no-cache", "--max-failures", "3"]
        code = main(["score", str(rows), "--knowledge", str(pages), "--out", str(out), *model])
    assert (code, server.calls < len(FACTS)) == (3, True)
    assert Report.model_validate_json(out.read_text(encoding="utf-8")).counts.supported == 5
    assert "max_failures is 3" in capsys.readouterr().err
