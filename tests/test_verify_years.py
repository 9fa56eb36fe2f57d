"""A year has to stand with what a fact says of it, and not anywhere on the page."""

from __future__ import annotations

import pytest

from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.embedded import EmbeddedVerifier

COMPANY = (
    "Nintendo is a Japanese video game company. It was founded on 23 September 1889 in Kyoto by Fusajiro "
    "Yamauchi and made playing cards. In 1950 Hiroshi Yamauchi became its president. The company moved its "
    "headquarters in 2000."
)
PAINTER = (
    "Ann Reed (2 July 1922 – 11 June 1997) was a painter. She was born in Bergen. She moved to Oslo in 1950. "
    "She died in her studio after a short illness."
)


def _decision(fact: str, page: str) -> tuple[Verdict, float]:
    claim = Claim(AtomicFact(fact), (Passage("1", page),))
    (found,) = EmbeddedVerifier().batch([claim])
    assert found.probability is not None
    return found.verdict, found.probability


@pytest.mark.parametrize(
    ("fact", "page"),
    [
        ("Nintendo was founded in 1950.", COMPANY),
        ("Nintendo was founded in 2000.", COMPANY),
        ("Nintendo began in Kyoto in 1950.", COMPANY),
        ("Nintendo moved its headquarters in 1950.", COMPANY),
        ("Ann Reed moved to Oslo in 1997.", PAINTER),
    ],
)
def test_a_year_of_another_matter_is_no_support(fact: str, page: str) -> None:
    verdict, probability = _decision(fact, page)
    assert (verdict, probability <= 0.3) == (Verdict.NOT_SUPPORTED, True)


@pytest.mark.parametrize(
    ("fact", "page"),
    [
        ("Nintendo was founded in 1889.", COMPANY),
        ("Hiroshi Yamauchi became president in 1950.", COMPANY),
        ("Nintendo moved its headquarters in 2000.", COMPANY),
        ("Ann Reed moved to Oslo in 1950.", PAINTER),
        ("Ann Reed died in 1997.", PAINTER),
        ("Ann Reed was born in 1922.", PAINTER),
    ],
)
def test_a_year_in_its_place_is_support(fact: str, page: str) -> None:
    assert _decision(fact, page)[0] is Verdict.SUPPORTED
