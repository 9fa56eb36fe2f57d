"""Editing metrics, each worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from factscore_chain.evals.editing_baselines import copy, noise, remove_all
from factscore_chain.evals.editing_metrics import aligned_similarity, as_table, count, figures
from factscore_chain.evals.word_diff import word_diff, words_of
from factscore_chain.values import AtomicFact, Decision, Span, Verdict
from factscore_chain.verify.reading import Reader
from factscore_chain.verify.words import Words

TEXT = "Ada Lovelace was born in Paris in 1815."
REVISED = "Ada Lovelace was born in London in 1815."


def fact(text: str, *, supported: bool) -> Decision:
    verdict = Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED
    return Decision(AtomicFact(text, Span(0, len(TEXT))), verdict, "people")


FACTS = [
    fact("Ada Lovelace was born in Paris.", supported=False),
    fact("Ada Lovelace was born in 1815.", supported=True),
]


def of(after: str, revised: str = REVISED) -> Mapping[str, float | None]:
    return figures(as_table([count(TEXT, after, revised, FACTS, 0.5)]))


def test_a_diff_says_which_words_stay_and_which_come() -> None:
    diff = word_diff(TEXT, "ada Lovelace, born in London in 1815")
    assert diff.kept == (True, True, False, True, True, False, True, True)
    assert dict(diff.added) == {"london": 1}


@pytest.mark.parametrize(
    ("after", "loc", "corr"),
    [
        # 7 of 8 words kept by both, 1 dropped by both, 1 added by both.
        (REVISED, 1.0, 1.0),
        # Kept: 2 * 7 / (8 + 7); dropped: none of 1.
        (TEXT, (14 / 15) / 2, 0.0),
        # Kept: 2 * 6 / (6 + 7); dropped: 2 * 1 / (2 + 1); nothing added.
        ("Ada Lovelace was born in 1815.", (12 / 13 + 2 / 3) / 2, 0.0),
        # Kept as people do; 2 * 1 / (2 + 1) of what is added.
        ("Ada Lovelace was born in London, England in 1815.", 1.0, 2 / 3),
        # Kept: none of 7; dropped: 2 * 1 / (8 + 1).
        ("", (0 + 2 / 9) / 2, 0.0),
    ],
)
def test_error_localisation_and_correction(after: str, loc: float, corr: float) -> None:
    found = of(after)
    assert found["err_loc"] == pytest.approx(loc)
    assert found["err_corr"] == pytest.approx(corr)


def test_what_occurs_nowhere_has_no_figure() -> None:
    untouched = figures(as_table([count(TEXT, TEXT, TEXT, [], 1.0)]))
    assert untouched["err_loc"] == 1.0
    assert untouched["err_corr"] is None
    assert untouched["unsupported_removed"] is None
    assert untouched["supported_kept"] is None
    assert figures(as_table([]))["sim_al"] is None


@pytest.mark.parametrize(
    ("after", "removed", "kept"),
    [
        (TEXT, 0.0, 1.0),
        (REVISED, 1.0, 1.0),
        ("", 1.0, 0.0),
        # Of Ada, Lovelace, born and 1815 the year is lost, and Paris is still there.
        ("Ada Lovelace was born in Paris.", 0.0, 3 / 4),
    ],
)
def test_facts_are_followed_by_their_own_words(after: str, removed: float, kept: float) -> None:
    found = of(after)
    assert found["unsupported_removed"] == removed
    assert found["supported_kept"] == kept


def test_an_unsupported_fact_without_words_of_its_own_counts_as_kept() -> None:
    facts = [fact("Ada Lovelace was born in 1815.", supported=True), fact("Ada was born.", supported=False)]
    assert figures(as_table([count(TEXT, TEXT, TEXT, facts, 1.0)]))["unsupported_removed"] == 0
    assert figures(as_table([count(TEXT, "", TEXT, facts, 0.0)]))["unsupported_removed"] == 1
    unsaid = [fact("Charles Babbage lived.", supported=False)]
    assert figures(as_table([count(TEXT, TEXT, TEXT, unsaid, 1.0)]))["unsupported_removed"] is None


def test_words_are_counted_over_all_texts_and_similarity_is_a_mean() -> None:
    table = as_table([count(TEXT, "", REVISED, FACTS, 0.0), count(TEXT, TEXT, REVISED, FACTS, 1.0)])
    found = figures(table)
    assert found["supported_kept"] == 0.5
    assert found["sim_al"] == 0.5


def vectors(*rows: tuple[float, float]) -> Words:
    names = tuple("w" * (i + 1) for i in range(len(rows)))
    array = np.array(rows, np.float32).reshape(-1, 2)
    return Words(names, names, np.arange(len(rows)), array, np.ones(len(rows), np.float32))


def test_similarity_is_the_f1_of_nearest_words() -> None:
    # Each word of the first finds itself (precision 1); of the second, one of two does (recall 1 / 2).
    assert aligned_similarity(vectors((1, 0)), vectors((1, 0), (0, 1))) == pytest.approx(2 / 3)
    assert aligned_similarity(vectors((1, 0)), vectors((-1, 0))) == 0.0
    assert aligned_similarity(vectors(), vectors((1, 0))) == 0.0
    assert aligned_similarity(vectors(), vectors()) == 1.0


def test_the_nearer_edit_is_more_similar() -> None:
    edits = Reader().words([REVISED, "Ada Lovelace was born in 1815.", "The harbour freezes in winter."])
    same, near, far = (aligned_similarity(one, edits[0]) for one in edits)
    assert same == pytest.approx(1)
    assert same > near > far


def test_the_baselines_do_nothing_everything_and_something() -> None:
    text = f"{TEXT} She wrote notes on the Analytical Engine, and taught herself mathematics."
    assert copy(text) == text
    assert remove_all(text) == ""
    assert noise(text, 1) == noise(text, 1) != noise(text, 2)
    changed = 1 - sum(word_diff(text, noise(text, 1)).kept) / len(words_of(text))
    assert 0.05 < changed < 0.6
    assert noise("") == ""
