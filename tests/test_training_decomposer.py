"""What the decomposer's tagger learns from: facts aligned with their sentences, and nothing reported on."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscore_chain.decompose.tagger import INSERTIONS
from factscore_chain.decompose.words import split_words
from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.training.decomposer.alignment import align, stem
from factscore_chain.evals.training.decomposer.config import load_recipe
from factscore_chain.evals.training.decomposer.corpus import FactRow, best_path, human_rows
from factscore_chain.evals.training.decomposer.targets import (
    PREDICATE,
    SUBJECT,
    FactTarget,
    anchored,
    fact_target,
    insertion_class,
)

_SENTENCE = "He was born in Oslo and worked in Bergen, appearing in the plays Storm and Calm."


def _aligned(fact: str) -> str:
    sentence = [word.text for word in split_words(_SENTENCE)]
    positions = align([word.text for word in split_words(fact)], sentence, {"paul", "norden"})
    return " ".join(sentence[i] for i in sorted(set(positions)) if i >= 0)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("He worked in Bergen", "He worked in Bergen"),
        ("Paul Norden was born in Oslo", "He was born in Oslo"),
        ("He appeared in Storm", "He appearing in Storm"),
        ("Calm is a play", "plays Calm"),
    ],
)
def test_a_fact_finds_its_words(fact: str, expected: str) -> None:
    assert _aligned(fact) == expected


def test_a_preposition_is_the_one_before_its_noun() -> None:
    words = ["born", "in", "Oslo", "in", "1950"]
    assert align(["born", "in", "1950"], words, set()) == (0, 3, 4)


def test_forms_of_a_word_share_a_stem() -> None:
    assert stem("appeared") == stem("appearing") == stem("appears")
    assert stem("films") == stem("film")
    assert stem("Oslo") != stem("Bergen")


def test_a_target_tells_subject_from_predicate() -> None:
    row = FactRow("Paul Norden", _SENTENCE, ())
    target = fact_target(row, "Storm is a play.", len("Storm "))
    assert target is not None
    words = [word.text for word in split_words(_SENTENCE)]
    assert [words[i] for i, part in enumerate(target.parts) if part == SUBJECT] == ["Storm"]
    assert "plays" in [words[i] for i, part in enumerate(target.parts) if part == PREDICATE]
    assert INSERTIONS[target.insertion] == "is a"
    assert not target.of_topic


def test_a_fact_of_other_words_is_no_target() -> None:
    assert fact_target(FactRow("Paul Norden", _SENTENCE, ()), "He earned much money.", 3) is None


@pytest.mark.parametrize(
    ("words", "expected"), [([], ""), (["is", "an"], "is a"), (["was", "the"], "was"), (["was", "on"], "was")]
)
def test_an_insertion_is_the_nearest_of_the_known(words: list[str], expected: str) -> None:
    assert INSERTIONS[insertion_class(words)] == expected


def test_each_fact_has_an_anchor_of_its_own() -> None:
    words = ["He", "wrote", "books", ":", "Storm", ",", "Calm"]
    wrote_storm = FactTarget((1, 2, 0, 0, 2, 0, 0), 0, of_topic=True)
    wrote_calm = FactTarget((1, 2, 0, 0, 0, 0, 2), 0, of_topic=True)
    storm_is_book = FactTarget((0, 0, 2, 0, 1, 0, 0), 2, of_topic=False)
    calm_is_book = FactTarget((0, 0, 2, 0, 0, 0, 1), 2, of_topic=False)
    found = anchored(words, [wrote_storm, wrote_calm, storm_is_book, calm_is_book])
    assert {(one.word, one.kind): one.fact for one in found} == {
        (4, 1): wrote_storm,
        (6, 1): wrote_calm,
        (4, 2): storm_is_book,
        (6, 2): calm_is_book,
    }


def test_the_best_path_never_goes_back() -> None:
    assert best_path([[1.0, 0.0], [0.2, 0.9], [0.6, 0.5]]) == [0, 1, 1]
    assert best_path([[0.0, 0.1, 1.0]]) == [2]


def test_the_shipped_recipe_is_valid() -> None:
    assert set(load_recipe().weights) == {"anchor", "part", "insertion", "tag", "entity"}


def test_no_reported_topic_is_read(data_dir: Path) -> None:
    topics = {row.topic for row in human_rows(data_dir / "factscore" / "labeled")}
    assert topics
    assert not any(map(is_held_out, topics))
