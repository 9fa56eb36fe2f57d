"""Reading a model's list of facts: every bullet style, and everything that is not a list."""

from __future__ import annotations

import pytest

from factscore_chain.decompose.reading import Reading, read_facts
from factscore_chain.language_model import FinishReason

A, B = "Ada Lovelace was born in 1815.", "Ada Lovelace died in 1852."

LISTS = {
    "dashes": f"- {A}\n- {B}",
    "stars": f"* {A}\n* {B}",
    "dots": f"• {A}\n• {B}",
    "dots without a blank": f"•{A}\n•{B}",
    "dashes without a blank": f"-{A}\n-{B}",
    "long dashes": f"– {A}\n— {B}",
    "two signs": f"- - {A}\n1. - {B}",
    "tasks": f"- [x] {A}\n- [ ] {B}",
    "numbers": f"1. {A}\n2. {B}",
    "numbers with brackets": f"1) {A}\n2) {B}",
    "numbers in brackets": f"(1) {A}\n(2) {B}",
    "letters": f"a. {A}\nb) {B}",
    "named": f"Fact 1: {A}\nFact 2: {B}",
    "indented": f"   - {A}\n   - {B}",
    "blank lines": f"- {A}\n\n- {B}\n",
    "windows line ends": f"- {A}\r\n- {B}\r\n",
    "plain lines": f"{A}\n{B}",
    "plain text": f"{A} {B}",
    "one line": f"- {A} - {B}",
    "lead-in": f"Here are the facts:\n- {A}\n- {B}",
    "bold lead-in": f"**Facts:**\n\n1. {A}\n2. {B}",
    "lead-in and plain lines": f"Sure! The facts are:\n{A}\n{B}",
    "remark after": f"- {A}\n- {B}\n\nLet me know if you need more.",
    "empty bullets": f"-\n- {A}\n- \n- {B}\n-",
    "bold items": f"- **{A}**\n- *{B}*",
    "quoted items": f'- "{A}"\n- “{B}”',
    "citations": f"- {A[:-1]} [1].\n- {B} [2][3]",
    "wrapped item": f"- Ada Lovelace was born\n  in 1815.\n- {B}",
    "fenced": f"```\n- {A}\n- {B}\n```",
    "thinking": f"<think>\n- not this\n</think>\n- {A}\n- {B}",
    "thinking without its start": f"- not this\n</think>\n- {A}\n- {B}",
    "json list": f'["{A}", "{B}"]',
    "json object": f'{{"facts": ["{A}", "{B}"]}}',
    "json and talk": f'{{"facts": ["{A}", "{B}"]}}\nHere is why I chose them {{}}',
    "fenced json": f'Here you are:\n```json\n{{"facts": ["{A}", "{B}"]}}\n```',
    "lead-in and json": f'The facts: {{"facts": ["{A}", "{B}"]}}',
    "json over lines": f'[\n  "{A}",\n  "{B}"\n]',
}


@pytest.mark.parametrize("reply", LISTS.values(), ids=LISTS.keys())
def test_every_style_of_list_gives_the_same_facts(reply: str) -> None:
    assert read_facts(reply) == Reading((A, B))


@pytest.mark.parametrize(
    "fact",
    [
        "The war lasted 1990 - 1991.",
        "The album Please Please Me came out in 1963.",
        "Sure Thing is a play.",
        "It holds {x} and [y] – both.",
        "The limit is <= 1.5 % - not 15%.",
        "I'm Sorry I Haven't a Clue is a radio game.",
        "No Time to Die is a film.",
        "There is no river in Malta.",
        "-5 °C was measured in Oslo.",
        "The text of the play is lost.",
        '"Hamlet" and "Macbeth" are plays.',
        "*Hamlet* is a play.",
    ],
)
def test_a_fact_that_looks_like_something_else_is_kept_whole(fact: str) -> None:
    assert read_facts(f"- {fact}\n- {B}") == Reading((fact, B))


@pytest.mark.parametrize(
    "reply", ["NONE", "none.", "- NONE", "None", "[]", '{"facts": []}', "**NONE**", "No facts."]
)
def test_none_is_an_answer(reply: str) -> None:
    assert read_facts(reply) == Reading()


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, I can't help with that.",
        "I’m sorry, but I cannot assist with this request.",
        "I cannot help with that.",
        "I won't repeat this.",
        "As an AI language model, I do not take part in this.",
        "Unfortunately, I am unable to do so.",
        "This sentence does not contain any facts.",
        "- This sentence does not contain any facts.",
        "The sentence is a Chinese word.",
        "There are no verifiable facts in it.",
        "No atomic facts can be found.",
    ],
)
def test_a_refusal_or_remark_is_told_from_an_answer(reply: str) -> None:
    assert read_facts(reply) == Reading(problem="refused")


def test_an_apology_among_facts_is_not_a_fact() -> None:
    assert read_facts(f"- {A}\n- I'm sorry, I can't help with the rest.") == Reading((A,))


def test_a_filtered_reply_is_a_refusal() -> None:
    assert read_facts("", "filtered") == Reading(problem="refused")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        "-\n- ",
        "...",
        f'{{"claims": ["{A}"]}}',
        '{"facts": [1, 2]}',
        f'["{A}", ',
        "```json\n{}\n```",
    ],
)
def test_an_unreadable_reply_is_said_to_be_so(reply: str) -> None:
    assert read_facts(reply) == Reading(problem="unreadable")


@pytest.mark.parametrize(
    ("reply", "finish_reason", "facts"),
    [
        (f"- {A}\n- Ada Lovelace di", "length", (A,)),
        ("- Ada Love", "length", ()),
        ("", "length", ()),
        ("<think>Let me see: 1815", "length", ()),
        ("<think>Let me see: 1815", "stop", ()),
        (f'["{A}", "Ada', "length", ()),
    ],
)
def test_a_truncated_reply_keeps_its_whole_items(
    reply: str, finish_reason: FinishReason, facts: tuple[str, ...]
) -> None:
    assert read_facts(reply, finish_reason) == Reading(facts, "truncated")


def test_complete_json_before_the_cut_counts() -> None:
    assert read_facts(f'{{"facts": ["{A}"]}}\nHere is wh', "length") == Reading((A,))
