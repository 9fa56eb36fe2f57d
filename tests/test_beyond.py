"""Figures beside precision: F1@K, and the score without padding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscore_chain.beyond import Stated, check_k, f1_at_k, median_supported
from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.generations import AnyGeneration
from factscore_chain.render import markdown
from factscore_chain.report import Report
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Generation
from tests.pages import make_source
from tests.stages import SentenceDecomposer, WordVerifier

BORN = "Ada Lovelace was born in London."
FALSE = "Ada Lovelace was born in Paris."
NOTES = "She wrote notes on the Analytical Engine."


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


def chain(source: KnowledgeSource, f1_k: float | None = None, gamma: float = 0) -> FactScoreChain:
    return FactScoreChain(
        source, decomposer=SentenceDecomposer(), verifier=WordVerifier(), gamma=gamma, f1_k=f1_k
    )


@pytest.mark.parametrize(
    ("supported", "other", "k", "expected"),
    [
        (8, 2, 8, 2 * 0.8 / 1.8),
        (8, 2, 16, 2 * 0.8 * 0.5 / 1.3),
        (20, 0, 10, 1.0),
        (1, 0, 64, 2 * (1 / 64) / (1 + 1 / 64)),
        (0, 5, 3, 0.0),
        (0, 0, 3, 0.0),
        (3, 1, 2.5, 2 * 0.75 / 1.75),
    ],
)
def test_f1_joins_precision_with_the_share_of_k_facts(
    supported: int, other: int, k: float, expected: float
) -> None:
    assert f1_at_k(Stated(supported, other), k) == pytest.approx(expected)


@pytest.mark.parametrize("k", [0, -1, float("nan"), float("inf")])
def test_k_is_a_number_of_facts(k: float) -> None:
    with pytest.raises(UsageError, match="K is"):
        check_k(k)


@pytest.mark.parametrize(("counts", "expected"), [([], None), ([0, 0], 1), ([1, 2, 9], 2), ([1, 2], 1.5)])
def test_k_is_the_median_where_none_is_given(counts: list[int], expected: float | None) -> None:
    assert median_supported(Stated(count) for count in counts) == expected


def test_a_short_answer_gains_precision_and_loses_f1(source: KnowledgeSource) -> None:
    rows = [Generation(BORN, "Ada Lovelace"), Generation(f"{BORN} {NOTES} {FALSE}", "Ada Lovelace")]
    short, long = chain(source, f1_k=4).score_many(rows).generations
    assert (short.score or 0) > (long.score or 0)
    assert (short.f1_at(4) or 0) < (long.f1_at(4) or 0)


def test_who_does_not_answer_has_no_score_but_an_f1_of_zero(source: KnowledgeSource) -> None:
    report = chain(source, f1_k=1).score_many([Generation(BORN, "Ada Lovelace"), "I don't know."])
    assert [one.f1_at(1) for one in report.generations] == [1.0, 0.0]
    assert (report.score, report.f1_at_k) == (1.0, 0.5)


def test_what_could_not_be_judged_has_no_f1(source: KnowledgeSource) -> None:
    report = chain(source, f1_k=1).score(BORN, topic="Nobody")
    assert (report.generations[0].f1_at(1), report.f1_at_k) == (None, None)


def test_the_median_goes_over_the_answers_alone(source: KnowledgeSource) -> None:
    rows: list[AnyGeneration] = [Generation(f"{BORN} {NOTES}", "Ada Lovelace"), "I don't know.", "n/a"]
    assert chain(source).score_many(rows).f1_k == 2


@pytest.mark.parametrize("pad", ["Ada Lovelace was born.", "Ada Lovelace was born in London."])
def test_padding_raises_no_figure_but_the_papers_own(source: KnowledgeSource, pad: str) -> None:
    facts = (BORN, FALSE)
    plain, padded = (
        chain(source, f1_k=4, gamma=10).score(Generation("", "Ada Lovelace", facts=given))
        for given in (facts, (*facts, *[pad] * 20))
    )
    assert (padded.score or 0) > (plain.score or 0)
    assert (padded.informative_score, padded.f1_at_k) == (plain.informative_score, plain.f1_at_k)
    assert padded.counts.padding == 20


def test_an_error_is_no_padding_however_often_it_is_said(source: KnowledgeSource) -> None:
    report = chain(source).score(Generation("", "Ada Lovelace", facts=(BORN, FALSE, FALSE)))
    assert report.generations[0].facts[2].repeats == 1
    assert report.informative_score == pytest.approx(1 / 3)


def test_a_true_fact_that_a_false_one_goes_on_from_is_no_padding(source: KnowledgeSource) -> None:
    facts = (BORN, "Ada Lovelace was born in London in 1915.")
    report = chain(source).score(Generation("", "Ada Lovelace", facts=facts))
    assert (report.informative_score, report.counts.padding) == (0.5, 0)


def test_nothing_but_padding_is_worth_nothing(source: KnowledgeSource) -> None:
    report = chain(source).score(Generation("", "Ada Lovelace", facts=("Ada Lovelace was born.",)))
    assert (report.score, report.informative_score, report.f1_at_k) == (1.0, 0.0, 0.0)


def test_a_report_of_before_these_figures_still_loads(source: KnowledgeSource, data: Path) -> None:
    assert Report.model_validate_json(data.read_text(encoding="utf-8")).f1_at_k is None


@pytest.fixture
def data(source: KnowledgeSource, tmp_path: Path) -> Path:
    """A report without the keys that came later."""
    whole = json.loads(chain(source).score(BORN, topic="Ada Lovelace").to_json())
    for key in ("f1_at_k", "f1_k", "informative_score", "recall"):
        del whole[key]
    del whole["counts"]["padding"], whole["manifest"]["f1_k"]
    for one in whole["generations"]:
        for key in ("informative_score", "recall"):
            del one[key]
        for fact in one["facts"]:
            del fact["trivial"], fact["repeats"], fact["also"]
    path = tmp_path / "report.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_the_summary_shows_what_was_asked_for(source: KnowledgeSource) -> None:
    asked = markdown(chain(source, f1_k=4).score(BORN, topic="Ada Lovelace"))
    assert "F1@4 40.0%" in asked
    assert "F1@" not in markdown(chain(source).score(BORN, topic="Ada Lovelace"))
