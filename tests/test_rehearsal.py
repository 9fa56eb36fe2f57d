"""What a run would take, without asking: calls, tokens, dollars, and what is cached already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.language_model import LanguageModel
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.documents import reader
from tests.pages import make_source
from tests.scripted import ScriptedChatModel, scripted_reply
from tests.stages import SentenceDecomposer, WordVerifier
from tests.test_spending import TABLE, TEXT, Small

ROWS = [{"output": TEXT, "topic": "Ada Lovelace"}]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


def answering(question: str) -> Any:
    """Lists a sentence as one fact and finds all facts true, with usage at four characters a token."""
    reply = reader().script(question)
    return scripted_reply(reply, input_tokens=len(question) // 4, output_tokens=len(reply) // 4)


def chain(source: KnowledgeSource, **options: Any) -> tuple[FactScoreChain, ScriptedChatModel]:
    model = Small(script=answering, number=0)
    return FactScoreChain(source, **{"llm": model, "prices": TABLE, **options}), model


def test_an_estimate_asks_no_model_and_counts_both_steps(source: KnowledgeSource) -> None:
    made, model = chain(source)
    estimate = made.estimate_cost(ROWS)
    assert model.prompts == []
    assert (estimate.generations, estimate.usage.calls) == (1, 3 + estimate.facts)
    assert estimate.usage.input_tokens > 100 * estimate.usage.calls
    assert estimate.dollars is not None
    assert estimate.dollars > 0


def test_an_estimate_is_near_what_the_run_takes(source: KnowledgeSource) -> None:
    made, _ = chain(source, decomposer=SentenceDecomposer())
    estimate = made.estimate_cost(ROWS)
    used = made.score_many(ROWS).manifest.usage
    assert (estimate.facts, estimate.usage.calls) == (3, used["calls"])


def test_what_is_cached_costs_nothing(source: KnowledgeSource, tmp_path: Path) -> None:
    made, _ = chain(source, cache=tmp_path / "answers.db")
    before = made.estimate_cost(ROWS)
    assert made.estimate_cost(ROWS) == before  # nothing of an estimate is kept
    used = made.score_many(ROWS).manifest.usage
    after = chain(source, cache=tmp_path / "answers.db")[0].estimate_cost(ROWS)
    assert (after.usage.calls, after.usage.cached_answers, after.dollars) == (0, used["calls"], 0)
    assert "costs nothing" in after.lines()[-1]


def test_a_call_that_comes_twice_is_counted_once_where_answers_are_kept(
    source: KnowledgeSource, tmp_path: Path
) -> None:
    with_cache = chain(source, cache=tmp_path / "answers.db", decomposer=SentenceDecomposer())[0]
    without = chain(source, decomposer=SentenceDecomposer())[0]
    usages = [made.estimate_cost(ROWS * 2).usage for made in (with_cache, without)]
    assert [(usage.calls, usage.cached_answers) for usage in usages] == [(3, 3), (6, 0)]


def test_an_unknown_price_says_so(source: KnowledgeSource) -> None:
    estimate = FactScoreChain(source, llm=reader(), prices=TABLE).estimate_cost(TEXT)
    assert estimate.dollars is None
    assert estimate.lines()[-1] == ("price not known: ScriptedChatModel is not in the table of 2026-01-31")


def test_what_could_not_be_scored_is_said(source: KnowledgeSource) -> None:
    estimate = chain(source)[0].estimate_cost([{"output": TEXT, "topic": "Nobody"}, *ROWS])
    assert estimate.facts > 0
    assert "cannot be scored: No document is titled 'Nobody'" in estimate.lines()[1]


def test_without_a_model_there_is_nothing_to_pay(source: KnowledgeSource) -> None:
    made = FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=WordVerifier())
    estimate = made.estimate_cost(ROWS)
    assert (estimate.usage.calls, estimate.dollars, estimate.facts) == (0, 0, 3)


def test_facts_that_a_local_verifier_settles_are_not_counted(source: KnowledgeSource) -> None:
    both, _ = chain(source, estimator="retrieval+llm+np", decomposer=SentenceDecomposer())
    text = f"{TEXT} She sailed to Mars with Nikola Tesla."
    estimate = both.estimate_cost([{"output": text, "topic": "Ada Lovelace"}])
    assert estimate.facts == 4
    assert estimate.usage.calls < 4


def test_samples_are_counted_each_with_its_verdicts(source: KnowledgeSource) -> None:
    made, _ = chain(source, estimator="self-check", decomposer=SentenceDecomposer())
    assert made.estimate_cost(ROWS).usage.calls == 5 + 3 * 5


def test_the_account_of_the_users_model_is_untouched(source: KnowledgeSource) -> None:
    model = LanguageModel(Small(script=answering))
    FactScoreChain(source, llm=model, prices=TABLE).estimate_cost(ROWS)
    assert model.usage.calls == 0


def test_the_command_prints_an_estimate_and_scores_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = reader()
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name, **options: model)
    arguments = ["score", "Alan Turing was born in London.", "--topic", "Alan Turing"]
    arguments += ["--knowledge", "examples/knowledge.jsonl"]
    out = tmp_path / "report.json"
    code = main([*arguments, "--llm", "openai:some", "--no-cache", "--estimate-cost", "--out", str(out)])
    printed = capsys.readouterr().out
    assert (code, model.prompts, out.exists()) == (0, [], False)
    assert "generations: 1" in printed
    assert "price not known" in printed
