"""What bounds a probability whatever the head says."""

from __future__ import annotations

import pytest

from factscore_chain.verify.checks import LEAST_IF_RESTATED, MOST_IF_OTHERWISE, limits

ALIKE = {"all_same": 1.0, "rivals": 0.0, "best_over_half": 1.0, "only_fact_denies": 0.0}
REPLACED = {**ALIKE, "all_same": 0.5, "rivals": 0.5, "best_over_half": 0.5}
FREE, DOWN, UP = (0.0, 1.0), (0.0, MOST_IF_OTHERWISE), (LEAST_IF_RESTATED, 1.0)
NAVY = "He did not serve in the navy; he served in the army."


@pytest.mark.parametrize(
    ("fact", "evidence", "features", "expected"),
    [
        ("She was born in 1966.", "She was born in 1967.", REPLACED, DOWN),
        ("She was born in 1966.", "She was born in 1967.", {**REPLACED, "all_same": 1.0}, FREE),
        ("She was born in 1966.", "She moved in 1967.", {**REPLACED, "best_over_half": 0.0}, FREE),
        ("It has over 50 rooms.", "It has 53 rooms.", REPLACED, FREE),
        ("It has over 50 rooms.", "It has over 60 rooms.", REPLACED, DOWN),
        ("His mother is Ada.", "He is the son of Ada.", REPLACED, FREE),
        ("She did not sing.", "She sang.", {**ALIKE, "only_fact_denies": 1.0}, DOWN),
        ("He served in the navy.", NAVY, ALIKE, DOWN),
        ("He served in the army.", NAVY, ALIKE, FREE),
        ("He never served in the navy.", NAVY, ALIKE, UP),
        ("He is in Genesis.", "When not on tour with Genesis, he paints.", ALIKE, FREE),
        ("Ada didn't swim home.", "Ada did never swim home.", ALIKE, FREE),
        ("", "", ALIKE, FREE),
    ],
)
def test_only_what_reading_settles_is_bounded(
    fact: str, evidence: str, features: dict[str, float], expected: tuple[float, float]
) -> None:
    assert limits(features, fact, evidence) == expected


WED = "Isaac Newton studied in Cambridge. He never married."
BORN = "Marie Curie was a Polish-born physicist. She was born in Warsaw on 7 November 1867."
DENIES = {**ALIKE, "only_fact_denies": 1.0}


@pytest.mark.parametrize(
    ("fact", "evidence", "subject", "features", "expected"),
    [
        ("Isaac Newton never married.", WED, "Isaac Newton", ALIKE, UP),
        ("Isaac Newton was never married.", WED, "Isaac Newton", ALIKE, UP),
        ("Isaac Newton was married.", WED, "Isaac Newton", ALIKE, DOWN),
        ("Isaac Newton married Ada.", WED, "Isaac Newton", ALIKE, FREE),
        ("The tower was built in Lyon.", "It was not built in Lyon, but in Paris.", "tower", ALIKE, DOWN),
        ("The tower was built.", "It was not built in Lyon, but in Paris.", "tower", ALIKE, FREE),
        ("Marie Curie was born in Warsaw, not in Paris.", BORN, "Marie Curie", DENIES, UP),
        ("Marie Curie was not born in Paris.", BORN, "Marie Curie", DENIES, UP),
        ("Marie Curie was not born in 1890.", BORN, "Marie Curie", DENIES, UP),
        ("Marie Curie was not born in Warsaw.", BORN, "Marie Curie", DENIES, DOWN),
        ("Marie Curie was not born in 1867.", BORN, "Marie Curie", DENIES, DOWN),
        ("Marie Curie did not study in Paris.", "She studied in Warsaw.", "Marie Curie", DENIES, DOWN),
    ],
)
def test_a_denial_is_read_against_its_subject_and_what_can_be_true_once(
    fact: str,
    evidence: str,
    subject: str,
    features: dict[str, float],
    expected: tuple[float, float],
) -> None:
    assert limits(features, fact, evidence, subject) == expected
