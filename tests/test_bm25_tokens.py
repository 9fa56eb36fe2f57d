"""What lexical search takes for a word, over many scripts."""

from __future__ import annotations

import pytest

from factscore_chain.retrievers.tokenize import clean, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The model is Qwen.", ["the", "model", "is", "qwen"]),
        ("TOLKIEN, Tolkien's, Tolkien’s", ["tolkien"] * 3),
        ("École naïve STRASSE straße", ["ecole", "naive", "strasse", "strasse"]),
        ("Søren in Łódź", ["soren", "in", "lodz"]),
        ("Ｆｕｌｌ ｗｉｄｔｈ ﬁne", ["full", "width", "fine"]),
        ("1,000 km, 1,234,567.5 m", ["1000", "km", "1234567.5", "m"]),
        ("1.5% or 1,5 %, not 15%", ["1.5", "or", "1.5", "not", "15"]),
        ("1914–18, on 12.05.1999", ["1914", "18", "on", "12", "05", "1999"]),
        ("well-known_name", ["well", "known", "name"]),
        ("故乡", ["故乡", "故", "乡"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー", "東", "京"]),
        ("1892年に", ["1892", "年に", "年"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("नमस्ते दुनिया।", ["नमस्ते", "दुनिया"]),
        ("שָׁלוֹם", ["שלום"]),
        ("", []),
        ("!!! — …", []),
        ("\ud800 a \x00", ["a"]),
    ],
)
def test_tokens_of_many_scripts(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(("one", "other"), [("が", "か"), ("15%", "1.5%"), ("1967", "1966")])
def test_different_things_stay_different(one: str, other: str) -> None:
    assert tokens(one) != tokens(other)


def test_a_run_of_data_gives_short_tokens() -> None:
    assert max(map(len, tokens("x" * 10_000))) <= 64


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\ud83d\ude00b", "a😀b"), ("a\ud800b", "a\ufffdb"), ("a\0b", "a b"), ("Łódź", "Łódź")],
)
def test_cleaned_text_can_be_encoded(text: str, expected: str) -> None:
    assert clean(text) == expected
    assert clean(text).encode()
