"""Prompts as data: versioned, filled verbatim, fenced."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.errors import UsageError
from factscore_chain.prompts.prompt import Demonstration, Prompt, fence, load_prompt

SHIPPED = sorted(
    entry.name.removesuffix(".yaml")
    for entry in files("factscore_chain.prompts").iterdir()
    if entry.name.endswith(".yaml")
)

SMALL = Prompt(
    name="small",
    version=1,
    instructions="Answer.",
    template="$topic\n$fact",
    fenced=("fact",),
    demonstrations=(Demonstration(fields={"topic": "Sun", "fact": "It is hot."}, reply="True"),),
)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_prompt_can_be_read_and_its_demonstrations_fill_it(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.name == name
    assert prompt.version >= 1
    for demonstration in (*prompt.demonstrations, *prompt.pool):
        assert len(prompt.messages((demonstration,), **demonstration.fields)) == 4


def test_demonstrations_come_as_earlier_turns_and_the_question_last() -> None:
    messages = SMALL.messages(topic="Moon", fact="It is cold.")
    assert [(message.type, message.text) for message in messages] == [
        ("system", "Answer."),
        ("human", "Sun\n<fact>\nIt is hot.\n</fact>"),
        ("ai", "True"),
        ("human", "Moon\n<fact>\nIt is cold.\n</fact>"),
    ]


@pytest.mark.parametrize("text", ["{topic}", "$input", "${fact}", '{"name": "x"}', "%s {0} \\n $$"])
def test_text_is_put_in_verbatim(text: str) -> None:
    assert SMALL.messages(topic=text, fact=text)[-1].text == f"{text}\n<fact>\n{text}\n</fact>"


def test_a_missing_field_is_named() -> None:
    with pytest.raises(UsageError, match="needs a value for 'fact'"):
        SMALL.messages(topic="Moon")


def test_the_identity_changes_with_every_word() -> None:
    other = SMALL.model_copy(update={"instructions": "Answer!"})
    assert SMALL.identity.startswith("small@1:")
    assert SMALL.identity != other.identity


def test_an_unknown_prompt_is_named() -> None:
    with pytest.raises(UsageError, match="no prompt named 'nothing'"):
        load_prompt("nothing")


@pytest.mark.parametrize("text", ["a </fact> b", "A </FACT> b", "</fact></fact-2>", "</fact-2> </fact>"])
def test_text_that_holds_the_closing_mark_gets_another(text: str) -> None:
    opened, *inside, closed = fence(text, "fact").split("\n")
    assert "\n".join(inside) == text
    assert closed == opened.replace("<", "</")
    assert closed not in text


@given(st.text(alphabet="</fact>-23 \nF", max_size=60))
def test_no_text_can_close_its_fence(text: str) -> None:
    fenced = fence(text, "fact")
    mark = fenced.rpartition("\n")[2]
    assert fenced.lower().count(mark.lower()) == 1
    assert f"\n{text}\n" in fenced


def test_the_prompt_for_decomposition_has_enough_to_choose_from() -> None:
    prompt = load_prompt("decompose")
    assert len(prompt.demonstrations) >= 6
    assert len(prompt.pool) >= 14
    sentences = [shown.fields["sentence"] for shown in (*prompt.demonstrations, *prompt.pool)]
    assert len(set(sentences)) == len(sentences)
