"""Facts that decide the outcome are asked again, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.globals import set_llm_cache

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.gate import Criteria, Rows, confirm, run_gate
from factscore_chain.gate.confirm import decisive_facts
from factscore_chain.report import Report
from factscore_chain.values import Generation, Verdict
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.ensemble import EnsembleVerifier
from tests.gates import report, run
from tests.pages import make_source
from tests.scripted import Reply, ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier


@pytest.mark.parametrize(
    ("letters", "criteria", "places"),
    [
        # Fails by one verdict of the second generation.
        (["SSSS", "SSNN"], Criteria(min_mean=0.8), [(1, 2), (1, 3)]),
        # Fails by more than one generation can mend.
        (["SSNN", "NNNN", "NNNN", "NNNN"], Criteria(min_mean=0.9), []),
        # Passes by so much that three wrong verdicts would not matter.
        (["S" * 20, "S" * 20], Criteria(min_mean=0.5), []),
        # Passes just so: each supported fact matters.
        (["SSSN"], Criteria(min_mean=0.75), [(0, 0), (0, 1), (0, 2)]),
        # Only the generation that is near its bar can turn the pass rate.
        (["SSSSN", "SSSNN", "NNNNN"], Criteria(threshold=0.8, min_pass_rate=0.6), [(1, 3), (1, 4)]),
        # Undecided and irrelevant facts may turn out supported too.
        (["SUI"], Criteria(min_mean=0.9), [(0, 1), (0, 2)]),
        (["-", "!", ""], Criteria(min_mean=0.9), []),
    ],
)
def test_decisive_facts_are_those_that_would_turn_the_gate(
    letters: list[str], criteria: Criteria, places: list[tuple[int, int]]
) -> None:
    assert decisive_facts(report(*letters), criteria) == places


def test_a_comparison_can_hang_on_a_fact_too() -> None:
    criteria = Criteria(baseline=run("SSSS", "SSSS"), tolerance=0.1)
    assert decisive_facts(report("SSSS", "SSSN"), criteria) == [(1, 3)]


def chain(folder: Path, script: Sequence[Reply]) -> tuple[FactScoreChain, ScriptedChatModel]:
    model = ScriptedChatModel(script=script)
    return FactScoreChain(make_source(folder), llm=model, gamma=None), model


def gate(chain: FactScoreChain, *facts: str, confirmations: int = 2) -> Report:
    rows = Rows((Generation(" ".join(facts), "Ada Lovelace", facts=facts),))
    return run_gate(chain, rows, Criteria(min_mean=0.9), confirmations=confirmations)


@pytest.mark.parametrize(
    ("replies", "verdict", "agreement", "result"),
    [
        (["False", "True", "True"], Verdict.SUPPORTED, 0.0, "passed"),
        (["False", "True", "False"], Verdict.NOT_SUPPORTED, 0.5, "failed"),
        (["False", "False", "False"], Verdict.NOT_SUPPORTED, 1.0, "failed"),
        (["True", "False", "False"], Verdict.NOT_SUPPORTED, 0.0, "failed"),
        (["True", "True", "False"], Verdict.SUPPORTED, 0.5, "passed"),
        # The first repeat reads as no verdict, and the verifier itself asks once more.
        (["False", "Perhaps", "True", "Perhaps"], Verdict.NOT_SUPPORTED, 0.5, "failed"),
    ],
)
def test_the_majority_stands(
    tmp_path: Path, replies: list[str], verdict: Verdict, agreement: float, result: str
) -> None:
    made, model = chain(tmp_path, replies)
    found = gate(made, "Ada Lovelace wrote notes.")
    assert found.facts[0].verdict is verdict
    assert (len(found.facts[0].answers), len(model.prompts)) == (3, len(replies))
    assert found.gate is not None
    assert found.gate.repeats is not None
    assert (found.gate.result, found.gate.repeats.agreement) == (result, agreement)


def test_a_repeat_that_fails_is_no_answer(tmp_path: Path) -> None:
    made, _ = chain(tmp_path, ["False", RuntimeError("down"), RuntimeError("down")])
    found = gate(made, "Ada Lovelace wrote notes.")
    assert found.facts[0].answers == (Verdict.NOT_SUPPORTED,)
    assert found.gate is not None
    assert found.gate.repeats is not None
    assert (found.gate.repeats.answers, found.gate.repeats.agreement) == (0, None)


def test_what_a_changed_verdict_makes_decisive_is_asked_too(tmp_path: Path) -> None:
    # Five facts miss the bar of four: none of them alone would do, but three together are within reach.
    made, model = chain(tmp_path, ["True"] * 2 + ["False"] * 2 + ["True"] * 50)
    found = gate(made, *(f"Ada Lovelace wrote letter {n}." for n in range(4)))
    assert found.gate is not None
    assert found.gate.passed
    # Both unsupported facts twice; then the gate passes by the supported ones, which are asked in their turn.
    assert found.gate.repeats is not None
    assert (found.gate.repeats.facts, found.gate.repeats.changed) == (4, 2)
    assert len(model.prompts) == 4 + 4 * 2


def test_repeats_are_in_the_usage(tmp_path: Path) -> None:
    made, _ = chain(tmp_path, ["False", "True", "True"])
    usage = gate(made, "Ada Lovelace wrote notes.").manifest.usage
    assert (usage["calls"], usage["input_tokens"], usage["output_tokens"]) == (3, 30, 6)


def test_repeats_read_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langchain_core.globals._llm_cache", None)
    set_llm_cache(InMemoryCache())
    made, model = chain(tmp_path, ["False", "True", "True"])
    assert gate(made, "Ada Lovelace wrote notes.").score == 1.0
    assert len(model.prompts) == 3


def test_a_sure_outcome_asks_nothing_again(tmp_path: Path) -> None:
    made, model = chain(tmp_path, ["False"] * 8)
    rows = Rows(tuple(Generation(f"Ada wrote {n}.", None, facts=(f"Ada wrote {n}.",)) for n in range(8)))
    found = run_gate(made, rows, Criteria(min_mean=0.9), confirmations=3)
    assert found.gate is not None
    assert found.gate.repeats is None
    assert len(model.prompts) == 8


def test_no_answer_confirms_nothing(tmp_path: Path) -> None:
    made, _ = chain(tmp_path, [])
    with pytest.raises(UsageError, match="0 answers"):
        confirm(report("SN"), made.scorer.verifier, Criteria(min_mean=0.5), 0)


@pytest.mark.parametrize("verifier", [WordVerifier(), EnsembleVerifier(members=(WordVerifier(),))])
def test_a_verifier_that_computes_is_not_asked_to_repeat_itself(tmp_path: Path, verifier: Verifier) -> None:
    made = FactScoreChain(make_source(tmp_path), decomposer=SentenceDecomposer(), verifier=verifier)
    with pytest.raises(UsageError, match="would only repeat"):
        run_gate(made, Rows((Generation("KEY"),)), Criteria(min_mean=0.5), confirmations=2)


def test_what_was_confirmed_is_not_asked_again(tmp_path: Path) -> None:
    made, model = chain(tmp_path, ["False", "True", "True"])
    once = gate(made, "Ada Lovelace wrote notes.")
    again = confirm(once, made.scorer.verifier, Criteria(min_mean=0.9), 2)
    assert again.facts == once.facts
    assert len(model.prompts) == 3


def test_a_significant_loss_can_hang_on_one_generation() -> None:
    before, after = run(*["S" * 8] * 6), report(*["SSSSSNNN"] * 6)
    criteria = Criteria(baseline=before, significance=0.05)
    # Six losses of six give p = 2/64; five of six would not be significant.
    assert decisive_facts(after, criteria) == [(place, fact) for place in range(6) for fact in (5, 6, 7)]
