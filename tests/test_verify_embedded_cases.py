"""Facts that differ from their evidence in one number, unit, date or "not", and such as only seem to."""

from __future__ import annotations

import pytest

from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.embedded import EmbeddedVerifier

NAVY = "He did not serve in the navy; he served in the army."


def verdict(fact: str, evidence: str) -> Verdict:
    claim = Claim(AtomicFact(fact), (Passage("p", evidence),))
    return EmbeddedVerifier().invoke(claim).verdict


@pytest.mark.parametrize(
    ("fact", "evidence"),
    [
        ("He never served in the navy.", NAVY),
        ("He served in the army.", NAVY),
        ("She knows Python.", "She is a Python expert."),
        ("The alloy holds at most 1.5% carbon.", "The alloy holds at most 1,5 % carbon."),
        ("The river is 1,000 km long.", "The river is 1000 km long."),
        ("The river is 1000 kilometres long.", "The river is 1,000 km long."),
        ("She was born on Jan 15, 1967.", "She was born on 15 January 1967."),
        ("They had two children.", "They had 2 children."),
        ("Kyoto has 1,400,000 people.", "Kyoto has 1.4 million people."),
        ("The rock is older than the lake.", "The rock, 1±0.5 billion years old, is older than the lake."),
    ],
)
def test_the_same_thing_in_other_words_is_supported(fact: str, evidence: str) -> None:
    assert verdict(fact, evidence) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("fact", "evidence"),
    [
        ("He served in the navy.", NAVY),
        ("The alloy holds at most 15% carbon.", "The alloy holds at most 1.5% carbon."),
        ("The river is 1000 miles long.", "The river is 1000 km long."),
        ("She was born in 1966.", "She was born in 1967."),
        ("She was born on 15 March 1967.", "She was born on 15 January 1967."),
        ("They had three children.", "They had two children."),
        ("Kyoto has 14 million people.", "Kyoto has 1.4 million people."),
        ("Kyoto has 1.4 billion people.", "Kyoto has 1.4 million people."),
        ("The bridge was never opened.", "The bridge was opened in 1932."),
        ("The bridge did not open in 1932.", "The bridge opened in 1932."),
        ("He is no longer the director.", "He is the director."),
    ],
)
def test_one_thing_that_differs_is_enough_to_reject(fact: str, evidence: str) -> None:
    assert verdict(fact, evidence) is Verdict.NOT_SUPPORTED


def test_a_fact_of_function_words_gets_an_answer() -> None:
    assert verdict("He was it.", "She is a Python expert.") is Verdict.NOT_SUPPORTED
