"""What the page is made of: text in pieces, characters made visible, numbers behind the charts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.errors import UsageError
from factscore_chain.evals.metrics import ece
from factscore_chain.html.edits import Change, EditedText, word_changes
from factscore_chain.html.figures import Share, by_position, calibration, expected_error, histogram
from factscore_chain.html.labels import agrees, aligned
from factscore_chain.html.segments import cut
from factscore_chain.html.visible import visible
from factscore_chain.values import Span, Verdict
from tests.reports import fact, generation

SPANS = st.lists(st.lists(st.builds(Span, st.integers(-3, 30), st.integers(-3, 30)), max_size=3), max_size=9)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, naïve, 日本語 and 👩‍🔬", "plain, naïve, 日本語 and 👩‍🔬"),
        ("a\x00b\x1b[31m", "a␀b␛[31m"),
        ("abc\u202edef\u2066", "abc[U+202E]def[U+2066]"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("tag\U000e0041", "tag[U+E0041]"),
        ("lone\ud800", "lone[U+D800]"),
        ("one\r\ntwo\rthree\u2028four\ttab", "one\ntwo\nthree\nfour\ttab"),
        ("\x7f\x9b", "␡[U+009B]"),
    ],
)
def test_hidden_characters_become_visible_and_others_stay(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_overlapping_facts_share_the_pieces_that_both_state() -> None:
    pieces = cut("Ada wrote notes", [[Span(0, 9)], [Span(4, 15)], []])
    assert pieces.texts == ("Ada ", "wrote", " notes")
    assert pieces.places == (((0, 2),), ((1, 3),), ())


def test_a_fact_that_is_stated_twice_has_two_places() -> None:
    pieces = cut("Ada, the Ada", [[Span(9, 12), Span(0, 3)], [Span(0, 4), Span(4, 8)]])
    assert pieces.texts == ("Ada", ", the", " ", "Ada")
    assert pieces.places == (((0, 1), (3, 4)), ((0, 2),))


@given(st.text(max_size=25), SPANS)
def test_pieces_make_the_text_again_and_places_name_the_spans(text: str, spans: list[list[Span]]) -> None:
    pieces = cut(text, spans)
    assert "".join(pieces.texts) == text
    ends = [len("".join(pieces.texts[:count])) for count in range(len(pieces.texts) + 1)]
    for several, places in zip(spans, pieces.places, strict=True):
        stated = {at for span in several for at in range(max(0, span.start), min(len(text), span.end))}
        assert {at for first, end in places for at in range(ends[first], ends[end])} == stated


def test_a_score_of_one_lies_in_the_last_bin() -> None:
    assert histogram([0.0, 0.05, 0.1, 0.99, 1.0]) == (2, 1, 0, 0, 0, 0, 0, 0, 0, 2)


def test_positions_are_in_fifths_until_there_are_facts_enough_for_tenths() -> None:
    few, many = by_position([(0.3, True), (1.0, False)]), by_position([(0.3, True)] * 300)
    assert [(share.count, share.supported) for share in few] == [(0, 0), (1, 1), (0, 0), (0, 0), (1, 0)]
    assert [share.count for share in many] == [0, 0, 0, 300, 0, 0, 0, 0, 0, 0]


def test_the_interval_of_a_share_is_wilsons() -> None:
    interval = Share(0.0, 0.1, count=10, supported=9).interval
    assert interval == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert Share(0.0, 0.1, count=0, supported=0).interval is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_the_calibration_error_is_that_of_the_evaluation(pairs: list[tuple[float, bool]]) -> None:
    probability, supported = (np.array(column) for column in zip(*pairs, strict=True))
    expected = ece(supported, probability)
    assert expected_error(calibration(pairs)) == pytest.approx(expected, abs=1e-9)


def test_without_labels_there_is_no_calibration_error() -> None:
    assert expected_error(calibration([])) is None


def test_changes_are_found_word_by_word() -> None:
    assert word_changes("born in Paris.", "born in London.") == (
        Change("same", "born in "),
        Change("removed", "Paris"),
        Change("added", "London"),
        Change("same", "."),
    )


@given(st.text(max_size=40), st.text(max_size=40))
def test_changes_make_both_texts_again(before: str, after: str) -> None:
    changes = EditedText.of(before, after).changes
    assert "".join(change.text for change in changes if change.kind != "added") == before
    assert "".join(change.text for change in changes if change.kind != "removed") == after


def test_labels_left_out_are_none() -> None:
    generations = [generation(fact(Verdict.SUPPORTED), fact(Verdict.FAILED)), generation()]
    assert aligned(generations, None) == ((None, None), ())
    assert aligned(generations, [None, []]) == ((None, None), ())


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "0 lists of labels were given for 1 generations"),
        ([[Verdict.SUPPORTED]], "1 labels were given for the 2 facts of generation 1"),
        ([[Verdict.SUPPORTED, Verdict.UNDECIDED]], "is no label"),
        ([[Verdict.SUPPORTED, "true"]], "'true' is no label"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: list[list[Verdict]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        aligned([generation(fact(Verdict.SUPPORTED), fact(Verdict.FAILED))], labels)


@pytest.mark.parametrize(
    ("verdict", "label", "same"),
    [
        (Verdict.SUPPORTED, Verdict.SUPPORTED, True),
        (Verdict.NOT_SUPPORTED, Verdict.IRRELEVANT, True),
        (Verdict.UNDECIDED, Verdict.SUPPORTED, False),
        (Verdict.SUPPORTED, Verdict.IRRELEVANT, False),
    ],
)
def test_irrelevant_facts_count_as_not_supported(verdict: Verdict, label: Verdict, same: bool) -> None:
    assert agrees(verdict, label) is same
