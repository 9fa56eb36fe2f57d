"""HTML tags are set aside: no fact is made of them, places stay, and edits leave them in pairs."""

from __future__ import annotations

import pytest

from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.decompose.llm import LLMDecomposer
from factscore_chain.decompose.markup import readable, without_tags
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.edit.embedded import edit_sentence
from factscore_chain.values import Generation
from tests.edits import request
from tests.scripted import ScriptedChatModel

TOPIC = "Ada Lovelace"
PAGE = (
    "<h2 class='x'>Life</h2><p>Ada Lovelace was born in <b>London</b> in <a href=\"y\">1815</a>.</p>"
    "<ul><li>She wrote <i>notes</i>.</li></ul><script>var born = 1;</script><!-- a remark -->"
)


def test_sentences_end_at_blocks_and_keep_their_places() -> None:
    found = split_sentences(PAGE)
    assert [(one.kind, readable(one.text)) for one in found] == [
        ("heading", "Life"),
        ("prose", "Ada Lovelace was born in London in 1815."),
        ("list_item", "She wrote notes."),
    ]
    assert all(PAGE[one.span.start : one.span.end] == one.text for one in found)


def test_no_tag_becomes_a_word_of_a_fact() -> None:
    facts = EmbeddedDecomposer().invoke(Generation(PAGE, TOPIC)).facts
    assert [fact.text for fact in facts] == [
        "Ada Lovelace was born in London.",
        "Ada Lovelace was born in 1815.",
        "Ada Lovelace wrote notes.",
    ]
    spans = [fact.span for fact in facts if fact.span]
    assert [PAGE[one.start : one.end].split("in ")[-1] for one in spans[:2]] == [
        "<b>London",
        '<a href="y">1815',
    ]


def test_a_model_is_asked_for_facts_without_the_tags() -> None:
    model = ScriptedChatModel(script=["- She wrote notes."] * 2)
    LLMDecomposer(model=model).invoke(Generation(PAGE, TOPIC))
    asked = " ".join(str(messages[-1].content) for messages in model.prompts)
    assert "born in London in 1815." in asked
    assert "href" not in asked


@pytest.mark.parametrize(
    "text", ["a < b > c", "List<String> is typed", "<name>", "x<5 and y>3", "<3", "no tags"]
)
def test_what_is_no_tag_of_html_stays(text: str) -> None:
    assert without_tags(text) == text


@pytest.mark.parametrize(
    "text", [PAGE, "<p", "<p>", "</p></p>", "<br/>" * 3, "<!--", "<b><b>x</b>", "<a href='>'>x"]
)
def test_a_text_keeps_its_length_whatever_its_tags(text: str) -> None:
    assert len(without_tags(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "wrong", "expected"),
    [
        (
            "Ada Lovelace was born in <b>London</b> in <a href='y'>1816</a>.",
            "Ada Lovelace was born in 1816.",
            "Ada Lovelace was born in <b>London</b>.",
        ),
        (
            "Ada Lovelace, a <i>Danish</i> singer, was born in <b>London</b>.",
            "Ada Lovelace was a Danish singer.",
            "Ada Lovelace was born in <b>London</b>.",
        ),
        (
            "Ada Lovelace wrote <b>notes</b>, <i>letters</i> and <u>hymns</u>.",
            "Ada Lovelace wrote hymns.",
            "Ada Lovelace wrote <b>notes</b> and <i>letters</i>.",
        ),
    ],
)
def test_an_edit_leaves_tags_in_pairs_and_none_around_nothing(text: str, wrong: str, expected: str) -> None:
    born, wrote = (
        "Ada Lovelace was born in London.",
        ["Ada Lovelace wrote notes.", "Ada Lovelace wrote letters."],
    )
    right = wrote if "notes" in text else [born]
    asked = request(text, [wrong], right, topic=TOPIC, reason="no_evidence")
    assert edit_sentence(asked).text == expected


def test_a_corrected_value_stays_between_its_tags() -> None:
    text = "Ada Lovelace was born in <b>London</b> in <a href='y'>1816</a>."
    passage = "Ada Lovelace was born in London in 1815."
    asked = request(
        text, ["Ada Lovelace was born in 1816."], ["Ada Lovelace was born in London."], [passage], topic=TOPIC
    )
    assert edit_sentence(asked).text == text.replace("1816", "1815")
