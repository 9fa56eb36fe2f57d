"""What a speaker says around a claim hides no claim, and a text without a fact does not pass for silence."""

from __future__ import annotations

import pytest

from factscore_chain.abstain import is_abstention
from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.decompose.frames import without_frame
from factscore_chain.decompose.language import guess_language
from factscore_chain.guard.outcome import Cause
from factscore_chain.lcel import FactGuard
from factscore_chain.values import AtomicFact, Generation

CLAIM = "Nintendo was founded in 1905."
CONTEXT = [
    "Nintendo was founded in Kyoto in 1889 by Fusajiro Yamauchi. It began as a maker of playing cards."
]


def _facts(text: str, topic: str | None = None) -> list[AtomicFact]:
    return list(EmbeddedDecomposer().invoke(Generation(text, topic)).facts)


def _texts(text: str, topic: str | None = None) -> list[str]:
    return [fact.text for fact in _facts(text, topic) if fact.checkable]


FRAMED = (
    "I think Nintendo was founded in 1905.",
    "I believe that Nintendo was founded in 1905.",
    "I'm sure Nintendo was founded in 1905.",
    "Well, I’m pretty sure that Nintendo was founded in 1905.",
    "I hereby certify that Nintendo was founded in 1905.",
    "You should know that Nintendo was founded in 1905.",
    "As far as I know, Nintendo was founded in 1905.",
    "If I recall correctly, Nintendo was founded in 1905.",
    "In my opinion, Nintendo was founded in 1905.",
    "According to the context, Nintendo was founded in 1905.",
    "Based on the provided sources, Nintendo was founded in 1905.",
    "The documents say that Nintendo was founded in 1905.",
    "Please note that Nintendo was founded in 1905.",
    "Did you know Nintendo was founded in 1905?",
    "Did you know that Nintendo was founded in 1905?",
    "Nintendo was founded in 1905, wasn't it?",
    "Nintendo was founded in 1905, right?",
    "Nintendo was founded in 1905, I believe.",
    "I don't know much, but Nintendo was founded in 1905.",
    "I'm not sure, but I think Nintendo was founded in 1905.",
)


@pytest.mark.parametrize("text", FRAMED)
def test_a_frame_gives_way_to_the_claim_in_it(text: str) -> None:
    assert [(fact.text, fact.checkable) for fact in _facts(text)] == [(CLAIM, True)]


def test_a_tag_in_the_middle_hides_nothing_of_its_sentence() -> None:
    found = _texts("Nintendo was founded in 1889, wasn't it, by Marie Curie?")
    assert found == ["Nintendo was founded in 1889.", "Nintendo was founded by Marie Curie."]


def test_a_pronoun_in_a_frame_is_understood_as_without_it() -> None:
    text = "Nintendo began as a maker of playing cards. I think it was founded in 1905."
    assert _texts(text) == ["Nintendo began as a maker of playing cards.", CLAIM]


def test_a_fact_in_a_frame_is_placed_where_it_stands() -> None:
    text = "Kyoto is a city. I think Nintendo was founded in 1905."
    fact = _facts(text)[-1]
    assert fact.span is not None
    assert text[fact.span.start : fact.span.end] == "Nintendo was founded in 1905"


@pytest.mark.parametrize(
    "text",
    [
        "According to Plato, Atlantis sank in a day.",
        "In our solar system, there are eight planets.",
        "Based on the novel by Ann Reed, the film won a prize.",
        "I don't think Nintendo was founded in 1905.",
        "We know who founded Nintendo.",
    ],
)
def test_what_belongs_to_the_claim_is_no_frame(text: str) -> None:
    assert without_frame(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "1905",
        "In 1905.",
        "Marie Curie",
        "1905, by Marie Curie",
        "Nintendo (1905)",
        "Sure! 1905.",
        "If I recall, 1905.",
        "Founded in 1905 by Marie Curie.",
        "I don't think Nintendo was founded in 1905.",
        "Nintendo wurde 1905 in Kyoto etabliert.",
    ],
)
def test_what_tells_something_without_a_fact_cannot_be_checked(text: str) -> None:
    assert [fact.checkable for fact in _facts(text)] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "I don't know when Nintendo was founded.",
        "Hello Anna!",
        "Great question!",
        "Happy to help!",
        "Was Nintendo founded in 1905?",
        "Do you want to know more about Nintendo?",
        "Let me know if you want to hear more about Nintendo.",
        "I'd be happy to tell you more about Nintendo.",
        "Sorry, I cannot help with that.",
        "Let me know if you have more questions about Nintendo!",
        "Thank you for your question about Nintendo.",
        "## Sources\n\n[1] Wikipedia",
        "## Life in Kyoto",
        "## How Nintendo was founded",
    ],
)
def test_questions_courtesies_and_not_knowing_tell_nothing(text: str) -> None:
    assert _facts(text) == []


