"""What stages made is kept at once, and found again only where it would be made the same."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.storage import RUNS, open_store
from factscore_chain.values import Claim, Decision, Decomposition, Generation
from tests.pages import make_source
from tests.stages import SentenceDecomposer, WordVerifier
from tests.test_overlap import FIRST, LONGEST_WAIT, SECOND, TOPIC, Held

FALSE = "Ada Lovelace was born in Paris."
ROW = Generation(f"{FIRST} {FALSE}", TOPIC)


class Counted(SentenceDecomposer):
    """Says what it was asked."""

    seen: list[str]

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        self.seen.append(value.text)
        return await super()._process(value, config)


class CountedWords(WordVerifier):
    """The same of a verifier, which has a setting."""

    seen: list[str]
    setting: str = "one"

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "words", "setting": self.setting}

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        self.seen.extend(one.fact.text for one in values)
        return super()._compute(values)


class CountedRetriever(KnowledgeRetriever):
    """The same of a retriever."""

    seen: list[str] = []  # noqa: RUF012  pydantic copies it

    def rank_many(
        self, queries: Sequence[str], topic: str | None = None, k: int | None = None
    ) -> list[list[Document]]:
        self.seen.extend(queries)
        return super().rank_many(queries, topic, k)


class Fixed(BaseRetriever):
    """Finds one passage, whatever is asked."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [Document(FALSE, id="p")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def retriever(tmp_path: Path) -> CountedRetriever:
    return CountedRetriever(source=make_source(tmp_path), mode="bm25")


def chain(
    retriever: KnowledgeRetriever, place: object, asked: list[list[str]], **settings: str
) -> FactScoreChain:
    judge = CountedWords(seen=[], **settings)
    maker = Counted(seen=[])
    made: Any = place
    asked[:] = [maker.seen, judge.seen]
    return FactScoreChain(retriever, decomposer=maker, verifier=judge, gamma=None, store=made)


def test_a_second_run_makes_nothing_again_and_reports_the_same(
    retriever: CountedRetriever, path: Path
) -> None:
    asked: list[list[str]] = []
    first = chain(retriever, path, asked).invoke(ROW)
    assert asked == [[ROW.text], [FIRST, FALSE]]
    searched = list(retriever.seen)
    second = chain(retriever, path, asked).invoke(ROW)
    assert (asked, retriever.seen) == ([[], []], searched)
    assert second.generations == first.generations


def test_what_another_setting_would_make_is_made_anew(retriever: CountedRetriever, path: Path) -> None:
    asked: list[list[str]] = []
    chain(retriever, path, asked).invoke(ROW)
    chain(retriever, path, asked, setting="two").invoke(ROW)
    assert asked == [[], [FIRST, FALSE]]


def test_other_passages_are_judged_anew(retriever: CountedRetriever, path: Path) -> None:
    asked: list[list[str]] = []
    chain(retriever, path, asked).invoke(ROW)
    verifier = CountedWords(seen=[])
    report = FactScoreChain(
        Fixed(), decomposer=SentenceDecomposer(), verifier=verifier, gamma=None, store=path
    ).invoke(ROW)
    assert verifier.seen == [FIRST, FALSE]
    assert [fact.verdict.value for fact in report.generations[0].facts] == ["not_supported", "supported"]


def test_what_failed_is_tried_again(retriever: CountedRetriever, path: Path) -> None:
    text = f"{FIRST} Ada Lovelace is one to BREAK."
    asked: list[list[str]] = []
    for _ in range(2):
        report = chain(retriever, path, asked).score(text, TOPIC)
        assert report.counts.failed == 2
        assert asked[1] == [FIRST, "Ada Lovelace is one to BREAK."]


@pytest.mark.parametrize("stage", ["decomposed", "retrieved", "decided"])
def test_a_damaged_row_is_made_anew(retriever: CountedRetriever, path: Path, stage: str) -> None:
    asked: list[list[str]] = []
    first = chain(retriever, path, asked).invoke(ROW)
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {stage} SET value = substr(value, 1, 9)")
    connection.close()
    assert chain(retriever, path, asked).invoke(ROW).generations == first.generations


async def test_answers_that_had_come_when_a_run_ended_are_not_asked_for_again(
    retriever: CountedRetriever, path: Path
) -> None:
    stuck, never = asyncio.Event(), asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if (kind, text) == ("verdict", SECOND):
            stuck.set()
            await never.wait()

    async def at_once(kind: str, text: str) -> None:
        return None

    held = Held(hold=hold, number=1)
    broken_off = asyncio.create_task(
        FactScoreChain(retriever, llm=held, store=path).ascore(f"{FIRST} {SECOND}", TOPIC)
    )
    await asyncio.wait_for(stuck.wait(), LONGEST_WAIT)
    kept = open_store(path, RUNS)
    while len(kept.keys("answers")) < 3:  # noqa: ASYNC110  a file tells nobody
        await asyncio.sleep(0.01)
    broken_off.cancel()
    again = Held(hold=at_once, number=1)
    report = await FactScoreChain(retriever, llm=again, store=path).ascore(f"{FIRST} {SECOND}", TOPIC)
    assert again.seen == [("verdict", SECOND)]
    assert report.counts.supported == 2


def test_finished_generations_and_stages_share_a_file(retriever: CountedRetriever, path: Path) -> None:
    asked: list[list[str]] = []
    runs = RunStore(path)
    scored = score_rows(chain(retriever, runs.store, asked), [ROW], finished=runs, journal=runs)
    assert len(runs) == 1
    again = score_rows(chain(retriever, RunStore(path).store, asked), [ROW], finished=RunStore(path))
    assert (asked, again.generations) == ([[], []], scored.generations)


def test_an_estimate_of_the_cost_keeps_nothing(retriever: CountedRetriever, path: Path) -> None:
    asked: list[list[str]] = []
    chain(retriever, path, asked).estimate_cost([ROW])
    assert open_store(path, RUNS).keys("decided") == []


def test_a_store_that_is_none_is_named_before_the_work(retriever: CountedRetriever, path: Path) -> None:
    path.write_bytes(b"This is no database at all. " * 100)
    with pytest.raises(UsageError, match=r"runs\.db.*cannot be used"):
        chain(retriever, path, [])


def test_a_store_that_breaks_costs_no_result(
    retriever: CountedRetriever, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[list[str]] = []
    made = chain(retriever, path, asked)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE decided")
        connection.execute("CREATE VIEW decided AS SELECT 1 AS one")
    connection.close()
    assert made.invoke(ROW).counts.supported == 1
    assert caplog.text.count("cannot be used any more") == 1
