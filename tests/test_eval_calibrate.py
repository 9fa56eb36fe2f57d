"""Votes written down, weights fitted to them on training topics, and the cascade's curve."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import UsageError
from factscore_chain.evals import metrics
from factscore_chain.evals.bench import cascade
from factscore_chain.evals.calibration import fit_weights
from factscore_chain.evals.fit_joint import LEAST_FACTS, compare, fit
from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.training.joint_votes import joined
from factscore_chain.evals.votes import Vote, read_votes, write_votes
from factscore_chain.values import Verdict
from factscore_chain.verify.calibration import read_calibration, sigmoid
from tests.scripted import ScriptedLogprobModel, scripted_reply

TOPICS = {wanted: [t for t in map(str, range(60)) if is_held_out(t) is wanted] for wanted in (True, False)}


def vote(number: int, held_out: bool, **changed: Any) -> Vote:
    """A fact of which both judges say much that is true; the LLM leans to True."""
    random = np.random.default_rng([number, held_out])
    supported = bool(random.random() < 0.6)
    odds = random.normal(1.2 if supported else -1.2, 1.0, 2)
    p = sigmoid(2 * odds[1] + 1.5)
    given: dict[str, Any] = {
        "system": "some",
        "topic": TOPICS[held_out][number % 10],
        "fact": f"Fact {number}.",
        "supported": supported,
        "embedded": sigmoid(odds[0]),
        "verdict": Verdict.SUPPORTED if p >= 0.5 else Verdict.NOT_SUPPORTED,
        "probability": p,
        "model": "m",
        "prompt": "p@1",
    }
    return Vote(**{**given, **changed})


VOTES = [vote(number, held_out) for held_out in (True, False) for number in range(300)]


def test_weights_are_those_of_the_likeliest_combination() -> None:
    random = np.random.default_rng(0)
    columns = random.normal(size=(4000, 2))
    supported = random.random(4000) < 1 / (1 + np.exp(-(columns @ [2.0, -1.0] + 0.5)))
    found = fit_weights(supported, columns, np.zeros(3), pull=1e-3)
    assert found == pytest.approx([2.0, -1.0, 0.5], abs=0.2)


def test_with_little_data_the_weights_stay_near_the_prior() -> None:
    found = fit_weights(np.array([True]), np.array([[3.0, -3.0]]), np.array([0.0, 1.0, 0.0]))
    assert found == pytest.approx([0.0, 1.0, 0.0], abs=0.8)
    separable = fit_weights(np.array([True, False]), np.array([[9.0], [-9.0]]), np.zeros(2))
    assert np.isfinite(separable).all()


def test_both_joined_beat_each_alone_where_their_errors_differ() -> None:
    calibration = fit(VOTES, embedded="v")
    rows = compare(VOTES, calibration, 0.5)
    assert rows["joint, log odds"]["auc"] > max(rows["embedded"]["auc"], rows["LLM, calibrated"]["auc"])
    assert rows["LLM, its word"]["said_supported"] > rows["LLM, calibrated"]["said_supported"]
    assert calibration.facts == 300


def test_held_out_topics_change_no_weight() -> None:
    swapped = [v.model_copy(update={"supported": not v.supported}) if v.held_out else v for v in VOTES]
    assert fit(swapped, embedded="v") == fit(VOTES, embedded="v")


def test_without_log_probabilities_only_words_are_fitted() -> None:
    bare = [v.model_copy(update={"probability": None}) for v in VOTES]
    calibration = fit(bare, embedded="v")
    assert (calibration.alone, calibration.joint) == (None, None)
    assert calibration.joint_words.llm > 0
    assert "joint, words" in compare(bare, calibration, 0.5)


def test_facts_without_a_verdict_are_not_fitted_to_and_count_as_not_supported() -> None:
    open_ = [v.model_copy(update={"verdict": Verdict.UNDECIDED, "probability": None}) for v in VOTES[:50]]
    calibration = fit([*open_, *VOTES[50:]], embedded="v")
    rows = compare(open_, calibration, 0.5)
    assert {rows[name]["said_supported"] for name in rows if name != "embedded"} == {0.0}


@pytest.mark.parametrize(
    ("votes", "why"),
    [
        (VOTES[300 : 300 + LEAST_FACTS - 1], f"here are {LEAST_FACTS - 1}"),
        (VOTES[:300], "here are 0"),
        ([v for v in VOTES if v.supported], "both labels"),
        ([*VOTES, vote(1, False, model="another")], "of 2"),
    ],
)
def test_what_a_calibration_cannot_be_made_of_is_refused(votes: list[Vote], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        fit(votes, embedded="v")


def test_a_cascade_that_asks_about_nothing_is_the_embedded_verifier_and_one_that_asks_all_is_the_llm() -> (
    None
):
    half = cascade.Half.of(VOTES)
    assert half.figures(-1.0, 2.0)["saved"] == 0
    assert half.figures(0.5, 0.5)["saved"] == 1
    word = np.array([v.verdict is Verdict.SUPPORTED for v in VOTES])
    expected = metrics.balanced_accuracy(half.supported, word)
    assert half.figures(-1.0, 2.0)["balanced_accuracy"] == expected


def test_the_curve_saves_more_from_row_to_row_and_marks_the_default() -> None:
    report = cascade.measure(VOTES)
    saved = [point["train"]["saved"] for point in report["curve"]]
    assert saved == sorted(saved)
    assert sum(point.get("default", False) for point in report["curve"]) == 1
    assert report["held_out"] == 300
    printed = cascade.lines(report)
    assert printed[-1].count("  ") > 2
    assert sum(line.endswith("default") for line in printed) == 1


def test_without_an_llm_there_is_no_curve_but_the_embedded_verifiers_reliability() -> None:
    alone = [v.model_copy(update={"verdict": None, "probability": None}) for v in VOTES]
    report = cascade.measure(alone)
    assert report["curve"] == []
    shares = [row["right"] for row in report["reliability"] if row["side"] == "high"]
    assert shares[-2] > shares[0]


def test_votes_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_votes(tmp_path / "votes.jsonl", VOTES[:5])
    assert read_votes(tmp_path / "votes.jsonl") == VOTES[:5]
    (tmp_path / "bad.jsonl").write_text(f"{VOTES[0].model_dump_json()}\n{{}}\n")
    with pytest.raises(UsageError, match=r"bad\.jsonl, line 2"):
        read_votes(tmp_path / "bad.jsonl")


def test_the_commands_judge_fit_and_score(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def answer(question: str) -> Any:
        if "True or False" not in question:
            return "- Alan Turing was born in London."
        word, other = ("True", "False") if len(question) % 3 else ("False", "True")
        return scripted_reply(word, tokens=[{word: math.log(0.8), other: math.log(0.2)}])

    model = ScriptedLogprobModel(script=answer)
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name, **options: model)
    knowledge = ["--knowledge", "examples/knowledge.jsonl", "--llm", "openai:x", "--no-cache"]
    votes, out = str(tmp_path / "votes.jsonl"), str(tmp_path / "calibration.json")
    assert main(["eval", "votes", "examples/labels.jsonl", *knowledge, "--out", votes]) == 0
    assert main(["eval", "calibrate", votes, "--out", out]) == 0
    printed = capsys.readouterr().out
    assert "joint, log odds" in printed
    assert read_calibration(out).model == "ScriptedLogprobModel"
    text = ["score", "Alan Turing was born in London.", *knowledge, "--format", "json"]
    assert main([*text, "--calibration", out]) == 0
    manifest = json.loads(capsys.readouterr().out)["manifest"]
    assert "ScriptedLogprobModel" in manifest["verifier"]["calibration"]


def test_a_spread_of_facts_takes_no_more_of_a_topic_than_was_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "votes.jsonl"
    options = ["--knowledge", "examples/knowledge.jsonl", "--per-topic", "2", "--out", str(out)]
    assert main(["eval", "votes", "examples/labels.jsonl", *options]) == 0
    topics = [v.topic for v in read_votes(out)]
    assert max(map(topics.count, topics)) <= 2
    assert cascade.main([str(out)]) == 0
    assert "sure of" in capsys.readouterr().out


def test_answers_of_a_model_join_the_facts_that_are_known_once() -> None:
    own = [vote(n, False, system="ChatGPT", verdict=None, probability=None) for n in range(3)]
    twice = own[2].model_copy(update={"topic": TOPICS[True][0]})
    answers: list[dict[str, Any]] = [
        {"fact": "Fact 0.", "verdict": "supported", "probability": 0.9},
        {"fact": "Fact 1.", "verdict": "not_supported", "probability": None},
        {"fact": "Fact 2.", "verdict": "supported", "probability": 0.8},
        {"fact": "Fact 9.", "verdict": "supported", "probability": 0.8},
    ]
    found = joined([*own, twice], answers, "m")
    assert [(one.fact, one.probability, one.model) for one in found] == [("Fact 0.", 0.9, "m")]
    assert found[0].embedded == own[0].embedded
