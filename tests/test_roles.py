"""Facts that open with a bare role: a name in its place where it is plain, a mark where it is not."""

from __future__ import annotations

import pytest

from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.decompose.llm import LLMDecomposer
from factscore_chain.decompose.roles import opens_with_role, with_names
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.values import AtomicFact, Generation
from tests.scripted import ScriptedChatModel


@pytest.mark.parametrize(
    "fact",
    [
        "The actor was born in Beirut.",
        "The young actor was born in Beirut.",
        "The film's score won a prize.",
        "The company has offices in Rome.",
        "The latter was a chemist.",
        "Both were chemists.",
    ],
)
def test_a_bare_role_names_nobody(fact: str) -> None:
    assert opens_with_role(fact)


@pytest.mark.parametrize(
    "fact",
    [
        "The actor Keanu Reeves was born in Beirut.",
        "The author of Emma lived in Hampshire.",
        "The film that won was short.",
        "The film was Jaws.",
        "The company called Acme closed.",
        "The Danube rises in the Black Forest.",
        "The sun rises in the east.",
        "The Beatles were a band.",
        "Both Marie and Pierre Curie won.",
        "Actors were paid.",
        "",
    ],
)
def test_a_role_with_a_name_is_not_bare(fact: str) -> None:
    assert not opens_with_role(fact)


@pytest.mark.parametrize(
    ("text", "topic", "fact", "named"),
    [
        (
            "Keanu Reeves is a Canadian actor. The actor was born in Beirut.",
            "Keanu Reeves",
            "The actor was born in Beirut.",
            "Keanu Reeves was born in Beirut.",
        ),
        (
            "Keanu Reeves is Canadian. He likes bikes. The actor was born in Beirut.",
            "Keanu Reeves",
            "The actor was born in Beirut.",
            "Keanu Reeves was born in Beirut.",
        ),
        (
            "He starred in the film Speed. The film's score won a prize.",
            "Keanu Reeves",
            "The film's score won a prize.",
            "Speed's score won a prize.",
        ),
        (
            "She gave to the Milagro Foundation. The foundation helps children.",
            "Ada",
            "The foundation helps children.",
            "Milagro Foundation helps children.",
        ),
        (
            "It lies in Peru and Bolivia. The lake is deep.",
            "Lake Titicaca",
            "The lake is deep.",
            "Lake Titicaca is deep.",
        ),
        (
            "Jaws (1975) was a popular film. The film was long.",
            None,
            "The film was long.",
            "Jaws was long.",
        ),
    ],
)
def test_the_name_is_taken_from_the_text_before(text: str, topic: str | None, fact: str, named: str) -> None:
    sentences = split_sentences(text)
    found = with_names(AtomicFact(fact, sentence=len(sentences) - 1), topic, sentences)
    assert (found.text, found.checkable) == (named, True)


@pytest.mark.parametrize(
    ("text", "topic", "fact"),
    [
        # Two films, and the topic is none.
        ("The film Speed and the film Jaws ran. The film won.", "Keanu Reeves", "The film won."),
        # Something else was named since, which may be meant.
        ("The film Speed ran. He then made Knock Knock. The film won.", "Keanu Reeves", "The film won."),
        ("He starred in Speed. The film won.", "Keanu Reeves", "The film won."),
        ("Ann met Eva. The latter was a chemist.", "Ann", "The latter was a chemist."),
        ("She met Jan de Bont. The director won.", "Ann Lee", "The director won."),
        ("He lived in Rome. The bridge is old.", "Keanu Reeves", "The bridge is old."),
    ],
)
def test_a_role_that_may_be_anybodys_is_marked(text: str, topic: str | None, fact: str) -> None:
    sentences = split_sentences(text)
    found = with_names(AtomicFact(fact, sentence=len(sentences) - 1), topic, sentences)
    assert (found.text, found.checkable) == (fact, False)


@pytest.mark.parametrize(
    "text",
    ["The tower stood in the park.", "She opposed a tall tower in the park.", "The park has its tower."],
)
def test_a_role_that_the_sentence_itself_brings_in_is_left(text: str) -> None:
    fact = AtomicFact("The tower stood in the park.", sentence=0)
    assert with_names(fact, None, split_sentences(text)) == fact


def test_a_model_that_leaves_a_role_is_repaired_without_another_call() -> None:
    model = ScriptedChatModel(script=["- Ada Lovelace was an English writer.", "- The writer died in 1852."])
    text = "Ada Lovelace was an English writer. The writer died in 1852."
    found = LLMDecomposer(model=model).invoke(Generation(text, "Ada Lovelace"))
    assert [fact.text for fact in found.facts] == [
        "Ada Lovelace was an English writer.",
        "Ada Lovelace died in 1852.",
    ]
    assert len(model.prompts) == 2
    spans = [text[fact.span.start : fact.span.end] for fact in found.facts if fact.span]
    assert spans[1] == "writer died in 1852"


def test_a_fact_of_two_sentences_counts_once_with_both_places() -> None:
    model = ScriptedChatModel(script=["- Ada moved to Rome in 1840.", "- In 1840, Ada moved to Rome."])
    text = "Ada moved to Rome in 1840. In 1840, she moved to Rome."
    (fact,) = LLMDecomposer(model=model).invoke(Generation(text, "Ada")).facts
    assert fact.span is not None
    places = [text[span.start : span.end] for span in (fact.span, *fact.also)]
    assert places == ["moved to Rome in 1840", "1840, she moved to Rome"]


def test_what_a_model_adds_is_dropped_and_counted_and_the_rest_kept() -> None:
    reply = "- Ada moved to Rome.\n- Ada moved to Rome in 1841.\n- Ada moved with Charles Babbage to Rome."
    found = LLMDecomposer(model=ScriptedChatModel(script=[reply])).invoke(
        Generation("Ada moved to Rome.", "Ada")
    )
    assert [fact.text for fact in found.facts] == ["Ada moved to Rome."]
    assert [drop.cause for drop in found.dropped] == [
        "The text does not say '1841'.",
        "The text does not say 'Charles'.",
    ]


def test_without_a_model_a_role_gets_its_name_and_a_repetition_counts_once() -> None:
    text = (
        "Jaws was a popular film. The film was shown in 1975. It was shown in 1975. Jaws was shown in 1975!"
    )
    facts = EmbeddedDecomposer().invoke(Generation(text, "Jaws")).facts
    shown = [fact for fact in facts if "1975" in fact.text]
    assert [fact.text for fact in shown] == ["Jaws was shown in 1975."]
    assert len(shown[0].also) == 2
