"""Whether fact or evidence denies, clause by clause."""

from __future__ import annotations

import numpy as np
import pytest

from factscore_chain.verify.denials import clauses, denial

SENTENCE = ["She", "did", "not", "sail", "to", "Oslo", ",", "she", "sailed", "to", "Bergen"]


def match_of(*words: str) -> np.ndarray:
    return np.array([[float(word == other) for other in SENTENCE] for word in words], np.float32)


@pytest.mark.parametrize(
    ("fact", "place", "expected"),
    [
        ("She sailed to Bergen", "Bergen", (False, False)),
        ("She sailed to Oslo", "Oslo", (False, True)),
        ("She never sailed to Oslo", "Oslo", (False, False)),
        ("She never sailed to Bergen", "Bergen", (True, False)),
    ],
)
def test_the_clause_that_speaks_of_it_decides(fact: str, place: str, expected: tuple[bool, bool]) -> None:
    assert denial(fact.split(), SENTENCE, match_of(place)) == expected


@pytest.mark.parametrize(("text", "count"), [("a , b but c", 3), (", ;", 1), ("a", 1), ("a ,", 1)])
def test_there_is_always_a_clause(text: str, count: int) -> None:
    found = clauses(text.split())
    assert len(found) == count
    assert all(part.stop > part.start for part in found)
