"""A sentence that has all of a fact but one name is told from one that speaks of something else."""

from __future__ import annotations

import pytest

from factscore_chain.verify.renamed import names_another


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        ("Kyoto Tower was designed by Mamoru Yamada.", "Kyoto Tower, of 1964, was designed by Kenzo Tange."),
        ("Mamoru Yamada designed Kyoto Tower.", "Kenzo Tange designed Kyoto Tower."),
        ("Ada Lovelace was born in London.", "Ada Lovelace was born in Paris and lived in Kent."),
        ("The capital of Kenya is Nairobi.", "The capital of Kenya is Mombasa."),
    ],
)
def test_another_name_in_the_place_of_one_is_seen(fact: str, sentence: str) -> None:
    assert names_another(fact, sentence)


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        ("Kyoto Tower was designed by Mamoru Yamada.", "Kyoto Tower was designed by Mamoru Yamada."),
        ("Kyoto Tower was designed by Mamoru Yamada.", "Kyoto Tower was designed by Yamada."),
        ("Kyoto Tower was designed by Mamoru Yamada.", "Tokyo Tower was designed by Tachu Naito."),
        ("Kyoto Tower was designed by Mamoru Yamada.", "Kyoto Tower was designed by an architect."),
        ("Ada Lovelace met Charles Babbage.", "Ada Lovelace met Mary Somerville."),
        ("Ada Lovelace was born in London.", "Ada Lovelace lived in Kent."),
        ("Ada Lovelace was born in London.", "Ada Lovelace was born in December."),
        ("It was founded.", "It was founded by Ada."),
        ("", ""),
    ],
)
def test_what_says_the_same_or_something_else_is_not(fact: str, sentence: str) -> None:
    assert not names_another(fact, sentence)
