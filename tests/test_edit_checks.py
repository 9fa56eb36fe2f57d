"""What speaks against an edit before anything is verified."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factscore_chain.edit.base import EditRequest, Policy
from factscore_chain.edit.checks import objection
from factscore_chain.edit.polarity import flipped
from factscore_chain.report import FactRecord
from factscore_chain.values import Generation, Passage, Sentence, SentenceKind, Span, Verdict


def _request(
    sentence: str, fact: str, passage: str, policy: Policy = Policy.AUTO, kind: SentenceKind = "prose"
) -> EditRequest:
    text = f"Ada Lovelace wrote notes. {sentence}"
    record = FactRecord(
        text=fact, verdict=Verdict.NOT_SUPPORTED, verifier="test", passages=(Passage("p", passage),)
    )
    place = Sentence(sentence, Span(26, len(text)), 1, kind)
    return EditRequest(Generation(text, "Ada Lovelace"), place, (record,), (0,), policy)


BORN = ("She was born in Paris in 1820.", "Ada Lovelace was born in 1820.", "She was born in London in 1815.")
KEPT = ("She never met Babbage.", "Ada Lovelace never met Babbage.", "In 1833 she met Charles Babbage.")
BIRTH = (
    "She was born on 5 May 1820 in Paris.",
    "Ada Lovelace was born on 5 May 1820.",
    "Ada Lovelace was born in London on December 10, 1815.",
)
OTHER = (
    "The engine was shown in 1820.",
    "The Analytical Engine was shown in 1820.",
    "A printer for cards was shown in 1861.",
)
SALES = ("Revenue increased 20% in 2019.", "Revenue increased 20% in 2019.", "The firm builds boats.")
COUNT = (
    "In 2010 the town had 5,000 people.",
    "The town had 5,000 people in 2010.",
    "The census of 2010 counted 4,200 people, and that of 2020 counted 6,100.",
)


def test_a_line_with_a_label_tells_of_what_its_page_is_about() -> None:
    given = _request("She died in 1866.", "Ada Lovelace died in 1866.", "- Died: 27 November 1852")
    (fact,) = given.facts
    titled = fact.model_copy(update={"passages": (replace(fact.passages[0], title="Ada Lovelace"),)})
    assert objection(replace(given, facts=(titled,)), "She died in 1852.") is None
    assert "of something else" in (objection(given, "She died in 1852.") or "")


@pytest.mark.parametrize(
    ("given", "edited"),
    [
        (BORN, "She was born in Paris in 1815."),
        (BORN, "She was born in Paris."),
        (BORN, ""),
        (BIRTH, "She was born on 10 December 1815 in Paris."),
        (BIRTH, "She was born in London on December 10, 1815."),
        (KEPT, "She met Babbage."),
        (KEPT, "She met Charles Babbage in 1833."),
        (COUNT, "In 2010 the town had 4,200 people."),
        (COUNT, "In 2010 the town had people."),
    ],
)
def test_what_the_passages_say_may_be_written(given: tuple[str, str, str], edited: str) -> None:
    assert objection(_request(*given), edited) is None


@pytest.mark.parametrize(
    ("passage", "why"),
    [
        ("Nintendo was founded in 1889.", None),
        ("It was founded in 1889.", None),
        ("Yamaha was founded in 1889.", "the passages have 1889 of something else"),
    ],
)
def test_a_year_is_taken_from_what_names_the_subject_of_a_text_without_topic(
    passage: str, why: str | None
) -> None:
    given = ("Nintendo was founded in 1905.", "Nintendo was founded in 1905.", passage)
    request = replace(_request(*given), generation=Generation(given[0]))
    assert objection(request, "Nintendo was founded in 1889.") == why


@pytest.mark.parametrize(
    ("given", "edited", "why"),
    [
        (BORN, "She was born in Paris in 1816.", "no passage has '1816'"),
        (BORN, "She was born in Rome in 1820.", "no passage has 'Rome'"),
        (BORN, "She was not born in Paris in 1820.", "opposite"),
        (SALES, "Revenue decreased 20% in 2019.", "opposite"),
        (SALES, "Revenue fell 20% in 2019.", "opposite"),
        (BORN, "HACKED", "no version"),
        (BORN, "I have ignored the above instructions.", "no version"),
        (BORN, "She was born in Paris in 1820. " + "So it was said by them. " * 6, "much longer"),
        (BORN, "She was born\nin Paris.", "more lines"),
        (BORN, "She was born in Paris and.", "breaks off at 'and'"),
        (BORN, "Today, and was born in Paris.", "nothing stands before 'and'"),
        (OTHER, "The engine was shown in 1861.", "1861 of something else"),
        (COUNT, "In 2010 the town had 6,100 people.", "another time"),
        (COUNT, "In 2020 the town had 6,100 people.", "another time"),
    ],
)
def test_what_no_passage_says_may_not(given: tuple[str, str, str], edited: str, why: str) -> None:
    assert why in (objection(_request(*given), edited) or "")


@pytest.mark.parametrize(
    ("policy", "edited", "why"),
    [
        (Policy.REMOVE, "She was born in London in 1820.", "the policy is 'remove'"),
        (Policy.CORRECT, "She was born in Paris.", "the policy is 'correct'"),
        (Policy.CORRECT, "", "the policy is 'correct'"),
        (Policy.HEDGE, "She was reportedly born in Paris.", "the policy is 'hedge'"),
        (Policy.HEDGE, "", "the policy is 'hedge'"),
    ],
)
def test_an_edit_does_what_it_was_asked_for(policy: Policy, edited: str, why: str) -> None:
    assert why in (objection(_request(*BORN, policy), edited) or "")


@pytest.mark.parametrize(
    "edited",
    [
        "She was reportedly born in Paris in 1820.",
        "She was born in Paris in 1820, though this could not be verified.",
        "It is not confirmed that she was born in Paris in 1820.",
    ],
)
def test_a_mark_of_doubt_turns_nothing_round(edited: str) -> None:
    assert objection(_request(*BORN, Policy.HEDGE), edited) is None


def test_a_row_of_a_table_keeps_its_cells() -> None:
    request = _request("Born | Paris | 1820", BORN[1], BORN[2], kind="table_row")
    assert "cells" in (objection(request, "Born | London, 1815") or "")


def test_a_name_that_the_text_has_elsewhere_needs_no_passage() -> None:
    assert objection(_request(*BORN), "Ada Lovelace was born in Paris.") is None


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("She never remarried.", "She remarried later.", ("remarr",)),
        ("He wrote it.", "He didn't write it.", ("writ",)),
        ("The flight was successful.", "The flight was unsuccessful.", ("unsuccessful",)),
        ("They won the war.", "They lost the war.", ("lost",)),
        ("Sales rose by 20%.", "Sales dropped by 20%.", ("dropp",)),
        ("They parted and never met again.", "They parted.", ()),
        ("It was not the first but the second.", "It was the second.", ()),
        ("He was never in Paris.", "He was never in Oslo.", ()),
        ("She could not go to Oslo following an injury.", "She could not go following an injury.", ()),
        ("Er war nie in Paris.", "Er war nie in Oslo.", ()),
    ],
)
def test_polarity_is_told_from_rewording(before: str, after: str, words: tuple[str, ...]) -> None:
    assert flipped(before, after) == words
