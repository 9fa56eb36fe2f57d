"""A strict run raises where others record: before the work for a topic, after it for what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.report import Report
from factscore_chain.strict import IncompleteError, UnknownTopicsError
from factscore_chain.values import Generation
from tests.openai_server import KEY, OpenAIServer, Script, Status
from tests.pages import PAGES, make_source, write_rows
from tests.scripted import ScriptedChatModel

FACTS = tuple(f"Ada Lovelace wrote note {number}." for number in range(10))
ALL = Generation("-", "Ada Lovelace", facts=FACTS)


def chain(folder: Path, script: Any) -> tuple[FactScoreChain, ScriptedChatModel]:
    model = ScriptedChatModel(script=script, max_retries=0)
    return FactScoreChain(make_source(folder), llm=model, gamma=None, strict=True), model


def only_the_first(asked: str) -> Any:
    return "True" if FACTS[0] in asked else RuntimeError("sk-secret")


def test_one_verdict_of_ten_is_an_error_that_says_so_and_keeps_the_report(tmp_path: Path) -> None:
    with pytest.raises(IncompleteError, match=r"9 of 10 facts got no verdict\. First cause: ") as caught:
        chain(tmp_path, only_the_first)[0].score(ALL)
    report = caught.value.report
    assert (report.counts.supported, report.counts.failed, report.coverage) == (1, 9, 0.1)
    assert not any(word in str(caught.value) for word in ("sk-secret", "Ada"))


@pytest.mark.parametrize("reply", ["", "Neither", "I apologize, but I cannot do that."])
def test_a_judge_that_does_not_decide_is_an_error_too(tmp_path: Path, reply: str) -> None:
    with pytest.raises(IncompleteError, match="10 of 10 facts"):
        chain(tmp_path, lambda _: reply)[0].score(ALL)


def test_a_sentence_that_was_not_broken_up_is_an_error(tmp_path: Path) -> None:
    scorer, _ = chain(tmp_path, lambda _: "I'm sorry, I can't help with that.")
    with pytest.raises(IncompleteError, match="1 sentences could not be broken into facts"):
        scorer.score("Ada Lovelace was born in London.", topic="Ada Lovelace")


async def test_where_everything_has_its_verdict_nothing_is_different(tmp_path: Path) -> None:
    scorer, _ = chain(tmp_path, lambda _: "True")
    assert scorer.score(ALL).score == (await scorer.ascore(ALL)).score == 1.0


def test_what_nobody_can_check_is_no_failure_of_the_run(tmp_path: Path) -> None:
    scorer = FactScoreChain(make_source(tmp_path), strict=True)
    report = scorer.score("Ada Lovelace was born in London. They said it would double.", "Ada Lovelace")
    assert (report.counts.undecided, report.complete) == (1, True)


def test_unknown_topics_are_all_named_with_near_titles_before_anything_is_asked(tmp_path: Path) -> None:
    scorer, model = chain(tmp_path, lambda _: "True")
    topics = ("Ada Lovelace", "Ada Lovelaec", "Mercury")
    with pytest.raises(UnknownTopicsError, match=r"2 of 3 generations .*generation 2: .*'Ada Lovelace'") as c:
        scorer.score_many([Generation("-", topic, facts=FACTS[:1]) for topic in topics])
    assert [place for place, _ in c.value.errors] == [1, 2]
    assert isinstance(c.value, KnowledgeSourceError)
    assert model.prompts == []


def test_many_unknown_topics_do_not_fill_the_screen(tmp_path: Path) -> None:
    scorer, _ = chain(tmp_path, lambda _: "True")
    with pytest.raises(UnknownTopicsError, match=r"And 95 more\.$") as caught:
        scorer.score_many([Generation("-", f"Nobody {number}") for number in range(100)])
    assert "Nobody 4'" in str(caught.value)
    assert "Nobody 5'" not in str(caught.value)


def test_generations_that_are_taken_one_by_one_are_checked_when_their_turn_comes(tmp_path: Path) -> None:
    scorer, _ = chain(tmp_path, only_the_first)
    good, bad = (Generation("-", "Ada Lovelace", facts=(fact,)) for fact in FACTS[:2])
    assert [report.score for _, report in scorer.score_as_completed([good])] == [1.0]
    with pytest.raises(IncompleteError):
        list(scorer.score_as_completed([good, bad]))
    with pytest.raises(UnknownTopicsError):
        list(scorer.score_as_completed([good, Generation("-", "Nobody")]))


def test_what_a_store_has_from_before_counts_in_a_strict_run(tmp_path: Path) -> None:
    model = ScriptedChatModel(script=lambda _: "Neither", max_retries=0)
    lenient = FactScoreChain(make_source(tmp_path), llm=model, gamma=None)
    rows = [
        Generation("-", "Ada Lovelace", facts=FACTS[:2]),
        Generation("-", "Charles Babbage", facts=("x",)),
    ]
    store = RunStore(tmp_path / "runs.db")
    score_rows(lenient, rows, journal=store)
    strict = FactScoreChain(lenient.scorer.retrieval.retriever, llm=model, gamma=None, strict=True)  # type: ignore[union-attr]
    with pytest.raises(IncompleteError, match="3 of 3 facts"):
        score_rows(strict, rows, finished=store, journal=store)


def run(folder: Path, script: Script, rows: list[dict[str, Any]]) -> tuple[int, int, Path]:
    """The command's exit code, how often the server was asked, and where the report goes."""
    given = write_rows(folder / "rows.jsonl", rows)
    pages, out = write_rows(folder / "pages.jsonl", PAGES), folder / "report.json"
    with OpenAIServer(script) as server:
        model = ["--llm", "openai:scripted", "--base-url", server.url, "--no-cache"]
        code = main(["score", str(given), "--knowledge", str(pages), "--strict", "--out", str(out), *model])
        return code, server.calls, out


def test_the_command_prints_no_score_but_keeps_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    rows = [{"output": "-", "topic": "Ada Lovelace", "facts": list(FACTS)}]
    code, _, out = run(tmp_path, lambda asked: "True" if FACTS[0] in asked else Status(400), rows)
    said = capsys.readouterr()
    assert (code, said.out) == (3, "")
    assert "Strict: 9 of 10 facts got no verdict" in said.err
    assert Report.model_validate_json(out.read_text(encoding="utf-8")).counts.failed == 9


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"output": "Ada was born.", "topic": "Ada Lovelaec"}, "Near titles: 'Ada Lovelace'"),
        ({"output": 3}, "--strict takes no bad row"),
    ],
)
def test_the_command_asks_nothing_where_a_row_is_wrong(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    row: dict[str, Any],
    words: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    good = {"output": "Ada was born in London.", "topic": "Ada Lovelace"}
    code, calls, out = run(tmp_path, ["True"], [good, row])
    assert (code, calls, out.exists()) == (2, 0, False)
    assert words in capsys.readouterr().err
