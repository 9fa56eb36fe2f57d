"""Facts are verified while others are still being found, and the report is the same as without."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from pydantic import Field

from factscore_chain.chain import FactScoreChain
from factscore_chain.report import GenerationReport
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.verify.llm import LLMVerifier
from tests.pages import make_source, write_rows
from tests.scripted import ScriptedChatModel

TOPIC = "Ada Lovelace"
FIRST, SECOND = "Ada Lovelace was born in London.", "Ada Lovelace wrote notes."
LONGEST_WAIT = 60
"""Seconds after which a test that waits for what does not come has failed."""


def asked_for(question: str) -> tuple[str, str]:
    """What a prompt asks: "facts" of a sentence or the "verdict" on a statement, and its text."""
    if re.search(r"true or false", question, re.IGNORECASE):
        return "verdict", re.findall(r"<statement>\n?(.*?)\n?</statement>", question, re.DOTALL)[-1].strip()
    return "facts", re.findall(r"<sentence>\n?(.*?)\n?</sentence>", question, re.DOTALL)[-1].strip()


class Held(ScriptedChatModel):
    """Waits before it answers as `hold` says, which is told what is asked."""

    script: Any = Field(default=None)
    facts: dict[str, list[str]] = Field(default_factory=dict)
    """Of sentences that are not a fact themselves."""
    hold: Callable[[str, str], Awaitable[object]]
    seen: list[tuple[str, str]] = Field(default_factory=list)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        kind, text = asked_for(messages[-1].text)
        self.seen.append((kind, text))
        await asyncio.wait_for(self.hold(kind, text), LONGEST_WAIT)
        return await super()._agenerate(messages, stop, None, **kwargs)

    def model_post_init(self, context: Any, /) -> None:
        """Answers by what is asked."""
        super().model_post_init(context)
        # A bound method would show all of the model wherever the model is shown.
        self.script = lambda question: self._answer(question)

    def _answer(self, question: str) -> str:
        kind, text = asked_for(question)
        if kind == "verdict":
            return "False" if "Paris" in text else "True"
        return "\n".join(f"- {fact}" for fact in self.facts.get(text, [text])) or "NONE"


class AllAtOnce(LLMVerifier):
    """Wants to see all facts of a generation together, so that nothing overlaps."""

    @property
    def needs_all(self) -> bool:
        """It does."""
        return True


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeRetriever:
    return KnowledgeRetriever(source=make_source(tmp_path_factory.mktemp("source")), mode="bm25")


@pytest.mark.parametrize("slow", [FIRST, SECOND])
async def test_a_fact_is_verified_while_another_sentence_is_still_broken_up(
    source: KnowledgeRetriever, slow: str
) -> None:
    verified = asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if kind == "verdict":
            verified.set()
        elif text == slow:
            await verified.wait()

    model = Held(hold=hold)
    report = await FactScoreChain(source, llm=model, gamma=None).ascore(f"{FIRST} {SECOND}", TOPIC)
    assert [fact.text for fact in report.generations[0].facts] == [FIRST, SECOND]


async def test_a_generation_is_verified_while_another_is_still_broken_up(source: KnowledgeRetriever) -> None:
    verified = asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if kind == "verdict":
            verified.set()
        elif text == FIRST:
            await verified.wait()

    rows = [{"output": text, "topic": TOPIC} for text in (FIRST, SECOND)]
    report = await FactScoreChain(source, llm=Held(hold=hold), gamma=None).ascore_many(rows)
    assert [one.text for one in report.generations] == [FIRST, SECOND]


SAME = "In London, Ada Lovelace was born."


@pytest.mark.parametrize("late", [FIRST, SAME])
async def test_of_facts_that_say_the_same_the_first_counts_and_is_asked_about_once(
    source: KnowledgeRetriever, late: str
) -> None:
    others = asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if (kind, text) == ("facts", late):
            await others.wait()
        elif (kind, text) == ("verdict", SECOND):
            others.set()

    model = Held(hold=hold)
    report = await FactScoreChain(source, llm=model, gamma=None).ascore(f"{FIRST} {SAME} {SECOND}", TOPIC)
    assert [fact.text for fact in report.generations[0].facts] == [FIRST, SECOND]
    assert sorted(text for kind, text in model.seen if kind == "verdict") == [FIRST, SECOND]
    assert len(report.generations[0].facts[0].also) == 1


async def test_a_repetition_that_could_not_be_foreseen_is_decided_in_the_words_that_count(
    source: KnowledgeRetriever,
) -> None:
    opening, told, early = (
        "Ada Lovelace had sons, 2 or two.",
        "The notes came from her pen.",
        "Her pen it was.",
    )
    facts = {opening: [], told: ["Ada Lovelace had two sons."], early: ["Ada Lovelace had 2 sons."]}
    verified = asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if kind == "verdict":
            verified.set()
        elif text == told:
            await verified.wait()

    model = Held(hold=hold, facts=facts)
    text = f"{opening} {told} {early}"
    report = await FactScoreChain(source, llm=model, gamma=None).ascore(text, TOPIC)
    assert [fact.text for fact in report.generations[0].facts] == facts[told]


TEXTS = (
    f"{FIRST} {SECOND} Ada Lovelace was born in Paris. She was a Countess. {SAME}",
    "Ada Lovelace wrote notes on the Analytical Engine in 1815. They were long. Ada Lovelace wrote notes.",
    "# Life\n\n- Born in 1815\n- Wrote notes\n\nAda Lovelace wrote notes, it is said. Nobody knew.",
)


async def scored(source: KnowledgeRetriever, text: str, number: int, overlapping: bool) -> GenerationReport:
    order = random.Random(number)

    async def hold(kind: str, text: str) -> None:
        for _ in range(order.randrange(12) if overlapping else 0):
            await asyncio.sleep(0)

    model = Held(hold=hold, number=1)
    kind = LLMVerifier if overlapping else AllAtOnce
    chain = FactScoreChain(source, llm=model, verifier=kind(model=model), gamma=None)
    return (await chain.ascore(text, TOPIC)).generations[0]


@pytest.mark.parametrize("text", TEXTS, ids=["repeated", "pronouns", "layout"])
async def test_the_report_is_the_same_in_whatever_order_answers_come(
    source: KnowledgeRetriever, text: str
) -> None:
    together = await scored(source, text, 0, overlapping=False)
    for number in range(8):
        assert await scored(source, text, number, overlapping=True) == together


async def test_no_call_begins_after_a_run_was_cancelled(source: KnowledgeRetriever) -> None:
    reached, never = asyncio.Event(), asyncio.Event()

    async def hold(kind: str, text: str) -> None:
        if kind == "verdict":
            reached.set()
            await never.wait()

    model = Held(hold=hold)
    rows = [{"output": f"{FIRST} Ada Lovelace wrote note {n}.", "topic": TOPIC} for n in range(20)]
    run = asyncio.create_task(FactScoreChain(source, llm=model, gamma=None).ascore_many(rows))
    await asyncio.wait_for(reached.wait(), LONGEST_WAIT)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    before = len(model.seen)
    never.set()
    for _ in range(200):
        await asyncio.sleep(0)
    assert len(model.seen) == before


async def test_facts_that_share_a_call_are_still_asked_about_together(tmp_path: Path) -> None:
    pages = write_rows(tmp_path / "one.jsonl", [{"title": TOPIC, "text": f"{FIRST} {SECOND}"}])
    source = KnowledgeSource.build(pages, tmp_path / "one.db")
    model = ScriptedChatModel(
        script=lambda question: (
            "1: True\n2: True" if "statement-2" in question else f"- {asked_for(question)[1]}"
        )
    )
    chain = FactScoreChain(source, llm=model, gamma=None, facts_per_call=5)
    report = await chain.ascore(f"{FIRST} {SECOND}", TOPIC)
    assert (report.counts.supported, len(model.prompts)) == (2, 3)
