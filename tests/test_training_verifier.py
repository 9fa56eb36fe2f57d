"""The verifier's recipe: what it trains on, and what it refuses."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.training.verifier.config import Edits, LeadsConfig, read_recipe
from factscore_chain.evals.training.verifier.edits import Editor
from factscore_chain.evals.training.verifier.leads import read_leads
from factscore_chain.evals.training.verifier.pairs import (
    FOLDS,
    TrainingPair,
    edited,
    fold_of,
    refuse_reported_topics,
    trained_on,
)
from factscore_chain.evals.training.verifier.rows import Table, with_cross_features, within_limits
from factscore_chain.evals.training.verifier.sources import CONTRADICTED, SUPPORTED
from factscore_chain.evals.training.verifier.texts import covering, undo_treebank, windows
from factscore_chain.verify.cross_encoder import CrossEncoder, Pair
from factscore_chain.verify.words import Floats

HELD_OUT = next(title for title in map(str, range(100)) if is_held_out(title))
TRAINED = next(title for title in map(str, range(100)) if not is_held_out(title))


class Constant(CrossEncoder):
    """Says "contradicted" by a given number of logits."""

    def __init__(self, value: float) -> None:
        self.value = value

    def logits(self, pairs: Sequence[Pair]) -> Floats:
        return np.array([[0, self.value, 0]] * len(pairs), np.float32)


def table_of(titles: Sequence[str]) -> Table:
    texts = np.array(titles)
    held_out = np.array([is_held_out(title) for title in titles])
    features = np.zeros((len(titles), 1), np.float32)
    limits = np.array([(0.0, 1.0)] * len(titles))
    return Table(features, texts, texts, held_out, texts, texts, held_out, texts, limits, held_out)


def pair(title: str, source: str = "fs") -> TrainingPair:
    return TrainingPair("It opened in 1815.", "The hall opened in 1815.", SUPPORTED, source, title)


@pytest.mark.parametrize("source", ["fs", "fs-edit", "fs-symmetric"])
def test_a_reported_topic_stops_the_training(source: str) -> None:
    with pytest.raises(UsageError, match="1 reported topics"):
        refuse_reported_topics([pair(TRAINED, source), pair(HELD_OUT, source)])


def test_training_topics_pass() -> None:
    refuse_reported_topics([pair(TRAINED)])


def test_an_edit_is_made_in_the_evidence_too_so_that_both_must_be_read() -> None:
    made = edited([pair(TRAINED)], Editor([]), Random(4), Edits(rate=1, misplaced=0, symmetric=1, denied=0))
    false, true, other = made
    assert (false.label, true.label, other.label) == (CONTRADICTED, SUPPORTED, CONTRADICTED)
    assert (true.claim, true.evidence) == (false.claim, other.evidence)
    assert other.claim == "It opened in 1815."


def test_swapped_parties_are_swapped_in_the_evidence_too() -> None:
    one = TrainingPair("Ada Bell defeated Bo Cole.", "In 1901 Ada Bell defeated Bo Cole.", SUPPORTED, "lead")
    made = edited([one] * 60, Editor([]), Random(0), Edits(rate=1, misplaced=0, symmetric=1, denied=0))
    swapped = "In 1901 Bo Cole defeated Ada Bell."
    assert {(pair.claim, pair.label) for pair in made if pair.evidence == swapped} == {
        ("Bo Cole defeated Ada Bell.", SUPPORTED),
        (one.claim, CONTRADICTED),
    }


def test_the_denial_of_what_is_false_is_true() -> None:
    one = pair(TRAINED)._replace(claim="The hall was opened in 1815.")
    made = edited([one] * 40, Editor([]), Random(0), Edits(rate=1, misplaced=0, symmetric=0, denied=1))
    denied = [each for each in made if re.search(r"was (not|never) opened in", each.claim)]
    of_other_years = [each for each in denied if "1815" not in each.claim]
    assert of_other_years
    assert {each.label for each in of_other_years} == {SUPPORTED}


def test_misplaced_values_change_places_in_the_evidence_too() -> None:
    told = "It opened in 1815 after a long delay and closed in 1830."
    one = TrainingPair("It opened in 1815.", told, SUPPORTED, "lead")
    false, true, other = edited(
        [one], Editor([]), Random(0), Edits(rate=0, misplaced=1, symmetric=1, denied=0)
    )
    assert (false.claim, false.evidence) == ("It opened in 1830.", told)
    assert (true.claim, true.label) == (false.claim, SUPPORTED)
    assert true.evidence == other.evidence == "It opened in 1830 after a long delay and closed in 1815."


def write_summaries(folder: Path, leads: dict[str, str]) -> Path:
    for name in ("factscore/pages.jsonl", "fool_me_twice/dev.jsonl", "wice/claim_dev.jsonl"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    (folder / "factscore/pages.jsonl").write_text(json.dumps({"title": HELD_OUT, "text": ["It."]}) + "\n")
    rows = [{"title": title, "extract": text} for title, text in leads.items()]
    (folder / "vital_articles").mkdir()
    packed = gzip.compress(json.dumps(rows).encode())
    (folder / "vital_articles/summaries_en-us.json.gz").write_bytes(packed)
    return folder


LEAD = (
    "The Amazon is a river in South America, and it carries more water than any other river. It rises in the "
    "Andes of Peru and flows through Brazil to the Atlantic Ocean. Some 400 billion trees grow in its basin."
)


@pytest.mark.parametrize("facts", [0, 1])
def test_a_lead_gives_statements_that_stand_alone(facts: float, tmp_path: Path) -> None:
    data = write_summaries(tmp_path, {"Amazon": LEAD, HELD_OUT: LEAD})
    found = read_leads(data, LeadsConfig(count=9, of_each=3, facts=facts, unedited=1), seed=0)
    assert {pair.title for pair in found} == {"Amazon"}
    assert len(found) == 3
    assert not any(pair.claim.startswith("It ") for pair in found)
    assert all("400 billion trees" in pair.evidence for pair in found)


def test_a_branch_never_sees_the_fold_that_it_leaves_out() -> None:
    pairs = [pair(title) for title in map(str, range(100)) if not is_held_out(title)]
    for fold in range(FOLDS):
        seen = [fold_of(each.title) for each in pairs if trained_on(each, fold)]
        assert seen
        assert fold not in seen


def test_rows_are_read_by_the_model_that_never_saw_their_topic() -> None:
    titles = [str(number) for number in range(20)]
    table = table_of(titles)
    read = with_cross_features(table, [Constant(0), Constant(1)], Constant(2))
    expected = [2 if is_held_out(title) else fold_of(title) for title in titles]
    assert read.features[:, -1].tolist() == expected


def test_probabilities_of_the_head_are_kept_within_the_limits_of_each_claim() -> None:
    table = replace(table_of(["0", "1", "2"]), limits=np.array([(0.7, 1.0), (0.0, 0.3), (0.0, 1.0)]))
    assert within_limits(table, np.array([0.5, 0.5, 0.5])).tolist() == [0.7, 0.3, 0.5]


def test_the_shipped_recipe_reads() -> None:
    recipe = read_recipe()
    assert set(recipe.head.weights) >= {"fs"}
    for one in (recipe.train.trunk, recipe.train.branch):
        assert sum(one.weights.values()) == pytest.approx(1)


def test_the_trunk_learns_from_nothing_that_the_head_is_fitted_on() -> None:
    recipe = read_recipe()
    sources = {name.split("-")[0] for name in recipe.train.trunk.weights}
    assert sources & set(recipe.head.weights) == {"fever"}


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
