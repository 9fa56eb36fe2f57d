"""The verifier's recipe: what it trains on, and what it refuses."""

from __future__ import annotations

from random import Random

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.training.verifier.config import Edits, read_recipe
from factscore_chain.evals.training.verifier.edits import Editor
from factscore_chain.evals.training.verifier.pairs import TrainingPair, edited, refuse_reported_topics
from factscore_chain.evals.training.verifier.sources import CONTRADICTED, SUPPORTED
from factscore_chain.evals.training.verifier.texts import covering, undo_treebank, windows

HELD_OUT = next(title for title in map(str, range(100)) if is_held_out(title))
TRAINED = next(title for title in map(str, range(100)) if not is_held_out(title))


def pair(title: str, source: str = "fs") -> TrainingPair:
    return TrainingPair("It opened in 1815.", "The hall opened in 1815.", SUPPORTED, source, title)


@pytest.mark.parametrize("source", ["fs", "fs-edit", "fs-symmetric"])
def test_a_reported_topic_stops_the_training(source: str) -> None:
    with pytest.raises(UsageError, match="1 reported topics"):
        refuse_reported_topics([pair(TRAINED, source), pair(HELD_OUT, source)])


def test_training_topics_pass() -> None:
    refuse_reported_topics([pair(TRAINED)])


def test_an_edit_is_made_in_the_evidence_too_so_that_both_must_be_read() -> None:
    made = edited([pair(TRAINED)], Editor([]), Random(4), Edits(rate=1, symmetric=1))
    false, true, other = made
    assert (false.label, true.label, other.label) == (CONTRADICTED, SUPPORTED, CONTRADICTED)
    assert (true.claim, true.evidence) == (false.claim, other.evidence)
    assert other.claim == "It opened in 1815."


def test_the_shipped_recipe_reads() -> None:
    recipe = read_recipe()
    assert set(recipe.head.weights) >= {"fs"}
    assert sum(recipe.train.weights.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("Ada -LRB- 1815 -RRB- wrote .", "Ada (1815) wrote."),
        ("`` Notes '' is hers .", '"Notes" is hers.'),
        ("It was n't Ada 's .", "It wasn't Ada's."),
    ],
)
def test_treebank_marks_are_undone(marked: str, plain: str) -> None:
    assert undo_treebank(marked) == plain


def test_the_sentences_that_cover_a_claim_keep_their_order() -> None:
    sentences = ["Ada wrote notes.", "Rain fell.", "Bo built engines."]
    assert (
        covering("Bo built engines and Ada wrote notes.", sentences, 2)
        == "Ada wrote notes. Bo built engines."
    )


def test_windows_cut_only_what_is_far_too_long() -> None:
    assert windows(["a " * 60, "b"], 45) == ["a " * 60, "b"]
    assert [len(one.split()) for one in windows(["a " * 100], 45)] == [45, 45, 10]
