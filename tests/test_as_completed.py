"""Generations handed over as soon as they are scored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.scoring_run import GENERATIONS_AT_ONCE
from tests.pages import make_source
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier
from tests.test_overlap import FIRST, LONGEST_WAIT, SECOND, TOPIC, Held
from tests.test_retries import HTTPError

THIRD = "Ada Lovelace wrote letters."
ROWS = [{"output": text, "topic": TOPIC} for text in (FIRST, SECOND, THIRD)]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeRetriever:
    return KnowledgeRetriever(source=make_source(tmp_path_factory.mktemp("source")), mode="bm25")


def local(source: KnowledgeRetriever) -> FactScoreChain:
    return FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=WordVerifier(), gamma=None)


async def test_the_first_that_is_done_comes_first_with_its_number(source: KnowledgeRetriever) -> None:
    others = asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if text == FIRST:
            await others.wait()

    found = []
    async for index, report in FactScoreChain(source, llm=Held(hold=hold)).ascore_as_completed(ROWS):
        found.append((index, report.text))
        if len(found) == len(ROWS) - 1:
            others.set()
    assert sorted(found[:2]) == [(1, SECOND), (2, THIRD)]
    assert found[2:] == [(0, FIRST)]


def test_synchronous_code_gets_the_same_reports(source: KnowledgeRetriever) -> None:
    chain = local(source)
    found = dict(chain.score_as_completed(ROWS))
    assert tuple(found[index] for index in range(len(ROWS))) == chain.score_many(ROWS).generations


def test_generations_are_taken_as_they_are_needed(source: KnowledgeRetriever) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield FIRST

    scoring = local(source).score_as_completed(endless())
    given = [next(scoring) for _ in range(3)]
    scoring.close()
    assert len({index for index, _ in given}) == len(given)
    # In work, handed over, and one on the way out.
    assert taken <= len(given) + GENERATIONS_AT_ONCE + 3


async def test_who_stops_listening_stops_the_work(source: KnowledgeRetriever) -> None:
    never = asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if text != FIRST:
            await never.wait()

    model = Held(hold=hold)
    scoring = FactScoreChain(source, llm=model).ascore_as_completed(ROWS)
    assert (await asyncio.wait_for(anext(scoring), LONGEST_WAIT))[0] == 0
    await scoring.aclose()
    before = len(model.seen)
    never.set()
    for _ in range(200):
        await asyncio.sleep(0)
    assert len(model.seen) == before


def test_a_model_that_cannot_be_used_ends_it(source: KnowledgeRetriever) -> None:
    model = ScriptedChatModel(script=lambda _: HTTPError(401))
    with pytest.raises(FatalModelError):
        dict(FactScoreChain(source, llm=model).score_as_completed(ROWS))


def test_what_is_no_generation_is_refused(source: KnowledgeRetriever) -> None:
    with pytest.raises(UsageError, match="cannot be made of int"):
        list(local(source).score_as_completed([3]))  # type: ignore[list-item]
