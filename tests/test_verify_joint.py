"""The joint verifier: two log odds added, and what happens where one of them is missing."""

from __future__ import annotations

import math
from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.calibration import (
    Calibration,
    Weights,
    log_odds,
    read_calibration,
    shipped_calibration,
    sigmoid,
)
from factscore_chain.verify.cascade import CascadeVerifier
from factscore_chain.verify.ensemble import EnsembleVerifier
from factscore_chain.verify.joint import JointVerifier
from factscore_chain.verify.judging import Judging
from factscore_chain.verify.llm import LLMVerifier
from tests.scripted import ScriptedChatModel, ScriptedLogprobModel, scripted_reply
from tests.stages import GivenVerifier

PASSAGES = (Passage("p1", "Ada Brook was born in Leeds."), Passage("p2", "She painted."))
CALIBRATION = Calibration(
    model="ScriptedLogprobModel",
    prompt="verify@2",
    embedded="v",
    facts=50,
    topics=9,
    alone=Weights(llm=0.5, offset=-1.0, threshold=0.6),
    joint=Weights(llm=0.5, embedded=1.0, offset=-1.0, threshold=0.6),
    joint_words=Weights(llm=1.0, embedded=2.0, offset=0.0, threshold=0.5),
)


def reply(probability: float) -> Any:
    """A reply with this probability of True."""
    word = "True" if probability >= 0.5 else "False"
    logs = {"True": math.log(probability), "False": math.log(1 - probability)}
    return scripted_reply(word, tokens=[{word: logs.pop(word), **logs}])


def judge(answer: Any) -> LLMVerifier:
    return LLMVerifier(model=LanguageModel(ScriptedLogprobModel(script=lambda _: answer)))


def joint(answer: Any) -> JointVerifier:
    return JointVerifier(llm=judge(answer), embedded=GivenVerifier(), calibration=CALIBRATION)


def with_calibration(verifier: Verifier) -> Verifier:
    return Judging(CALIBRATION).applied(verifier)


def claim(fact: str, passages: tuple[Passage, ...] = PASSAGES) -> Claim:
    return Claim(AtomicFact(fact), passages)


@pytest.mark.parametrize(("llm", "own"), [(0.9, 0.2), (0.3, 0.95), (0.8, 0.8), (0.1, 0.1)])
def test_the_log_odds_of_both_are_added(llm: float, own: float) -> None:
    decision = joint(reply(llm)).invoke(claim(f"{own}"))
    expected = sigmoid(0.5 * log_odds(llm) + log_odds(own) - 1.0)
    assert decision.probability == pytest.approx(expected, abs=1e-6)
    assert decision.verdict is (Verdict.SUPPORTED if expected >= 0.6 else Verdict.NOT_SUPPORTED)
    assert [part.verifier for part in decision.parts] == ["given", "llm:ScriptedLogprobModel"]


@pytest.mark.parametrize(("word", "sign"), [("True", 1), ("False", -1)])
def test_without_log_probabilities_the_bare_word_counts(word: str, sign: int) -> None:
    decision = joint(word).invoke(claim("0.4"))
    assert decision.probability == pytest.approx(sigmoid(sign + 2 * log_odds(0.4)))


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [("Hard to say.", Verdict.UNDECIDED), (ConnectionError(), Verdict.FAILED)],
)
def test_where_the_llm_says_nothing_one_judge_is_not_taken_for_two(answer: Any, verdict: Verdict) -> None:
    decision = joint(answer).invoke(claim("0.99"))
    assert (decision.verdict, decision.probability) == (verdict, None)
    assert decision.cause


def test_a_fact_that_the_embedded_verifier_cannot_judge_stays_so() -> None:
    assert joint(reply(0.9)).invoke(claim("none")).verdict is Verdict.UNDECIDED


def test_a_fact_without_passages_is_not_supported() -> None:
    decision = joint(reply(0.9)).invoke(claim("0.0", ()))
    assert (decision.verdict, decision.reason) == (Verdict.NOT_SUPPORTED, "no_evidence")


def test_both_are_asked_about_many_facts_in_one_batch() -> None:
    decisions = joint(reply(0.9)).batch([claim("0.1"), claim("0.9")])
    assert [one.verdict for one in decisions] == [Verdict.NOT_SUPPORTED, Verdict.SUPPORTED]
    assert decisions[1].evidence == ("p1", "p2")


def test_a_calibrated_judge_gives_the_fitted_probability_and_keeps_its_own_word_without_one() -> None:
    calibrated = with_calibration(judge(reply(0.9)))
    decision = calibrated.invoke(claim("One."))
    assert decision.probability == pytest.approx(sigmoid(0.5 * log_odds(0.9) - 1.0), abs=1e-6)
    assert decision.verdict is Verdict.NOT_SUPPORTED
    assert with_calibration(judge("True")).invoke(claim("One.")).verdict is Verdict.SUPPORTED
    assert calibrated.identity["threshold"] == "0.6"
    assert "50 facts" in calibrated.identity["calibration"]


def test_a_calibration_reaches_the_parts_that_take_one_and_no_other() -> None:
    cascade = CascadeVerifier(first=GivenVerifier(), then=judge("True"))
    ensemble = with_calibration(EnsembleVerifier(members=(GivenVerifier(), cascade)))
    assert ensemble.identity["2.then.threshold"] == "0.6"
    inner = with_calibration(joint("True")).identity
    assert inner["llm.calibration"] == "none"


def test_a_calibration_of_another_model_is_refused() -> None:
    other = LLMVerifier(model=ScriptedChatModel(script=["True"]))
    with pytest.raises(UsageError, match=r"'ScriptedLogprobModel', and 'ScriptedChatModel' is asked"):
        with_calibration(other)


def test_a_calibration_that_nothing_takes_is_refused() -> None:
    with pytest.raises(UsageError, match="calibration does nothing for the verifier 'given'"):
        with_calibration(GivenVerifier())


@pytest.mark.parametrize("content", ["", "{}", '{"model": "m", "joint_words": {"llm": NaN}}'])
def test_a_file_that_is_no_calibration_is_named(tmp_path: Any, content: str) -> None:
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(UsageError, match=r"c\.json' is no calibration"):
        read_calibration(tmp_path / "c.json")
    with pytest.raises(UsageError, match="is no calibration"):
        read_calibration(tmp_path / "missing.json")


def test_the_shipped_calibration_says_what_it_was_fitted_on() -> None:
    shipped = shipped_calibration()
    assert shipped.facts >= 40
    assert shipped.joint is not None
    assert shipped.joint.embedded > 0
    assert shipped.model
