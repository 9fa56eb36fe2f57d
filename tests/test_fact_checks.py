"""What a decomposed fact must pass: it stands alone, adds nothing, and points to its place."""

from __future__ import annotations

import pytest

from factscore_chain.decompose.additions import addition
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.spans import fact_span
from factscore_chain.decompose.standalone import opens_with_pronoun, with_topic

PRONOUNS = """
He died. | she's a nurse. | It is big. | Their son left. | This film won. | His wife died. | They said so.
| I was born in 1900. | "It" is said twice. | These were lost. | It’s in Spain.
"""
NAMES = """
Ada died. | It Happened One Night is a film. | He Jiankui is a biophysicist. | Italy is a country.
| They Live came out in 1988. | Hers was lost. | Thistles grow there. | You Only Live Twice is a novel.
| I, Robot is a film. | You're All Surrounded is a series.
"""


@pytest.mark.parametrize("fact", PRONOUNS.split("|"))
def test_a_fact_that_opens_with_a_pronoun_is_seen(fact: str) -> None:
    assert opens_with_pronoun(fact.strip())


@pytest.mark.parametrize("fact", NAMES.split("|"))
def test_a_fact_that_opens_with_a_name_stands_alone(fact: str) -> None:
    assert not opens_with_pronoun(fact.strip())


CHAIN = "Ada was born in London. She loved numbers. Her mother met Babbage. She died in 1852."


@pytest.mark.parametrize(
    ("text", "index", "fact", "topic", "resolved"),
    [
        (CHAIN, 1, "She loved numbers.", "Ada Lovelace", "Ada Lovelace loved numbers."),
        (CHAIN, 2, "Her mother was strict.", "Ada Lovelace", "Ada Lovelace's mother was strict."),
        (CHAIN, 3, "She died in 1852.", "Ada Lovelace", None),
        (CHAIN, 1, "He loved numbers.", "Ada Lovelace", None),
        (CHAIN, 1, "They loved numbers.", "Ada Lovelace", None),
        ("She was born here.", 0, "She was born here.", "Ada (poet)", "Ada was born here."),
        ("Its height is 5 m.", 0, "Its height is 5 m.", "Big Ben", "Big Ben's height is 5 m."),
        ("Marie Curie was a chemist. She met Albert Einstein. He left.", 2, "He left.", "Marie Curie", None),
        ("Ada gained fame for her notes on Babbage. In 1852 she died.", 1, "She died.", "Ada", "Ada died."),
        ("Ada wrote Notes. It sold well.", 1, "It sold well.", "Ada", None),
        ("Ada loved it. Her brother Tom left. She left too.", 2, "She left too.", "Ada", None),
        ("Marie Curie met Einstein. He left.", 1, "He left.", "Marie Curie", None),
        ("Ada was English. She died.", 1, "She died.", "Ada", "Ada died."),
        ("The tower is old. It fell.", 1, "It fell.", "London Tower", "London Tower fell."),
        ("A bridge stood there. It fell.", 1, "It fell.", "London Tower", None),
    ],
)
def test_a_pronoun_gives_way_to_the_topic_only_where_that_is_plain(
    text: str, index: int, fact: str, topic: str, resolved: str | None
) -> None:
    assert with_topic(fact, topic, split_sentences(text), index) == resolved


KNOWN = """J. R. R. Tolkien
In 1914-18, he lived in Italy with two sons;
the WHO paid 1,000 or 1,5 % of it in Jan. 1967."""


@pytest.mark.parametrize(
    "fact",
    [
        "Tolkien lived in Italy.",
        "Tolkien was in Italy until 1918.",
        "Tolkien had 2 sons.",
        "Tolkien's sons were Italian.",
        "The World Health Organization paid 1000.",
        "He got 1.5 % in January 1967.",
        "Sons lived in Italy.",
    ],
)
def test_another_writing_of_what_the_text_says_adds_nothing(fact: str) -> None:
    assert addition(fact, KNOWN) is None


@pytest.mark.parametrize(
    ("fact", "added"),
    [
        ("Tolkien was born in 1892.", "1892"),
        ("It paid 15 %.", "15"),
        ("It paid 10,000.", "10,000"),
        ("Tolkien lived in Spain.", "Spain"),
        ("Edith Bratt lived in Italy.", "Edith"),
        ("Tolkien was in it in 1966.", "1966"),
    ],
)
def test_a_number_or_name_of_the_models_own_is_found(fact: str, added: str) -> None:
    assert addition(fact, KNOWN) == added


def test_names_are_not_told_by_capitals_in_german() -> None:
    assert addition("Er war ein Schriftsteller.", "Er wurde in der Stadt geboren und war Autor.") is None


@pytest.mark.parametrize(
    ("text", "fact", "topic", "stated"),
    [
        ("Ada was born in 1815 and died in 1852.", "Ada died in 1852.", "Ada", "died in 1852"),
        ("Ada was born in 1815 and died in 1852.", "Ada was born in 1815.", "Ada", "born in 1815"),
        ("It cost $1,000.50, or so, in 1815.", "It cost 1,000.50.", None, "cost $1,000.50"),
        ("He came. ", "Nothing shared", None, "He came."),
        ("Paris is here.", "Paris", "Paris", "Paris"),
        ("他于1892年出生，1973年去世。", "他1973年去世", None, "1973年去世"),
        ("Born in Rome, she left Rome for Bonn.", "She left Rome.", None, "left Rome"),
    ],
)
def test_a_fact_points_to_the_shortest_stretch_that_states_it(
    text: str, fact: str, topic: str | None, stated: str
) -> None:
    (sentence,) = split_sentences(f"  {text}")
    span = fact_span(sentence, fact, topic)
    assert f"  {text}"[span.start : span.end] == stated


def test_his_at_the_head_of_a_title_is_told_from_his_degree() -> None:
    sentence = "Pullman, who has a PhD, wrote the trilogy His Dark Materials."
    assert not opens_with_pronoun("His Dark Materials is a trilogy.", sentence)
    assert opens_with_pronoun("His PhD is old.", sentence)


def test_a_long_text_of_pronouns_is_followed_back_without_end() -> None:
    sentences = split_sentences("She left. " * 2000)
    assert with_topic("She left.", "Ada", sentences, 1999) == "Ada left."
