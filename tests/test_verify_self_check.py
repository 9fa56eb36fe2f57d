"""Self-check: the subject model's own samples, one verdict each, the majority decides."""

from __future__ import annotations

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.published_names import parse_model_name
from factscore_chain.values import AtomicFact, Claim, Verdict
from factscore_chain.verify.self_check import SelfCheckVerifier, sampling
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer


class Varied(ScriptedChatModel):
    temperature: float = 0.0


def verifier(*verdicts: str, samples: int = 3) -> SelfCheckVerifier:
    subject = ScriptedChatModel(script=[f"Sample {number}." for number in range(samples)])
    judge = ScriptedChatModel(script=list(verdicts))
    return SelfCheckVerifier(model=judge, subject=subject, samples=samples)


def claim(text: str = "Ada wrote notes.", topic: str | None = "Ada") -> Claim:
    return Claim(AtomicFact(text), topic=topic)


@pytest.mark.parametrize(
    ("verdicts", "verdict", "probability"),
    [
        (("True", "True", "False"), Verdict.SUPPORTED, 2 / 3),
        (("True", "False", "False"), Verdict.NOT_SUPPORTED, 1 / 3),
        (("False", "False", "False"), Verdict.NOT_SUPPORTED, 0.0),
    ],
)
def test_the_majority_of_samples_decides(
    verdicts: tuple[str, ...], verdict: Verdict, probability: float
) -> None:
    decision = verifier(*verdicts).invoke(claim())
    assert decision.verdict is verdict
    assert decision.probability == pytest.approx(probability)
    assert [part.verdict for part in decision.parts].count(Verdict.SUPPORTED) == verdicts.count("True")


def test_half_is_no_majority() -> None:
    assert verifier("True", "False", samples=2).invoke(claim()).verdict is Verdict.NOT_SUPPORTED


def test_no_verdict_at_all_is_undecided() -> None:
    decision = verifier(*["Perhaps."] * 6).invoke(claim())
    assert (decision.verdict, decision.probability) == (Verdict.UNDECIDED, None)


def test_samples_are_drawn_once_for_a_topic() -> None:
    made = verifier(*["True"] * 6)
    decisions = made.batch([claim("Ada wrote notes."), claim("Ada was a mathematician.")])
    assert [decision.verdict for decision in decisions] == [Verdict.SUPPORTED] * 2
    assert made.subject.usage.calls == 3
    assert made.model.usage.calls == 6


def test_a_failing_subject_costs_the_facts_not_the_run() -> None:
    subject = ScriptedChatModel(script=[TimeoutError("slow")] * 3)
    made = SelfCheckVerifier(model=ScriptedChatModel(script=[]), subject=subject, samples=3)
    assert made.invoke(claim()).verdict is Verdict.FAILED


def test_without_a_topic_it_does_not_apply() -> None:
    decision = verifier().invoke(claim(topic=None))
    assert decision.verdict is Verdict.UNDECIDED
    assert "topic" in (decision.cause or "")


def test_the_subject_varies_where_it_has_a_temperature() -> None:
    model = LanguageModel(Varied(script=[]))
    assert sampling(model).model.temperature == 1.0  # type: ignore[attr-defined]
    assert model.model.temperature == 0.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["self-check+ChatGPT", "ChatGPT+Self-check"])
def test_the_papers_name_is_known(name: str) -> None:
    read = parse_model_name(name)
    assert (read.name, read.self_check, read.retrieval) == ("self-check+ChatGPT", True, False)


def test_the_estimator_needs_no_knowledge_but_a_model() -> None:
    model = ScriptedChatModel(script=lambda question: "True")
    chain = FactScoreChain(llm=model, estimator="self-check", decomposer=SentenceDecomposer())
    assert chain.score("Ada wrote notes.", topic="Ada").init_score == 1.0
    with pytest.raises(UsageError, match="asks a model"):
        FactScoreChain(estimator="self-check")
