"""The cascade: what the first verifier is sure of is not asked about, and the record says so."""

from __future__ import annotations

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.cascade import CascadeVerifier
from factscore_chain.verify.llm import LLMVerifier
from tests.scripted import ScriptedChatModel
from tests.stages import GivenVerifier

PASSAGES = (Passage("p1", "Ada Brook was born in Leeds."),)


def claim(fact: str) -> Claim:
    return Claim(AtomicFact(fact), PASSAGES)


def cascade(
    reply: str | Exception = "True", low: float = 0.1, high: float = 0.9
) -> tuple[CascadeVerifier, ScriptedChatModel]:
    """One whose first member gives as probability the number that stands in the fact."""
    model = ScriptedChatModel(script=lambda _: reply)
    judge = LLMVerifier(model=LanguageModel(model))
    return CascadeVerifier(first=GivenVerifier(), then=judge, low=low, high=high), model


@pytest.mark.parametrize(
    ("probability", "verdict"),
    [("0.95", Verdict.SUPPORTED), ("0.9", Verdict.SUPPORTED), ("0.1", Verdict.NOT_SUPPORTED)],
)
def test_what_the_first_is_sure_of_is_not_asked_about(probability: str, verdict: Verdict) -> None:
    judge, model = cascade()
    decision = judge.invoke(claim(probability))
    assert (decision.verdict, decision.probability) == (verdict, float(probability))
    assert [part.verifier for part in decision.parts] == ["given"]
    assert (decision.reason is None) is (verdict is Verdict.SUPPORTED)
    assert model.prompts == []


@pytest.mark.parametrize("fact", ["0.11", "0.5", "0.89", "none"])
def test_the_rest_is_decided_by_the_llm(fact: str) -> None:
    judge, model = cascade("False")
    decision = judge.invoke(claim(fact))
    assert (decision.verdict, decision.raw) == (Verdict.NOT_SUPPORTED, "False")
    assert [part.verifier for part in decision.parts] == ["given", "llm:ScriptedChatModel"]
    assert len(model.prompts) == 1


def test_many_facts_are_asked_about_together_and_keep_their_order() -> None:
    judge, model = cascade("True")
    decisions = judge.batch([claim(fact) for fact in ("0.05", "0.5", "0.99", "0.6")])
    assert [one.fact.text for one in decisions] == ["0.05", "0.5", "0.99", "0.6"]
    assert [len(one.parts) for one in decisions] == [1, 2, 1, 2]
    assert len(model.prompts) == 2


def test_a_fact_that_the_llm_cannot_be_asked_about_has_failed_and_is_not_guessed() -> None:
    judge, _ = cascade(ConnectionError())
    settled, asked = judge.batch([claim("0.95"), claim("0.85")])
    assert (settled.verdict, asked.verdict) == (Verdict.SUPPORTED, Verdict.FAILED)
    assert "failed" in (asked.cause or "")


def test_limits_that_meet_ask_about_nothing_and_wide_ones_about_everything() -> None:
    judge, model = cascade(low=0.5, high=0.5)
    judge.batch([claim("0.5"), claim("0.4"), claim("0.6")])
    assert model.prompts == []
    judge, model = cascade(low=0, high=1)
    judge.batch([claim("0.01"), claim("0.99")])
    assert len(model.prompts) == 2


def test_limits_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(UsageError, match=r"low is 0\.9 and high is 0\.1"):
        cascade(low=0.9, high=0.1)


def test_the_manifest_names_limits_and_both_verifiers() -> None:
    identity = cascade()[0].identity
    assert (identity["low"], identity["high"]) == ("0.1", "0.9")
    assert (identity["first.kind"], identity["then.kind"]) == ("given", "llm")


def test_the_estimator_of_this_name_needs_a_model() -> None:
    with pytest.raises(UsageError, match="cascade"):
        FactScoreChain("examples/knowledge.jsonl", estimator="cascade")
