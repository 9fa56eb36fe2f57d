"""Evidence seeking in a chain: on request, in the report, and without a trace where it is off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import UsageError
from factscore_chain.report import FactRecord, Report
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Generation, Verdict
from tests.pages import write_rows
from tests.scripted import ScriptedChatModel
from tests.seeking import PAGES, TOPIC, ReasonedVerifier
from tests.stages import WordVerifier


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    folder = tmp_path_factory.mktemp("source")
    # Each line of a page is a passage of its own.
    return KnowledgeSource.build(
        write_rows(folder / "pages.jsonl", PAGES), folder / "pages.db", max_tokens=16
    )


def _facts(source: KnowledgeSource, **more: Any) -> tuple[Report, tuple[FactRecord, ...]]:
    texts = ("Ada Lovelace learned Italian.", "Ada Lovelace learned Greek.")
    chain = FactScoreChain(
        KnowledgeRetriever(source=source, mode="bm25"), verifier=ReasonedVerifier(), k=1, gamma=0, **more
    )
    report = chain.score(Generation("", TOPIC, facts=texts))
    return report, report.facts


def test_the_route_stands_in_the_report_and_reads_back(source: KnowledgeSource) -> None:
    report, (italian, greek) = _facts(source, seek=True)
    assert report.manifest.estimator == "custom+seek"
    assert report.manifest.verifier["seek"] == "2 rounds, words"
    assert greek.route
    assert report.counts.sought == 1
    assert "1 looked for again" in report.to_markdown()
    assert Report.model_validate_json(report.to_json()) == report
    assert italian.verdict is Verdict.SUPPORTED


def test_off_changes_nothing(source: KnowledgeSource, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("nothing is to be sought")

    monkeypatch.setattr("factscore_chain.seek.verifier.seeking_graph", refuse)
    (plain, _), (off, facts) = _facts(source), _facts(source, seek=False)
    assert off.counts.sought == 0
    assert off.model_copy(update={"manifest": plain.manifest}) == plain
    assert (off.manifest.estimator, [fact.route for fact in facts]) == ("custom", [(), ()])


@pytest.mark.parametrize(
    "settings",
    [
        {"estimator": "no-context", "llm": ScriptedChatModel(script=[])},
        {"knowledge": None, "verifier": WordVerifier()},
        {"estimator": "original", "llm": ScriptedChatModel(script=[])},
        {"seek": 3},
        {"seek": -1},
    ],
)
def test_seeking_needs_something_to_seek_in(source: KnowledgeSource, settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        FactScoreChain(**{"knowledge": source, "seek": True, **settings})


def test_a_chat_model_that_judges_writes_the_queries_too(source: KnowledgeSource) -> None:
    def reply(question: str) -> str:
        return "QUERY: canal" if "True or False" not in question else "False"

    chain = FactScoreChain(source, llm=ScriptedChatModel(script=reply), k=1, seek=1)
    fact = "Ada Lovelace spoke at the opening of the Suez Canal."
    report = chain.score(Generation("", TOPIC, facts=(fact,)))
    assert report.facts[0].route[0].writer == "ScriptedChatModel"
    assert report.manifest.usage["calls"] == 2


def test_the_command_seeks_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    knowledge = str(write_rows(tmp_path / "pages.jsonl", PAGES))
    text = "Ada Lovelace spoke at the opening of the Suez Canal."
    arguments = ["score", text, "--topic", TOPIC, "--knowledge", knowledge, "--format", "json", "--k", "1"]
    assert main([*arguments, "--seek", "--seek-rounds", "1"]) == 0
    report = Report.model_validate_json(capsys.readouterr().out)
    assert report.manifest.verifier["seek"] == "1 rounds, words"
    assert main(arguments) == 0
    assert "seek" not in Report.model_validate_json(capsys.readouterr().out).manifest.verifier
