"""The published statistics: `factscore eval predictions` and `factscore eval human`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import UsageError
from factscore_chain.evals.human import evaluate_human
from factscore_chain.evals.predictions import evaluate_predictions
from factscore_chain.evals.ranking import best_first, kendall_tau, pairs_in_order
from factscore_chain.evals.subsets import subset_study
from tests.pages import write_rows


def row(prompt: str, chatgpt: str | None, llama: str, spelling: str = "_Labels") -> dict[str, Any]:
    """A prediction row; "SN" stands for one supported and one not supported fact."""
    spelled = {"S": "S", "N": "NS"}
    labels = {"LLAMA+NP": llama} if chatgpt is None else {"ChatGPT": chatgpt, "LLAMA+NP": llama}
    return {
        "prompt": prompt,
        "facts": [f"Fact {number}." for number in range(len(llama))],
        **{name + spelling: [spelled[letter] for letter in given] for name, given in labels.items()},
    }


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    folder = tmp_path / "predictions"
    folder.mkdir()
    write_rows(folder / "good.jsonl", [row("a", "SS", "SS"), row("b", None, "SN"), row("c", None, "SSSN")])
    write_rows(folder / "fair.jsonl", [row("a", "SN", "SN"), row("b", "NN", "NN")])
    write_rows(folder / "poor.jsonl", [row("a", "NN", "NN", "_labels")])
    return folder


def test_scores_are_means_over_the_rows_that_have_labels(predictions: Path) -> None:
    good = evaluate_predictions(predictions, prompts=4).systems["good"]
    assert good.scores == {"ChatGPT": 1.0, "LLAMA+NP": pytest.approx((1 + 0.5 + 0.75) / 3)}
    assert good.rows == {"ChatGPT": 1, "LLAMA+NP": 3}
    assert good.responding == 0.75
    assert good.facts_per_response == pytest.approx(8 / 3)


def test_both_spellings_of_the_label_keys_are_read(predictions: Path) -> None:
    systems = evaluate_predictions(predictions).systems
    assert systems["poor"].scores == {"ChatGPT": 0.0, "LLAMA+NP": 0.0}


def test_estimators_are_compared_over_systems(predictions: Path) -> None:
    report = evaluate_predictions(predictions)
    (pair,) = report.agreement
    assert (pair.kendall_tau, pair.pairs_in_order) == (1.0, 1.0)
    # ChatGPT: 1, 0.25, 0; LLAMA+NP: 0.75, 0.25, 0.
    assert pair.pearson == pytest.approx(0.9958706)
    assert report.ranking["ChatGPT"] == ["good", "fair", "poor"]


def test_a_row_whose_labels_do_not_match_is_named(predictions: Path) -> None:
    bad = {**row("a", None, "SN"), "facts": ["Only one."]}
    write_rows(predictions / "other.jsonl", [row("b", None, "S"), bad])
    report = evaluate_predictions(predictions)
    assert report.rejected == ["other.jsonl, line 2: 1 facts have 2 labels of LLAMA+NP"]
    assert report.systems["other"].rows == {"LLAMA+NP": 1}


def test_more_rows_than_prompts_is_wrong_use(predictions: Path) -> None:
    with pytest.raises(UsageError, match="3 rows for 2 prompts"):
        evaluate_predictions(predictions, prompts=2)


def test_a_folder_without_files_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder with JSONL files"):
        evaluate_predictions(tmp_path / "none")


@pytest.mark.parametrize(
    ("first", "second", "tau", "share"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0, 1.0),
        ([1, 2, 3], [3, 2, 1], -1.0, 0.0),
        ([1, 2, 3], [1, 3, 2], 1 / 3, 2 / 3),
        ([1, 1, 2], [1, 2, 3], 2 / 6**0.5, 2 / 3),
        ([1, 1], [1, 2], None, 0.0),
        ([1], [1], None, None),
    ],
)
def test_rank_agreement(
    first: list[float], second: list[float], tau: float | None, share: float | None
) -> None:
    found = kendall_tau(first, second)
    assert found == (None if tau is None else pytest.approx(tau))
    assert pairs_in_order(first, second) == (None if share is None else pytest.approx(share))


def test_ranking_breaks_ties_by_name() -> None:
    assert best_first({"b": 0.5, "a": 0.5, "c": 0.9}) == ["c", "a", "b"]


def test_subsets_of_all_prompts_change_nothing() -> None:
    systems = {"one": {"a": 0.2, "b": 0.8}, "two": {"a": 0.9}}
    (figures,) = subset_study(systems, [2], samples=20)
    assert figures.standard_deviation == {"one": 0.0, "two": 0.0}
    assert (figures.same_order, figures.kendall_tau, figures.with_replacement) == (1.0, 1.0, False)


def test_subsets_are_the_same_for_one_seed_and_wider_for_fewer_prompts() -> None:
    systems = {"one": {str(n): n % 7 / 6 for n in range(60)}, "two": {str(n): n % 5 / 4 for n in range(60)}}
    first, again, other = (subset_study(systems, [10, 40, 100], samples=50, seed=s) for s in (1, 1, 2))
    assert first == again != other
    assert first[0].standard_deviation["one"] > first[1].standard_deviation["one"]
    assert [figures.with_replacement for figures in first] == [False, False, True]


def labelled(topic: str, cat: list[str], *sentences: str) -> dict[str, Any]:
    """A labelled row; each sentence is a string of S, N and I."""
    names = {"S": "S", "N": "NS", "I": "IR"}
    facts = [
        [{"text": f"{topic} {i}.{j}", "label": names[letter]} for j, letter in enumerate(sentence)]
        for i, sentence in enumerate(sentences)
    ]
    annotations = [{"text": topic, "human-atomic-facts": one} for one in facts]
    return {"topic": topic, "output": topic, "cat": cat, "annotations": annotations if sentences else None}


@pytest.fixture
def human(tmp_path: Path) -> Path:
    folder = tmp_path / "human"
    folder.mkdir()
    rows = [labelled("A", ["rare", "Europe"], "SS", "NI"), labelled("B", ["freq", "Asia"], "SSS")]
    write_rows(folder / "one.jsonl", [*rows, labelled("C", ["rare", "Asia"])])
    write_rows(folder / "two.jsonl", [labelled("A", ["rare", "Europe"], "NNN")])
    return folder


def test_human_scores_count_irrelevant_as_not_supported(human: Path) -> None:
    one = evaluate_human(human).systems["one"]
    assert one.score == pytest.approx((0.5 + 1) / 2)
    assert one.counts == {"supported": 5, "not_supported": 1, "irrelevant": 1}
    assert one.responding == pytest.approx(2 / 3)
    assert one.facts_per_response == 3.5


def test_human_scores_by_rarity_region_and_position(human: Path) -> None:
    one = evaluate_human(human).systems["one"]
    assert {name: (group.n, group.score) for name, group in one.by_rarity.items()} == {
        "rare": (1, 0.5),
        "freq": (1, 1.0),
    }
    assert one.by_region["Asia"].score == 1.0
    # Thirds of the four facts S S N I are SS, N, I; of the three facts one each.
    assert [(group.n, group.score) for group in one.by_position.values()] == [(3, 1.0), (2, 0.5), (2, 0.5)]


@pytest.mark.parametrize("part", ["predictions", "human"])
def test_the_commands_print_json_and_tables(
    part: str, predictions: Path, human: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = {"predictions": predictions, "human": human}[part]
    assert main(["eval", part, str(folder), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["systems"]) == {"predictions": 3, "human": 2}[part]
    assert main(["eval", part, str(folder)]) == 0
    assert "Random subsets" in capsys.readouterr().out


def test_the_release_gives_the_published_order_of_estimators(data_dir: Path) -> None:
    report = evaluate_predictions(data_dir / "factscore" / "unlabeled-predictions")
    assert len(report.systems) == 12
    (pair,) = report.agreement
    assert pair.pearson is not None
    assert pair.pearson > 0.98


def test_the_release_gives_human_scores_near_the_published_ones(data_dir: Path) -> None:
    report = evaluate_human(data_dir / "factscore" / "labeled")
    assert report.ranking == ["PerplexityAI", "ChatGPT", "InstructGPT"]
    published = {"ChatGPT": 0.583, "InstructGPT": 0.428}
    for name, score in published.items():
        assert report.systems[name].score == pytest.approx(score, abs=0.03)
