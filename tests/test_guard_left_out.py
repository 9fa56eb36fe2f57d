"""What a stream leaves out, and what stays of the layout and the names around it."""

from __future__ import annotations

import pytest

from factscore_chain.guard.checked import FactualityError
from factscore_chain.guard.streaming import VerifiedStream
from tests.streams import CONTEXT, GOOD, bits, embedded, shown, text_shown


async def test_remove_leaves_a_sentence_out_and_keeps_the_paragraphs() -> None:
    text = f"{GOOD[0]}\n\nNintendo moved to Paris in 1950. {GOOD[1]}"
    assert await text_shown(embedded(on_fail="remove"), text) == f"{GOOD[0]}\n\n{GOOD[1]}"


GONE = "Nintendo moved to Paris in 1950."
CODE = "```py\nx = 1\n```"
TABLE = "| Company | Seat |\n|---|---|\n"
FOUNDER = "Nintendo was founded by Marie Curie."
ROW = "| Nintendo founder | Marie Curie |\n"


@pytest.mark.parametrize("on_fail", ["remove", "correct"])
@pytest.mark.parametrize(
    "text", [f"{GONE} {GOOD[1]}", f"{GOOD[1]} {GONE}", f"{GONE} {GONE} {GOOD[1]} {GONE}"]
)
async def test_a_sentence_that_is_wholly_unsupported_goes_without_a_word(text: str, on_fail: str) -> None:
    stream = VerifiedStream(embedded(on_fail=on_fail), bits(text))
    assert "".join([piece.text async for piece in stream]) == GOOD[1]
    assert stream.result is not None
    assert (stream.result.action, stream.result.passed) == (on_fail, True)


@pytest.mark.parametrize("on_fail", ["remove", "replace"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{GOOD[0]}\n\n{CODE}\n\n{GONE} {GOOD[1]}", f"{GOOD[0]}\n\n{CODE}\n\n{GOOD[1]}"),
        (f"{GOOD[0]}\n\n{CODE}\n\n{GONE}\n", f"{GOOD[0]}\n\n{CODE}\n"),
        (f"{GOOD[0]}\n\n```text\n{GONE}\n```\n\n{GOOD[1]}", f"{GOOD[0]}\n\n```text\n```\n\n{GOOD[1]}"),
        (f"{GOOD[0]}\n\n{GONE}\n\n- {GONE}\n- {GOOD[1]}\n", f"{GOOD[0]}\n\n- {GOOD[1]}\n"),
        (f"{GOOD[0]}\n\n- {GONE} {GOOD[1]}\n- {GONE}\n", f"{GOOD[0]}\n\n- {GOOD[1]}\n"),
        (f"{GOOD[0]}\n\n<p>{GONE}</p>\n\n{GOOD[1]}", f"{GOOD[0]}\n\n{GOOD[1]}"),
        (f"{GOOD[0]}\n\n> {GONE} {GOOD[1]}", f"{GOOD[0]}\n\n> {GOOD[1]}"),
        (f"{GOOD[0]}\n\n{TABLE}{ROW}\n{GOOD[1]}", f"{GOOD[0]}\n\n{TABLE}\n{GOOD[1]}"),
        (f"{GOOD[0]}\n\n# Paris\n\n{GONE}\n\n{GOOD[1]}", f"{GOOD[0]}\n\n# Paris\n\n{GOOD[1]}"),
    ],
)
async def test_only_the_sentence_goes_and_the_layout_of_others_stays(
    text: str, expected: str, on_fail: str
) -> None:
    checked = embedded(on_fail=on_fail)
    checked._said = True  # a message was shown before, so that nothing takes the sentence's place
    assert await text_shown(checked, text) == expected


@pytest.mark.parametrize("size", [1, 1000])
async def test_a_stream_keeps_what_the_whole_answer_keeps(size: int) -> None:
    text = f"{GONE}\n\n## Kyoto\n\n{GOOD[1]}\n\n{CODE}\n\n- {GONE}\n- {GOOD[1]}\n\n{TABLE}{ROW}"
    stream = VerifiedStream(embedded(on_fail="remove"), bits(text, size))
    whole = await embedded(on_fail="remove").checker.acheck(text, None, CONTEXT)
    assert "".join([piece.text async for piece in stream]) == whole.text


async def test_a_stream_keeps_the_numbers_of_a_list_as_they_came() -> None:
    text = f"1. {GONE}\n2. {GOOD[1]}\n"
    assert await text_shown(embedded(on_fail="remove"), text) == f"2. {GOOD[1]}\n"
    whole = await embedded(on_fail="remove").checker.acheck(text, None, CONTEXT)
    assert whole.text == f"1. {GOOD[1]}\n"


@pytest.mark.parametrize("on_fail", ["remove", "correct"])
@pytest.mark.parametrize(
    ("following", "expected"),
    [
        ("It made cards.", "Nintendo made cards."),
        ("Kyoto is a city in Japan.", "Kyoto is a city in Japan."),
        ("It made cards. It was founded in Kyoto.", "Nintendo made cards. It was founded in Kyoto."),
    ],
)
async def test_a_name_that_only_a_sentence_left_out_had_comes_into_the_next(
    following: str, expected: str, on_fail: str
) -> None:
    assert await text_shown(embedded(on_fail=on_fail), f"{FOUNDER} {following}") == expected


async def test_a_mended_sentence_gets_the_name_that_was_left_out_before_it() -> None:
    text = f"{FOUNDER} It was founded in Kyoto in 1905."
    assert await text_shown(embedded(on_fail="correct"), text) == "Nintendo was founded in Kyoto in 1889."


@pytest.mark.parametrize(
    ("otherwise", "expected"),
    [
        ("replace", "# Kyoto\n\nNothing."),
        ("annotate", f"# Kyoto\n\n# Kyoto\n\n{GONE}\n\nNote: 2 of 2 statements"),
    ],
)
async def test_what_is_done_otherwise_comes_at_the_end_where_no_statement_is_left(
    otherwise: str, expected: str
) -> None:
    checked = embedded(on_fail="remove", otherwise=otherwise, message="Nothing.")
    stream = VerifiedStream(checked, bits(f"# Kyoto\n\n{GONE}"))
    assert "".join([piece.text async for piece in stream]).startswith(expected)
    assert stream.result is not None
    assert (stream.result.action, stream.result.passed) == (otherwise, False)


async def test_an_error_ends_a_stream_of_which_no_statement_is_left() -> None:
    with pytest.raises(FactualityError):
        await shown(embedded(on_fail="remove", otherwise="raise"), GONE)


async def test_remove_shows_the_message_where_nothing_is_left() -> None:
    checked = await text_shown(embedded(on_fail="remove", message="Nothing."), "Nintendo moved to Paris.")
    assert checked == "Nothing."