def test_a_heading_that_is_a_sentence_is_read() -> None:
    assert _texts("# Nintendo was founded in 1905") == [CLAIM]


@pytest.mark.parametrize("text", ["I'm not sure, but I think it was founded in 1905.", FRAMED[-2]])
def test_an_answer_after_a_disclaimer_is_no_abstention(text: str) -> None:
    assert not is_abstention(text)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        *((text, "unsupported") for text in FRAMED),
        (f"Nintendo began as a maker of playing cards. {FRAMED[0]}", "unsupported"),
        ("I think Nintendo was founded in 1889.", "supported"),
        ("According to the context, Nintendo was founded in 1889.", "supported"),
        ("1905", "undecided"),
        ("Marie Curie", "undecided"),
        ("I don't know.", "nothing_to_check"),
        ("Great question!", "nothing_to_check"),
    ],
)
def test_the_guard_judges_what_is_claimed(answer: str, cause: Cause) -> None:
    found = FactGuard(on_fail="replace").invoke({"context": CONTEXT, "answer": answer})
    assert found["factuality"].outcome.cause == cause


def test_a_sentence_that_could_not_be_read_keeps_a_text_from_being_supported() -> None:
    answer = "Nintendo began as a maker of playing cards. Marie Curie, 1905."
    outcome = FactGuard().invoke({"context": CONTEXT, "answer": answer})["factuality"].outcome
    assert (outcome.passed, outcome.coverage) == (False, 0.5)


@pytest.mark.parametrize(
    "text", ["Nintendo wurde 1905 in Kyoto gegründet.", "Nintendo a été fondée à Kyoto en 1905."]
)
def test_a_short_sentence_of_another_language_is_one_fact(text: str) -> None:
    assert [(fact.text, fact.checkable) for fact in _facts(text)] == [(text, True)]


@pytest.mark.parametrize(
    "text", ["Mötley Crüe released an album.", "The café in Zürich was opened by a naïve artist."]
)
def test_foreign_names_and_loan_words_leave_a_sentence_english(text: str) -> None:
    assert guess_language(text) == "en"


THOUGHT = (
    "<think>\nThey want 1905.\n\nKyoto is large.</think>\n\n",
    "<think>They want <think>a date</think>, it seems.</think> ",
    "They want 1905.\nKyoto is large.\n</think>\n\n",
)


@pytest.mark.parametrize("thought", THOUGHT)
def test_what_a_model_thinks_aloud_gives_no_fact(thought: str) -> None:
    assert _texts(f"{thought}Nintendo was founded in 1889.") == ["Nintendo was founded in 1889."]


def test_thinking_that_never_ends_gives_no_fact() -> None:
    assert _texts("<think>\nThey ask about Nintendo. It was founded in 1905") == []


def test_a_text_about_the_marks_of_thinking_keeps_its_facts() -> None:
    text = "Nintendo was founded in 1889. A closing mark such as </think> ends a thought."
    assert "Nintendo was founded in 1889." in _texts(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Nintendo was founded in Kyoto. It makes games.", "Nintendo makes games."),
        ("Nintendo makes games. It sits in Kyoto. It employs artists.", "Nintendo employs artists."),
        ("The Hobbit was published in London. It was a success.", "The Hobbit was a success."),
        ("Paul Norden moved to Oslo. It is a city.", "Oslo is a city."),
    ],
)
def test_it_goes_on_with_what_the_sentence_before_is_about(text: str, fact: str) -> None:
    assert _texts(text)[-1] == fact


def test_a_person_before_a_pronoun_is_chosen_as_before() -> None:
    assert "Ann Reed won a prize." in _texts("Marie Curie met Ann Reed in Paris. She won a prize.")
