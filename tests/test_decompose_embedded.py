"""The embedded decomposer: facts that stand alone, made of the text's own words, whatever the text is."""

from __future__ import annotations

import re

import pytest

from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.values import AtomicFact, Generation


def _facts(text: str, topic: str | None = None) -> list[AtomicFact]:
    return list(EmbeddedDecomposer().invoke(Generation(text, topic)).facts)


def _texts(text: str, topic: str | None = None) -> list[str]:
    return [fact.text for fact in _facts(text, topic) if fact.checkable]


def _having(facts: list[str], *words: str) -> list[str]:
    return [fact for fact in facts if all(word in fact for word in words)]


_PRONOUN = re.compile(r"(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)


def test_kinds_of_person_are_facts_of_their_own() -> None:
    facts = _texts("Ada Lovelace was an English mathematician and writer.", "Ada Lovelace")
    assert "Ada Lovelace was a mathematician." in facts
    assert "Ada Lovelace was a writer." in facts
    assert _having(facts, "English")


def test_place_and_date_of_birth_are_two_facts() -> None:
    facts = _texts("She was born in London on December 10, 1815.", "Ada Lovelace")
    assert "Ada Lovelace was born in London." in facts
    assert "Ada Lovelace was born on December 10, 1815." in facts


def test_each_item_of_a_series_is_a_fact() -> None:
    text = "He has appeared in The Green House, Night Train and Over the Hill."
    facts = _texts(text, "Paul Norden")
    for title in ("The Green House", "Night Train", "Over the Hill"):
        assert f"Paul Norden has appeared in {title}." in facts


def test_a_relative_clause_is_about_what_it_follows() -> None:
    text = "He was raised by Lena Norden, who was a teacher in Oslo."
    facts = _texts(text, "Paul Norden")
    assert _having(facts, "Lena Norden was a teacher")
    assert not _having(facts, "Paul Norden was a teacher")


def test_facts_have_only_words_of_the_text_and_the_topic() -> None:
    text = (
        "Paul Norden (born 3 May 1950) is a Norwegian actor, director and producer. After studying at the "
        "University of Oslo, he moved to Paris, where he worked with the company La Lune from 1975 to 1980."
    )
    known = set(re.findall(r"\w+", f"{text} Paul Norden".lower())) | {
        "is",
        "was",
        "a",
        "an",
        "has",
        "had",
        "s",
    }
    known |= {"are", "were", "from", "in", "among", "the"}
    for fact in _texts(text, "Paul Norden"):
        assert set(re.findall(r"\w+", fact.lower())) <= known


def test_the_place_of_a_fact_holds_its_words() -> None:
    text = "He lived in Rome.  He was born in Oslo and died in Bergen in 1990."
    for fact in _facts(text, "Paul Norden"):
        assert fact.span is not None
        place = text[fact.span.start : fact.span.end]
        assert all(
            word in place for word in re.findall(r"\w+", fact.text) if word in ("Rome", "Oslo", "Bergen")
        )


@pytest.mark.parametrize(
    "text",
    [
        "最初のスーパーボウルは1967年1月15日に開催されました",
        "他于1892年出生。他是一位作家！",
        "उनका जन्म १८९२ में हुआ। वे लेखक थे।",
    ],
)
def test_other_scripts_give_facts(text: str) -> None:
    found = EmbeddedDecomposer().invoke(Generation(text))
    assert {fact.sentence for fact in found.facts} == {sentence.index for sentence in found.sentences}


def test_a_chinese_pronoun_gives_way_to_the_topic() -> None:
    assert _texts("他于1892年出生。", "托尔金") == ["托尔金于1892年出生。"]


_LAYOUT = """## Early life

- **Born**: 3 January 1892
1. Served in WWI

| Year | Book |
|------|------|
| 1937 | The Hobbit |

```python
print("not a fact")
```
"""


def test_layout_is_context_and_no_content() -> None:
    facts = _texts(_LAYOUT, "J. R. R. Tolkien")
    assert facts
    assert not _having(facts, "Early life")
    assert not _having(facts, "print")
    assert not [fact for fact in facts if fact.startswith(("-", "1.", "|", "*"))]


def test_list_items_take_their_subject_from_the_topic() -> None:
    facts = _texts(_LAYOUT, "J. R. R. Tolkien")
    assert _having(facts, "J. R. R. Tolkien", "born", "3 January 1892")
    assert _having(facts, "J. R. R. Tolkien", "erved in WWI")


def test_a_table_row_keeps_its_year() -> None:
    assert _having(_texts(_LAYOUT, "J. R. R. Tolkien"), "The Hobbit", "1937")


def test_list_items_take_their_subject_from_a_heading() -> None:
    facts = _texts("# Ada Lovelace\n\n- Born: 10 December 1815\n- Died in London")
    assert _having(facts, "Ada Lovelace", "born", "10 December 1815")
    assert _having(facts, "Ada Lovelace", "ied in London")


def test_a_lead_in_line_gives_its_items_their_statement() -> None:
    facts = _texts("His books include:\n\n- The Hobbit\n- The Silmarillion", "J. R. R. Tolkien")
    assert _having(facts, "J. R. R. Tolkien's books", "The Hobbit")
    assert _having(facts, "J. R. R. Tolkien's books", "The Silmarillion")


def test_pronouns_become_names_or_the_fact_is_not_checkable() -> None:
    facts = _facts("Marie Curie met Albert Einstein. He admired her. They said it would double.")
    first = [fact.text for fact in facts if fact.checkable]
    assert _having(first, "Marie Curie met Albert Einstein")
    assert _having(first, "Albert Einstein admired Marie Curie")
    assert not [fact for fact in first if _PRONOUN.match(fact)]
    assert not [fact for fact in facts if fact.sentence == 2 and fact.checkable]


def test_the_other_pronoun_means_the_other_person() -> None:
    facts = _texts("Marie Curie met Albert Einstein. She admired him.")
    assert _having(facts, "Marie Curie admired Albert Einstein")


def test_a_pronoun_that_two_people_fit_is_not_resolved() -> None:
    facts = _facts("Zorin Quill met Tavo Brandt. He was rich.")
    assert not [fact for fact in facts if fact.sentence == 1 and fact.checkable]


def test_repeated_facts_count_once() -> None:
    facts = _texts("He was born in 1892. He was born in 1892. he was  born in 1892!", "J. R. R. Tolkien")
    assert len(facts) == 1


def test_repetitions_do_not_crowd_out_the_fact_beside_them() -> None:
    facts = _facts(
        "He was born in 1892. He was born in 1892. he was  born in 1892! He lived in Rome.", "Paul Norden"
    )
    assert [(fact.text, len(fact.also)) for fact in facts] == [
        ("Paul Norden was born in 1892.", 2),
        ("Paul Norden lived in Rome.", 0),
    ]


def test_a_negation_is_neither_lost_nor_a_repetition() -> None:
    facts = _texts("Paul Norden was a member of the club. Paul Norden was not a member of the club.")
    assert len(facts) == 2
    assert len(_having(facts, " not ")) == 1


@pytest.mark.parametrize(
    "text", ["IDK", "I don't know.", "n/a", "...", "", "  \n ", "🙂", "Would you like more?"]
)
def test_what_says_nothing_gives_no_fact(text: str) -> None:
    assert _facts(text, "Marie Curie") == []


def test_a_bare_answer_is_read_with_its_question() -> None:
    assert _texts("Paris", "capital of France") == ["The capital of France is Paris."]
    assert _texts("Paris") == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The alloy holds 1.5% of carbon.", "1.5%"),
        ("The river is 1,000 km long.", "1,000 km"),
        ("The limit was <= 1,5 % in Jan 15, 1967.", "1,5 %"),
        ("The tower weighs about 7,300 tonnes.", "7,300 tonnes"),
        ("The rate fell by -0.5 °C in 1998.", "-0.5 °C"),
    ],
)
def test_numbers_and_units_stay_as_written(text: str, kept: str) -> None:
    assert _having(_texts(text), kept)


