"""Evidence seeking: when it looks again, where, what it may cost, and what it must never do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.retrievers import BaseRetriever

from factscore_chain.errors import FatalModelError, ModelCallError, UsageError
from factscore_chain.retrieve import Retrieval
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.seek.verifier import SeekingVerifier
from factscore_chain.seek.writers import ModelWriter
from factscore_chain.values import AtomicFact, Claim, Decision, Passage, Verdict
from factscore_chain.verify.llm import LLMVerifier
from tests.pages import write_rows
from tests.scripted import Script, ScriptedChatModel, scripted_reply
from tests.seeking import FILLER, PAGES, TOPIC, ReasonedVerifier, claim, seeker
from tests.stages import WordVerifier


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    folder = tmp_path_factory.mktemp("source")
    # Each line of a page is a passage of its own.
    return KnowledgeSource.build(
        write_rows(folder / "pages.jsonl", PAGES), folder / "pages.db", max_tokens=16
    )


def scripted(script: Script, **more: Any) -> ScriptedChatModel:
    return ScriptedChatModel(script=script, **more)


def test_a_fact_without_evidence_is_looked_for_on_the_rest_of_its_page(source: KnowledgeSource) -> None:
    decision = seeker(source).invoke(claim("Ada Lovelace learned Italian.", source))
    assert decision.verdict is Verdict.SUPPORTED
    (look,) = decision.route
    assert (look.title, look.writer, look.verdict) == (TOPIC, "words", Verdict.SUPPORTED)
    assert "Italian" in look.query
    assert set(look.added) <= {passage.id for passage in decision.passages}
    assert set(decision.evidence) <= set(look.added)


def test_a_page_that_the_fact_names_is_followed(source: KnowledgeSource) -> None:
    fact = "Ada Lovelace wrote notes on the Analytical Engine."
    decision = seeker(source, k=5).invoke(claim(fact, source, found=5))
    assert decision.verdict is Verdict.SUPPORTED
    assert [look.title for look in decision.route] == ["Analytical Engine"]
    (found,) = [passage for passage in decision.passages if passage.id in decision.evidence]
    assert (found.title, found.text) == (
        "Analytical Engine",
        "Ada Lovelace wrote notes on the Analytical Engine.",
    )
    assert "sought" in found.origins


def test_what_another_page_says_of_somebody_else_is_no_evidence(source: KnowledgeSource) -> None:
    fact = "Ada Lovelace was born in Durham."
    decision = seeker(source, k=5).invoke(claim(fact, source, found=5))
    assert decision.verdict is Verdict.NOT_SUPPORTED
    assert all("Durham" not in passage.text for passage in decision.passages)


@pytest.mark.parametrize(
    "fact",
    [
        "Ada Lovelace kept 0 notebooks about sums.",  # supported at the first look
        "Ada Lovelace learned Italian in Paris.",  # contradicted
    ],
)
def test_a_fact_that_is_settled_is_not_sought(source: KnowledgeSource, fact: str) -> None:
    made = claim(fact, source)
    assert seeker(source).invoke(made) == ReasonedVerifier().invoke(made)


def test_an_undecided_fact_is_sought(source: KnowledgeSource) -> None:
    decision = seeker(source).invoke(claim("Perhaps Ada Lovelace learned Italian.", source))
    assert decision.verdict is Verdict.UNDECIDED
    assert 1 <= len(decision.route) <= 2


@pytest.mark.parametrize("fact", ["She learned Italian.", "Charles learned Greek."])
def test_a_fact_that_does_not_name_its_subject_stays_on_its_page(source: KnowledgeSource, fact: str) -> None:
    decision = seeker(source, k=5).invoke(claim(fact, source, found=4))
    assert {look.title for look in decision.route} <= {TOPIC}


def test_a_name_that_several_bear_is_looked_for_on_its_own_page_alone(source: KnowledgeSource) -> None:
    made = claim("Mercury is a metal.", source, topic="Mercury (planet)")
    decision = seeker(source).invoke(made)
    assert (decision.verdict, decision.route) == (Verdict.NOT_SUPPORTED, ())


def test_without_a_topic_the_page_is_sought_that_the_fact_opens_with(source: KnowledgeSource) -> None:
    decision = seeker(source).invoke(claim("Ada Lovelace learned Italian.", source, topic=None))
    assert (decision.verdict, decision.route[0].title) == (Verdict.SUPPORTED, TOPIC)


@pytest.mark.parametrize("text", ["", "...", "it is so", "He learned Italian."])
def test_a_fact_without_a_subject_is_left_alone(source: KnowledgeSource, text: str) -> None:
    assert seeker(source).invoke(claim(text, source, topic=None)).route == ()


@pytest.mark.parametrize("rounds", [1, 2])
def test_looks_are_bounded(source: KnowledgeSource, rounds: int) -> None:
    model = scripted(lambda text: f"QUERY: other words {len(text)} {id(text)}")
    writer = ModelWriter(model=model)
    decision = seeker(source, writer=writer, rounds=rounds).invoke(
        claim("Ada Lovelace learned Greek.", source)
    )
    assert len(decision.route) == rounds
    assert len(model.prompts) == rounds


@pytest.mark.parametrize("rounds", [0, 3, True])
def test_more_than_two_rounds_are_refused(source: KnowledgeSource, rounds: int) -> None:
    if rounds is True:
        assert seeker(source, rounds=1).rounds == 1
        return
    with pytest.raises(UsageError, match="rounds"):
        seeker(source, rounds=rounds)


def test_the_same_query_is_not_asked_twice(source: KnowledgeSource) -> None:
    model = scripted(lambda text: "QUERY: nothing of the kind")
    decision = seeker(source, k=5, writer=ModelWriter(model=model)).invoke(
        claim("Ada Lovelace learned Greek.", source, found=5)
    )
    assert [look.query for look in decision.route] == ["nothing of the kind"]


def test_a_model_is_shown_the_fact_and_what_was_asked(source: KnowledgeSource) -> None:
    model = scripted(["QUERY: Greek lessons", "QUERY: classical languages"])
    seeker(source, writer=ModelWriter(model=model)).invoke(claim("Ada Lovelace learned Greek.", source))
    first, second = (prompt[-1].text for prompt in model.prompts)
    assert "Ada Lovelace learned Greek." in first
    assert FILLER[0] in first
    assert "Greek lessons" not in first
    assert "Greek lessons" in second


def test_a_model_may_name_a_page(source: KnowledgeSource) -> None:
    model = scripted(["PAGE: analytical_engine"])
    fact = "Ada Lovelace wrote notes."
    decision = seeker(source, writer=ModelWriter(model=model)).invoke(claim(fact, source))
    assert (decision.verdict, decision.route[0].title) == (Verdict.SUPPORTED, "Analytical Engine")


@pytest.mark.parametrize("page", ["Mercury (element)", "Nowhere", "Byron Hall"])
def test_a_page_that_a_model_names_gives_no_evidence_of_others(source: KnowledgeSource, page: str) -> None:
    model = scripted(lambda text: f"PAGE: {page}")
    decision = seeker(source, writer=ModelWriter(model=model)).invoke(
        claim("Ada Lovelace was born in Durham.", source)
    )
    assert decision.verdict is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize(
    "reply",
    ["", ModelCallError("A call to 'm' failed."), scripted_reply("QUERY: cut", finish_reason="length")],
)
def test_the_words_are_taken_where_a_model_writes_no_query(
    source: KnowledgeSource, reply: str | AIMessage | Exception
) -> None:
    model = scripted([reply])
    decision = seeker(source, writer=ModelWriter(model=model)).invoke(
        claim("Ada Lovelace learned Italian.", source)
    )
    assert (decision.verdict, decision.route[0].writer) == (Verdict.SUPPORTED, "words")


def test_a_model_that_cannot_be_used_stops_the_run(source: KnowledgeSource) -> None:
    model = scripted([FatalModelError("The model 'm' cannot be used: the key was refused.")])
    with pytest.raises(FatalModelError):
        seeker(source, writer=ModelWriter(model=model)).invoke(claim("Ada Lovelace learned Greek.", source))


def test_a_second_verdict_that_fails_leaves_the_first(source: KnowledgeSource) -> None:
    class BreaksLater(ReasonedVerifier):
        def _compute(self, values: Sequence[Claim]) -> list[Decision]:
            if any(len(one.passages) > 2 for one in values):
                raise ModelCallError("A call to 'm' failed.")
            return super()._compute(values)

    decision = seeker(source, verifier=BreaksLater(), rounds=1).invoke(
        claim("Ada Lovelace learned Italian.", source)
    )
    assert (decision.verdict, decision.reason) == (Verdict.NOT_SUPPORTED, "no_evidence")
    assert decision.route[0].verdict is Verdict.FAILED


def test_facts_of_one_batch_keep_their_order(source: KnowledgeSource) -> None:
    facts = [
        "Ada Lovelace learned Italian.",
        "Ada Lovelace kept 0 notebooks about sums.",
        "Ada Lovelace learned Greek.",
    ]
    decisions = seeker(source).batch([claim(fact, source) for fact in facts])
    assert [one.fact.text for one in decisions] == facts
    assert [bool(one.route) for one in decisions] == [True, False, True]
    assert seeker(source).batch([]) == []


async def test_a_search_that_is_cancelled_asks_no_further(source: KnowledgeSource) -> None:
    model = scripted(lambda text: "QUERY: Greek", delay=30)
    stage = seeker(source, writer=ModelWriter(model=model))
    task = asyncio.create_task(stage.ainvoke(claim("Ada Lovelace learned Greek.", source)))
    while model.most_in_flight == 0:  # noqa: ASYNC110  the model cannot say that it is being asked
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (model.most_in_flight, model.prompts) == (1, [])


def test_why_a_model_says_false_is_told_by_the_embedded_verifier(source: KnowledgeSource) -> None:
    asked: list[Claim] = []

    class Teller(ReasonedVerifier):
        def _compute(self, values: Sequence[Claim]) -> list[Decision]:
            asked.extend(values)
            return super()._compute(values)

    stage = seeker(source, verifier=WordVerifier(), why=Teller())
    open_, closed = stage.batch(
        [claim("Ada Lovelace learned Italian.", source), claim("Ada Lovelace saw Paris.", source)]
    )
    assert (open_.verdict, closed.route) == (Verdict.SUPPORTED, ())
    assert {one.fact.text for one in asked} == {"Ada Lovelace learned Italian.", "Ada Lovelace saw Paris."}


@pytest.mark.parametrize(
    ("fact", "verdict", "asked"),
    [
        ("Ada Lovelace learned Italian early.", Verdict.SUPPORTED, 2),
        ("Ada Lovelace opened a canal.", Verdict.NOT_SUPPORTED, 1),
    ],
)
def test_a_model_that_gives_no_reasons_is_only_shown_what_speaks_of_the_fact(
    source: KnowledgeSource, fact: str, verdict: Verdict, asked: int
) -> None:
    model = scripted(["False", "True"])  # True as soon as it is shown more, whatever that is
    stage = seeker(source, verifier=LLMVerifier(model=model), rounds=1)
    decision = stage.invoke(claim(fact, source))
    assert (decision.verdict, len(model.prompts)) == (verdict, asked)
    assert decision.route[0].added
    assert set(decision.route[0].added) <= {passage.id for passage in decision.passages}


def test_a_foreign_retriever_is_asked_again_with_the_subject() -> None:
    asked: list[str] = []

    class Foreign(BaseRetriever):
        def _get_relevant_documents(self, query: str, **kwargs: Any) -> list[Document]:
            asked.append(query)
            return [Document("Ada Lovelace learned Italian."), Document("Byron learned Greek.")]

    stage = SeekingVerifier(verifier=ReasonedVerifier(), retrieval=Retrieval(retriever=Foreign()))
    first = Passage("p", "Ada Lovelace wrote.")
    italian, greek = stage.batch(
        [Claim(AtomicFact(f"Ada Lovelace learned {what}."), (first,), TOPIC) for what in ("Italian", "Greek")]
    )
    assert (italian.verdict, greek.verdict) == (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED)
    assert all(TOPIC in query for query in asked)
