"""Prompts share their beginning: what is constant first, passages in one order, like calls together."""

from __future__ import annotations

from factscore_chain.language_model import LanguageModel
from factscore_chain.values import AtomicFact, Claim, Passage
from factscore_chain.verify.llm import LLMVerifier
from factscore_chain.verify.prefix_order import call_order
from tests.scripted import ScriptedChatModel

PASSAGES = {name: Passage(name, f"Text of {name}.") for name in "abcd"}


def claim(fact: str, names: str) -> Claim:
    return Claim(AtomicFact(fact), tuple(PASSAGES[name] for name in names), "Ada Brook")


async def test_prompts_with_the_same_passages_differ_in_the_fact_alone() -> None:
    model = ScriptedChatModel(script=lambda _: "True")
    judge = LLMVerifier(model=model)
    await judge.abatch([claim("One.", "bca"), claim("Two.", "acb")])
    first, second = (prompt[-1].text.split("<statement>") for prompt in model.prompts)
    assert first[0] == second[0]
    assert "Text of c." in first[0]
    assert first[1] != second[1]


async def test_calls_with_the_same_passages_follow_one_another() -> None:
    model = ScriptedChatModel(script=lambda _: "True")
    judge = LLMVerifier(model=LanguageModel(model, concurrency=1))
    claims = [claim("One.", "ab"), claim("Two.", "cd"), claim("Three.", "ba"), claim("Four.", "dc")]
    decisions = await judge.abatch(claims)
    sent = [prompt[-1].text.split("<statement>\n")[1].split("\n")[0] for prompt in model.prompts]
    assert sent == ["One.", "Three.", "Two.", "Four."]
    assert [one.fact.text for one in decisions] == ["One.", "Two.", "Three.", "Four."]


def test_the_order_of_calls_is_the_same_however_the_claims_come() -> None:
    claims = [claim("One.", "cd"), claim("Two.", "ab"), claim("Three.", "ac")]
    assert call_order(claims) == [1, 2, 0]
    assert call_order(claims[::-1]) == [1, 0, 2]


def test_a_cited_number_means_the_passage_that_was_shown_there() -> None:
    judge = LLMVerifier(model=ScriptedChatModel(script=["True [1]"]))
    decision = judge.invoke(claim("One.", "cab"))
    assert decision.evidence == ("a",)
    assert [passage.id for passage in decision.passages] == ["c", "a", "b"]


def test_what_does_not_fit_is_chosen_by_rank_not_by_the_order_shown() -> None:
    long = [Passage(name, f"{name} says one thing more. " * 300) for name in "zy"]
    model = ScriptedChatModel(script=["True"])
    decision = LLMVerifier(model=model, max_passage_tokens=2500).invoke(
        Claim(AtomicFact("One."), tuple(long))
    )
    assert [passage.id for passage in decision.passages] == ["z"]
