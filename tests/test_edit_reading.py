"""What a model says when asked for one sentence, and what is taken from it."""

from __future__ import annotations

import pytest

from factscore_chain.edit.reading import read_edit

OLD = "She was born in Paris in 1820."
NEW = "She was born in London in 1815."
BEFORE, AFTER = "Ada Lovelace wrote notes. She counted. ", " She met Babbage in 1833. He died."


@pytest.mark.parametrize(
    "reply",
    [
        NEW,
        f"  {NEW}\n",
        f'"{NEW}"',
        f"“{NEW}”",
        f"**{NEW}**",
        f"`{NEW}`",
        f"- {NEW}",
        f"```\n{NEW}\n```",
        f"```text\n{NEW}```",
        f"<sentence>\n{NEW}\n</sentence>",
        f"Here is the corrected sentence:\n\n{NEW}",
        f"Here's the edited sentence: {NEW}",
        f"Sure! Here is the mended sentence:\n```\n{NEW}\n```",
        f"Corrected sentence: {NEW}",
        f"**Edited sentence:** {NEW}",
        f'The corrected sentence is: "{NEW}"',
        f"{NEW}\n\nExplanation: the passages give another year.",
        f"{NEW}\n\nNote: I changed the place.",
        f"{NEW}\n(Note: I changed the place.)",
        f"{NEW}\n\nI replaced the year.",
        f"<think>She was born in 1820?\nNo.</think>{NEW}",
        f"It may be 1820.\n</think>\n{NEW}",
        NEW.removesuffix("."),
        "She was born in London\nin 1815.",
        f"{BEFORE}{NEW}{AFTER}",
        f"{BEFORE}{NEW}",
        f"{NEW}{AFTER}",
        f"She counted. {NEW} She met Babbage in 1833.",
    ],
)
def test_the_sentence_is_found_in_whatever_stands_around_it(reply: str) -> None:
    assert read_edit(reply, OLD, around=(BEFORE, AFTER)).text == NEW


@pytest.mark.parametrize("reply", ["DELETE", "DELETE.", "**DELETE**", '"DELETE"', "<think>x</think> DELETE"])
def test_a_sentence_is_dropped_only_on_the_agreed_word(reply: str) -> None:
    assert read_edit(reply, OLD).text == ""


@pytest.mark.parametrize(
    ("reply", "finish", "problem"),
    [
        ("", "stop", "empty"),
        ("...", "stop", "empty"),
        ("```\n```", "stop", "empty"),
        ("I'm sorry, but I can't help with that.", "stop", "refused"),
        ("As an AI language model, I cannot edit this.", "stop", "refused"),
        ("The sentence does not contain any error.", "stop", "refused"),
        (NEW, "filtered", "refused"),
        ("She was born in", "length", "truncated"),
        ("<think>She was born in 1815, or", "stop", "truncated"),
        (f"{NEW}\n\n{NEW}", "stop", "unreadable"),
    ],
)
def test_what_is_no_sentence_is_named(reply: str, finish: str, problem: str) -> None:
    reading = read_edit(reply, OLD, finish)  # type: ignore[arg-type]
    assert (reading.text, reading.problem) == (None, problem)


@pytest.mark.parametrize(
    ("sentence", "reply"),
    [
        ('"Emma" is a novel by Jane Austen.', '"Emma" is a novel by "Jane" Austen.'),
        ('"Emma" and "Evelina"', '"Emma" and "Camilla"'),
        ("I cannot say when she was born in Paris.", "I cannot say when she was born."),
        ("Correction: the year was 1820.", "Correction: the year was 1815."),
        ("- 3 degrees was the temperature.", "- 4 degrees was the temperature."),
        ("The roof\n\nis old.", "The roof\n\nis new."),
        ("Er wurde 1820 in Paris geboren.", "Er wurde 1815 in London geboren."),
        ("她1820年出生。", "她1815年出生。"),
    ],
)
def test_what_the_sentence_has_itself_is_left(sentence: str, reply: str) -> None:
    assert read_edit(reply, sentence).text == reply


def test_a_final_quotation_is_not_closed_twice() -> None:
    assert read_edit('She wrote "Notes"', 'She wrote "Plays."').text == 'She wrote "Notes".'


def test_a_text_repeated_without_the_sentence_drops_it() -> None:
    assert read_edit(f"{BEFORE.strip()}{AFTER}", OLD, around=(BEFORE, AFTER)).text == ""
