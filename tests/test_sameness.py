"""Facts that say the same, and facts that add nothing."""

from __future__ import annotations

import pytest

from factscore_chain.decompose.distinct import distinct
from factscore_chain.decompose.padding import is_trivial, padding
from factscore_chain.decompose.sameness import wording
from factscore_chain.values import AtomicFact, Span


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("He was born in 1892.", "he was born in  1892"),
        ("Ada moved to Rome in 1840.", "In 1840, Ada moved to Rome."),
        ("Ada moved to Rome in 1840.", "In 1840 Ada moved to Rome."),
        ("Ada died on 27 November 1852.", "Ada died on November 27, 1852."),
        ("On 27 November 1852, Ada died.", "Ada died on 27 November 1852."),
        ("The lake has two islands.", "The lake also has 2 islands."),
        ("The town has 1,000 wells.", "The town has 1000 wells!"),
        ("Ada is a mathematician.", "Ada was the mathematician"),
    ],
)
def test_wordings_of_one_fact_are_the_same(one: str, other: str) -> None:
    assert wording(one) == wording(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada defeated Ben.", "Ben defeated Ada."),
        ("Ada was not a nurse.", "Ada was a nurse."),
        ("Ada died before 1900.", "Ada died after 1900."),
        ("Ada moved from Rome to Bonn.", "Ada moved from Bonn to Rome."),
        ("Ada was born in 1892.", "Ada was born in 1893."),
        ("The metal melts at 5 %.", "The metal melts at 5."),
        ("Ada sold 12 boats in May.", "Ada sold 21 boats in May."),
    ],
)
def test_other_facts_are_not(one: str, other: str) -> None:
    assert wording(one) != wording(other)


def test_a_fact_stated_twice_counts_once_and_keeps_both_places() -> None:
    facts = [
        AtomicFact("Ada moved to Rome in 1840.", Span(0, 26), 0),
        AtomicFact("Ada wrote.", Span(27, 37), 1),
        AtomicFact("In 1840, Ada moved to Rome.", Span(38, 64), 2),
    ]
    first, second = distinct(facts)
    assert (first.text, first.span, first.also) == (facts[0].text, Span(0, 26), (Span(38, 64),))
    assert (second.text, second.also) == ("Ada wrote.", ())


def test_facts_without_a_word_of_their_own_stay_apart() -> None:
    assert len(distinct([AtomicFact("Is it?"), AtomicFact("The."), AtomicFact("A.")])) == 3


@pytest.mark.parametrize(
    ("fact", "topic"),
    [
        ("Ada Lovelace was a person.", "Ada Lovelace"),
        ("Ada Lovelace was a human being.", None),
        ("Ada Lovelace existed.", "Ada Lovelace"),
        ("Lovelace was born.", "Ada Lovelace"),
        ("Ada Lovelace is Ada Lovelace.", None),
        ("A rose is a rose.", None),
        ("Mercury is called Mercury.", "Mercury (planet)"),
        ("There was a person named Ada Lovelace.", "Ada Lovelace"),
    ],
)
def test_a_fact_that_restates_its_topic_is_trivial(fact: str, topic: str | None) -> None:
    assert is_trivial(fact, topic)


@pytest.mark.parametrize(
    ("fact", "topic"),
    [
        ("Ada Lovelace was a mathematician.", "Ada Lovelace"),
        ("Ada Lovelace was not a person.", "Ada Lovelace"),
        ("Ada Lovelace lived in London.", "Ada Lovelace"),
        ("Ada Lovelace died.", "Ada Lovelace"),
        ("Mercury is a planet.", "Mercury (planet)"),
        ("The capital of France is Paris.", "capital of France"),
        ("A corporation is a person.", "Company law"),
        ("Dark matter exists.", "Cosmology"),
        ("Ada Byron is Ada Lovelace.", "Ada Lovelace"),
        ("Is it?", None),
        ("Ada is.", "Ben"),
        ("", "Ada"),
    ],
)
def test_a_fact_with_something_to_check_is_not(fact: str, topic: str | None) -> None:
    assert not is_trivial(fact, topic)


@pytest.mark.parametrize(
    ("texts", "repeats"),
    [
        (["Ada was born in Rome.", "Ada was born in Rome in 1815."], [1, None]),
        (["Ada was born in Rome in 1815.", "Ada was born in Rome."], [None, 0]),
        (["Ada wrote.", "Ada wrote!"], [None, 0]),
        (["Ada won the race.", "Ada won the race in no year."], [None, None]),
        (["Ada was a member of the club.", "Ada was a member of the club's board."], [None, None]),
        (["Ada won.", "Ada won nothing."], [None, None]),
        (["Ada wrote notes.", "Ben wrote notes in 1843."], [None, None]),
    ],
)
def test_a_fact_repeats_one_that_goes_on_where_it_ends(texts: list[str], repeats: list[int | None]) -> None:
    assert [one.repeats for one in padding(texts, None, [True] * len(texts))] == repeats


def test_of_several_facts_that_say_more_a_supported_one_is_named() -> None:
    texts = ["Ada moved.", "Ada moved to Rome.", "Ada moved to Bonn."]
    assert padding(texts, "Ada", [True, False, True])[0].repeats == 2