def test_facts_keep_their_time() -> None:
    text = "In 2019 he was a partner at Firm A; since 2025 he has advised B."
    facts = _texts(text, "Tom Reed")
    assert _having(facts, "Tom Reed", "2019")
    assert _having(facts, "Tom Reed", "2025")
    assert not _having(facts, "2019", "2025")


def test_names_with_initials_stay_whole() -> None:
    facts = _texts("J. R. R. Tolkien wrote The Hobbit. Dr. Edgar F. Codd worked at IBM.")
    assert _having(facts, "J. R. R. Tolkien wrote The Hobbit")
    assert _having(facts, "Edgar F. Codd worked at IBM")


def test_two_people_are_not_joined() -> None:
    facts = _texts("Ann lives in the U.S.A. Bob lives in Spain.")
    assert _having(facts, "Ann", "U.S.A")
    assert _having(facts, "Bob", "Spain")
    assert not _having(facts, "Ann", "Bob")


def test_a_very_long_sentence_loses_nothing_silently() -> None:
    text = "The list names " + ", ".join(f"Person{i}" for i in range(400)) + "."
    facts = " ".join(_texts(text))
    assert "Person0" in facts
    assert "Person399" in facts


def test_batches_give_what_single_calls_give() -> None:
    generations = [Generation("He was born in Oslo.", "Paul Norden"), Generation("", None)]
    decomposer = EmbeddedDecomposer()
    assert decomposer.batch(generations) == [decomposer.invoke(one) for one in generations]


def test_the_identity_names_the_model() -> None:
    assert EmbeddedDecomposer().identity["kind"] == "embedded"


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("I'm sorry to say he died in 1973 in Bournemouth.", "1973"),
        ("I cannot praise her work enough; she won in 1999.", "1999"),
    ],
)
def test_what_a_speaker_says_of_himself_hides_no_fact(text: str, year: str) -> None:
    assert _having(_texts(text, "Ada Lovelace"), "Ada Lovelace", year)


def test_a_greeting_is_no_fact() -> None:
    assert not _having(_texts("Great question! Kyoto is a city.", "Kyoto"), "question")


@pytest.mark.parametrize(
    "text", ["He never married.", "Isaac Newton never married.", "He was never married."]
)
def test_that_somebody_never_married_is_a_fact_and_no_fragment(text: str) -> None:
    (fact,) = _facts(f"Isaac Newton was a mathematician. {text}", "Isaac Newton")[1:]
    assert (fact.text, fact.checkable) == ("Isaac Newton was never married.", True)
