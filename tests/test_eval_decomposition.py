"""How decompositions are compared with the facts that people made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evals.decomposition import (
    DecomposedSentence,
    content_tokens,
    count_matches,
    decomposition_metrics,
    invented_tokens,
    read_human_sentences,
    token_f1,
)

_SENTENCE = "Ada Lovelace was an English mathematician and writer, born in London in 1815."
_HUMAN = (
    "Ada Lovelace was English.",
    "Ada Lovelace was a mathematician.",
    "Ada Lovelace was a writer.",
    "She was born in London.",
    "She was born in 1815.",
)


def _sentence(*predicted: str, human: tuple[str, ...] = _HUMAN) -> DecomposedSentence:
    return DecomposedSentence(_SENTENCE, "Ada Lovelace", human, predicted)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lovelace's notes were published in 1843.", ["notes", "published", "1843"]),
        ("She was born on 10 December 1815 in London.", ["born", "10", "december", "1815", "london"]),
        ("It weighs 1,000 kg, or 2.5% of that.", ["weighs", "1,000", "kg", "2.5"]),
        ("He is.", []),
    ],
)
def test_content_tokens_leave_out_the_topic_pronouns_and_function_words(
    text: str, expected: list[str]
) -> None:
    assert content_tokens(text, "Ada Lovelace") == expected


def test_naming_the_topic_costs_nothing() -> None:
    figures = decomposition_metrics([_sentence("Ada Lovelace was born in London.", human=_HUMAN[3:4])])
    assert figures["f1"] == 1.0


def test_token_f1_counts_repetitions() -> None:
    assert token_f1(["a", "a", "b"], ["a", "b", "b"]) == pytest.approx(2 / 3)
    assert token_f1([], []) == 1.0
    assert token_f1([], ["a"]) == 0.0


def test_each_fact_matches_once() -> None:
    assert count_matches([["born", "london"], ["born", "london"]], [["born", "london"]]) == 1


def test_matching_is_the_best_there_is_and_not_the_first_found() -> None:
    predicted = [["x", "y", "z"], ["x", "y"]]
    human = [["x", "y"], ["w", "y", "z", "x"]]
    # The first prediction fits both human facts, the second only the first of them.
    assert count_matches(predicted, human) == 2


def test_figures_of_the_sentence_taken_as_one_fact() -> None:
    figures = decomposition_metrics([_sentence(_SENTENCE)])
    assert figures["f1"] == 0.0
    assert figures["coverage"] == 1.0
    assert figures["facts_per_sentence"] == 1.0
    assert figures["human_facts_per_sentence"] == 5.0


def test_precision_and_recall_are_of_facts() -> None:
    figures = decomposition_metrics([_sentence(*_HUMAN[:2], "She was a mathematician and writer.")])
    assert figures["precision"] == pytest.approx(2 / 3)
    assert figures["recall"] == pytest.approx(2 / 5)
    assert figures["f1"] == pytest.approx(2 * 2 / (3 + 5))


def test_invented_tokens_are_in_neither_sentence_nor_topic() -> None:
    sentence = _sentence("Ada Lovelace was the first programmer.", "Ada was a writer.")
    assert invented_tokens(sentence) == ["first", "programmer"]
    assert decomposition_metrics([sentence])["invented"] == 2


def test_nothing_to_divide_by_gives_none() -> None:
    figures = decomposition_metrics([])
    assert figures["precision"] is None
    assert figures["f1"] is None
    assert figures["invented"] == 0


def test_reads_sentences_with_human_facts(tmp_path: Path) -> None:
    annotation = {"text": "Rome is old.", "human-atomic-facts": [{"text": "Rome is old.", "label": "S"}]}
    empty = {"text": "Is it?", "human-atomic-facts": None}
    rows = [
        {"topic": "Rome", "output": "Rome is old. Is it?", "annotations": [annotation, empty]},
        {"topic": "Oslo", "output": "I cannot say.", "annotations": None},
        {"topic": "Bern"},
    ]
    path = tmp_path / "labeled.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    sentences, rejected = read_human_sentences(path)
    assert sentences == (DecomposedSentence("Rome is old.", "Rome", ("Rome is old.",), ()),)
    assert len(rejected) == 1
    assert "line 3" in rejected[0]


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.jsonl"):
        read_human_sentences(tmp_path / "none.jsonl")


def test_figures_on_real_data_order_the_simple_ways(data_dir: Path) -> None:
    sentences, _ = read_human_sentences(data_dir / "factscore" / "labeled" / "ChatGPT.jsonl")
    whole = [DecomposedSentence(s.text, s.topic, s.human, (s.text,)) for s in sentences]
    parts = [DecomposedSentence(s.text, s.topic, s.human, tuple(s.text.split(","))) for s in sentences]
    gold = [DecomposedSentence(s.text, s.topic, s.human, s.human) for s in sentences]
    f1 = [decomposition_metrics(one)["f1"] or 0.0 for one in (whole, parts, gold)]
    assert f1[0] < 0.2 < f1[1] < f1[2] == 1.0
