"""Dollars: what calls cost, a budget that is kept, and what a report says of both."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from factscore_chain.answer_cache import AnswerCache
from factscore_chain.chain import FactScoreChain
from factscore_chain.completion import Completion, Usage
from factscore_chain.errors import BudgetError, ModelCallError, UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.render import summary_lines
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.spending import Budget, Price, PriceTable, load_prices
from factscore_chain.values import Verdict
from tests.documents import reader
from tests.pages import make_source
from tests.scripted import ScriptedChatModel, scripted_reply
from tests.stages import SentenceDecomposer

PRICE = Price(input=1.0, output=4.0, reread=0.5)
TABLE = PriceTable.model_validate({"as_of": "2026-01-31", "prices": {"small-1": PRICE}})
TEXT = "Ada Lovelace was born in London. Ada Lovelace was a mathematician. Ada Lovelace wrote notes."


class Small(ScriptedChatModel):
    """A model with a price, each call of which costs 10 input and 2 output tokens."""

    model_name: str = "small-1"


def dear(**options: Any) -> ScriptedChatModel:
    """A model each call of which uses a million input tokens."""
    return Small(script=lambda _: scripted_reply("True", input_tokens=1_000_000, output_tokens=0), **options)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


def chain(source: KnowledgeSource, model: Any, **options: Any) -> FactScoreChain:
    return FactScoreChain(source, llm=model, decomposer=SentenceDecomposer(), prices=TABLE, **options)


def test_input_that_the_server_kept_is_cheaper() -> None:
    assert PRICE.cost(Usage(9, 1_000_000, 500_000, reread_tokens=400_000)) == pytest.approx(0.6 + 0.2 + 2.0)
    assert Price(input=1, output=1).cost(Usage(1, 1_000_000, 0, 1_000_000)) == 1.0


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("gpt-4o-mini", True),
        ("gpt-4o-mini-2024-07-18", True),
        ("claude-haiku-4-5-20251001", True),
        ("claude-haiku-4-5-latest", True),
        ("gpt-4o-mini-audio-preview", False),
        ("gpt-4", False),
        ("", False),
    ],
)
def test_a_price_is_found_under_the_name_without_its_date(name: str, known: bool) -> None:
    assert (load_prices().of(name) is not None) is known


def test_a_model_on_ones_own_server_has_the_price_given_for_that_server() -> None:
    url = "http://localhost:8000/v1"
    table = PriceTable.model_validate({"as_of": "2026-01-31", "prices": {f"gpt-4o@{url}": PRICE}})
    assert load_prices().of("gpt-4o", url) is None
    assert table.of("gpt-4o", url) == PRICE


@pytest.mark.parametrize(
    "content", ["", "as_of: soon\nprices: {}", "as_of: 2026-01-01\nprices: {a: {input: -1, output: 1}}", "{"]
)
def test_a_file_that_is_no_price_table_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "prices.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"prices\.yaml.*as_of"):
        load_prices(tmp_path / "prices.yaml")


def test_the_budget_counts_what_is_spent_and_what_is_expected() -> None:
    budget = Budget(1.0)
    with budget.hold(0.6) as settle:
        with pytest.raises(BudgetError, match=r"\$1 "), budget.hold(0.6):
            pass
        settle(0.1)
    with budget.hold(0.9):
        assert budget.exhausted


def test_a_call_that_fails_gives_its_money_back() -> None:
    budget = Budget(1.0)
    with pytest.raises(ModelCallError), budget.hold(1.0):
        raise ModelCallError("failed")
    with budget.hold(1.0):
        assert not budget.exhausted


@pytest.mark.parametrize("dollars", [-1.0, float("nan"), float("inf")])
def test_a_budget_is_a_sum_of_money(dollars: float) -> None:
    with pytest.raises(UsageError, match="give US dollars"):
        Budget(dollars)


async def test_a_server_that_reports_no_usage_is_taken_to_have_used_what_was_expected() -> None:
    silent = ScriptedChatModel(script=lambda _: scripted_reply("True", input_tokens=0, output_tokens=0))
    asked = LanguageModel(silent, budget=Budget(0.00003), price=PRICE)
    questions = [[HumanMessage(f"Is {number} odd?")] for number in range(10)]
    answers = await asyncio.gather(*map(asked.complete, questions), return_exceptions=True)
    assert {type(answer) for answer in answers} == {Completion, BudgetError}
    assert 0 < len(silent.prompts) < 10


def test_a_report_says_what_was_used_and_what_it_cost(source: KnowledgeSource) -> None:
    manifest = chain(source, Small(script=lambda _: "True")).score(TEXT, "Ada Lovelace").manifest
    assert (manifest.usage["calls"], manifest.usage["input_tokens"]) == (3, 30)
    assert manifest.cost == pytest.approx((30 * 1.0 + 6 * 4.0) / 1_000_000)
    assert manifest.prices == "2026-01-31"


def test_an_unknown_price_is_no_price_and_no_call_costs_nothing(source: KnowledgeSource) -> None:
    unknown = ScriptedChatModel(script=lambda _: "True")
    assert chain(source, unknown).score(TEXT, "Ada Lovelace").manifest.cost is None
    assert chain(source, unknown).score("", "Ada Lovelace").manifest.cost == 0


def test_cached_answers_cost_nothing_and_are_counted_apart(source: KnowledgeSource, tmp_path: Path) -> None:
    runs = [
        chain(source, Small(script=lambda _: "True", number=0), cache=tmp_path / "answers.db") for _ in "12"
    ]
    first, second = (one.score(TEXT, "Ada Lovelace") for one in runs)
    assert first.score == second.score
    assert (first.manifest.usage["calls"], first.manifest.usage["cached_answers"]) == (3, 0)
    assert (second.manifest.usage["calls"], second.manifest.usage["cached_answers"]) == (0, 3)
    assert second.manifest.cost == 0


def test_a_used_up_budget_stops_the_run_and_keeps_what_was_done(source: KnowledgeSource) -> None:
    model = LanguageModel(dear(), concurrency=1)
    report = chain(source, model, max_cost=2.0).score_many([{"output": TEXT, "topic": "Ada Lovelace"}] * 6)
    verdicts = [fact.verdict for fact in report.facts]
    assert verdicts.count(Verdict.SUPPORTED) == 2
    assert not report.complete
    assert report.manifest.cost == 2.0
    assert any("budget of $2 is used up" in (one.error or "") for one in report.generations)
    assert report.generations[5].status == "failed"


def test_cached_answers_need_no_budget(source: KnowledgeSource, tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    chain(source, dear(number=0), cache=path).score(TEXT, "Ada Lovelace")
    report = chain(source, dear(number=0), cache=path, max_cost=0).score(TEXT, "Ada Lovelace")
    assert report.complete


def test_a_budget_for_a_model_without_a_price_is_refused(source: KnowledgeSource) -> None:
    with pytest.raises(UsageError, match=r"price of 'ScriptedChatModel'.*2026-01-31"):
        chain(source, reader(), max_cost=1.0)


def test_the_users_own_model_keeps_the_account_of_its_calls(source: KnowledgeSource, tmp_path: Path) -> None:
    model = LanguageModel(Small(script=lambda _: "True"), cache=AnswerCache(tmp_path / "answers.db"))
    chain(source, model).score(TEXT, "Ada Lovelace")
    chain(source, model, max_cost=1.0).score(TEXT, "Ada Lovelace")
    assert (model.usage.calls, model.usage.cached_answers) == (3, 3)


def test_the_summary_says_what_was_paid_and_what_was_saved(source: KnowledgeSource, tmp_path: Path) -> None:
    def last_line(model: ScriptedChatModel, path: Path | None = None) -> str:
        return summary_lines(chain(source, model, cache=path).score(TEXT, "Ada Lovelace"))[-1]

    dear_one, path = dear(number=0), tmp_path / "answers.db"
    assert last_line(dear_one, path).endswith(", model calls 3, cost $3.0000")
    assert last_line(dear_one, path).endswith(", model calls 0, cached answers 3")
    assert last_line(ScriptedChatModel(script=lambda _: "True")).endswith(", model calls 3, cost not known")
