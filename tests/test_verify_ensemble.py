"""Several verifiers as one: who decides, who is asked, what is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest
from pydantic import Field

from factscore_chain.errors import FatalModelError, ModelCallError, UsageError
from factscore_chain.values import AtomicFact, Claim, Decision, Passage, Verdict
from factscore_chain.verify.base import LocalVerifier, Verifier
from factscore_chain.verify.ensemble import EnsembleVerifier, combine
from factscore_chain.verify.llm import LLMVerifier
from tests.scripted import ScriptedChatModel
from tests.stages import WordVerifier

PASSAGE = Passage("p1", "she is a python expert")
S, NS, IR, U, F = Verdict


class TableVerifier(LocalVerifier):
    """Looks each fact up in a table of decisions, and remembers its batches."""

    name: str = "table"
    table: dict[str, Any]
    batches: list[list[str]] = Field(default_factory=list)

    @property
    def verifier_name(self) -> str:
        return self.name

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": self.name}

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        self.batches.append([claim.fact.text for claim in values])
        found = [self.table[claim.fact.text] for claim in values]
        if errors := [one for one in found if isinstance(one, Exception)]:
            raise errors[0]
        return [
            Decision(claim.fact, verdict, self.name, probability, passages=claim.passages, cause=cause)
            for claim, (verdict, probability, cause) in zip(values, found, strict=True)
        ]


def says(verdict: Verdict, probability: float | None = None, cause: str | None = None) -> TableVerifier:
    return TableVerifier(name=f"{verdict.value}-{cause}", table={"A fact.": (verdict, probability, cause)})


def decide(*members: Verifier) -> Decision:
    return EnsembleVerifier(members=members).invoke(Claim(AtomicFact("A fact."), (PASSAGE,)))


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ((S, S), S),
        ((S, NS), NS),
        ((U, NS), NS),
        ((F, NS), NS),
        ((S, U), U),
        ((S, F), F),
        ((U, F), F),
        ((S, IR), IR),
        ((S, U, S), U),
        ((S,), S),
    ],
)
def test_supported_only_if_all_agree_in_any_order(said: tuple[Verdict, ...], verdict: Verdict) -> None:
    for order in permutations(said):
        assert decide(*(says(one) for one in order)).verdict is verdict


def test_a_member_that_cannot_judge_such_a_fact_leaves_the_verdict_to_the_others() -> None:
    mute = says(U, cause="not applicable: it holds no content word")
    assert decide(mute, says(S, 0.8)).verdict is S
    assert decide(mute, says(S, 0.8)).probability == 0.8
    assert decide(says(NS), mute).verdict is NS
    alone = decide(mute)
    assert (alone.verdict, (alone.cause or "").split(":")[0]) == (U, "not applicable")


def test_a_rejected_fact_is_not_asked_again() -> None:
    judge = ScriptedChatModel(script=lambda asked: "True")
    decision = decide(says(NS, 0.1), LLMVerifier(model=judge))
    assert (decision.verdict, len(decision.parts), judge.prompts) == (NS, 1, [])


def test_a_high_probability_does_not_overrule_false() -> None:
    judge = ScriptedChatModel(script=["False"])
    decision = decide(says(S, 0.99), LLMVerifier(model=judge))
    assert (decision.verdict, decision.probability) == (NS, None)
    assert [part.probability for part in decision.parts] == [0.99, None]


def test_probability_is_the_least_of_the_parts() -> None:
    assert decide(says(S, 0.9), says(S, 0.7)).probability == 0.7
    assert decide(says(S, 0.9), says(S)).probability is None


def test_causes_name_their_member() -> None:
    decision = decide(says(S), says(U, cause="empty: nothing"), says(U, cause="hedged: maybe"))
    assert (
        decision.cause == "undecided-empty: nothing: empty: nothing; undecided-hedged: maybe: hedged: maybe"
    )


def claims(*texts: str) -> list[Claim]:
    return [Claim(AtomicFact(text), (PASSAGE,)) for text in texts]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_each_member_sees_what_is_left_in_one_batch(asynchronous: bool) -> None:
    first = TableVerifier(
        name="first", table={"a": (S, None, None), "b": (NS, None, None), "c": (U, None, "?")}
    )
    second = TableVerifier(name="second", table={"a": (S, None, None), "c": (NS, None, None)})
    ensemble = EnsembleVerifier(members=(first, second))
    asked = claims("a", "b", "c")
    decisions = asyncio.run(ensemble.abatch(asked)) if asynchronous else ensemble.batch(asked)
    assert [d.verdict for d in decisions] == [S, NS, NS]
    assert (first.batches, second.batches) == ([["a", "b", "c"]], [["a", "c"]])


def test_empty_batch_is_empty() -> None:
    assert EnsembleVerifier(members=(WordVerifier(),)).batch([]) == []


def test_a_member_that_fails_leaves_the_fact_failed_and_the_reason_kept() -> None:
    broken = TableVerifier(name="broken", table={"A fact.": ModelCallError("A call failed.")})
    decision = decide(says(S), broken)
    assert (decision.verdict, decision.cause) == (F, "broken: A call failed.")


async def test_a_fatal_error_ends_the_run() -> None:
    broken = TableVerifier(table={"A fact.": FatalModelError("no key")})
    with pytest.raises(FatalModelError, match="no key"):
        await EnsembleVerifier(members=(broken,)).abatch(claims("A fact."))


def test_short_facts_can_be_supported() -> None:
    judge = LLMVerifier(model=ScriptedChatModel(script=["True [1]"]))
    decision = EnsembleVerifier(members=(WordVerifier(), judge)).invoke(claims("python expert")[0])
    assert (decision.verdict, decision.evidence, decision.passages) == (S, ("p1",), (PASSAGE,))


def test_evidence_is_that_of_the_members_who_decided() -> None:
    fact = AtomicFact("A fact.")
    shown = (PASSAGE, Passage("p2", "other"))
    parts = [
        Decision(fact, S, "a", passages=shown, evidence=("p1",)),
        Decision(fact, NS, "b", passages=shown, evidence=("p2",), reason="contradicted"),
    ]
    for order in (parts, parts[::-1]):
        joined = combine(Claim(fact, shown), order, "a+b")
        assert (joined.evidence, joined.reason) == (("p2",), "contradicted")


def test_an_ensemble_of_none_is_refused() -> None:
    with pytest.raises(UsageError, match="members"):
        EnsembleVerifier(members=())


def test_identity_and_name_tell_the_members() -> None:
    ensemble = EnsembleVerifier(members=(WordVerifier(), says(S)))
    assert ensemble.identity == {"kind": "ensemble", "1.kind": "words", "2.kind": "supported-None"}
    assert ensemble.verifier_name == "words+supported-None"
