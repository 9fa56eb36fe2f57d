"""Streams: sentences are cut as they end, checked, and shown in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscore_chain.errors import FatalModelError
from factscore_chain.guard.annotate import MARK, MARK_UNCHECKED
from factscore_chain.guard.checked import FactualityError
from factscore_chain.guard.gate import CheckedPiece
from factscore_chain.guard.pieces import PieceBuffer
from factscore_chain.guard.streaming import VerifiedStream
from tests.streams import BAD, GOOD, bits, embedded, gate, shown, text_shown

ROOT = Path(__file__).resolve().parent.parent
TEXTS = [
    json.loads(line)["output"]
    for line in (ROOT / "examples/generations.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_pieces_are_the_text_and_its_sentences_are_those_of_the_whole(text: str, size: int) -> None:
    buffer, whole = PieceBuffer(), PieceBuffer()
    pieces = [
        piece for start in range(0, len(text), size) for piece in buffer.add(text[start : start + size])
    ]
    pieces += buffer.finish()
    assert "".join(piece.original for piece in pieces) == text
    assert all(piece.text == text[slice(*piece.span)] for piece in pieces)
    assert [one.text for one in pieces] == [one.text for one in [*whole.add(text), *whole.finish()]]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(alphabet="Ab .!?\n*-|`#1", max_size=12), max_size=12))
def test_pieces_lose_no_character_however_the_text_comes(parts: list[str]) -> None:
    buffer = PieceBuffer()
    pieces = [piece for part in parts for piece in buffer.add(part)] + buffer.finish()
    assert "".join(piece.original for piece in pieces) == "".join(parts)


def test_a_sentence_is_given_before_the_next_one_has_ended() -> None:
    buffer = PieceBuffer()
    assert buffer.add("Kyoto is a city in Japan.") == []
    assert [one.text for one in buffer.add(" It has many ")] == ["Kyoto is a city in Japan."]


async def test_a_text_that_passes_is_shown_to_the_letter() -> None:
    text = f"{GOOD[0]}  {GOOD[1]}\n\n- {GOOD[2]}\n"
    assert await text_shown(gate(), text) == text


async def test_each_sentence_is_shown_while_the_text_is_still_being_written() -> None:
    shown_so_far: list[str] = []
    second = asyncio.Event()

    async def slow() -> AsyncIterator[str]:
        yield f"{GOOD[0]} {GOOD[1]} It has "
        await second.wait()
        yield "temples."

    async for piece in VerifiedStream(gate(), slow()):
        shown_so_far.append(piece.text)
        if len(shown_so_far) == 2:
            second.set()  # the third sentence is written only once two were shown
    assert "".join(shown_so_far) == " ".join(GOOD)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"on_fail": "annotate"}, f"{GOOD[0]} {BAD} {MARK} {GOOD[1]} {BAD} {MARK}"),
        ({"on_fail": "replace", "message": "(left out)"}, f"{GOOD[0]} (left out) {GOOD[1]}"),
        ({"on_fail": "retry", "message": "(left out)"}, f"{GOOD[0]} (left out) {GOOD[1]}"),
        ({"on_fail": "retry", "otherwise": "annotate"}, f"{GOOD[0]} {BAD} {MARK} {GOOD[1]} {BAD} {MARK}"),
    ],
)
async def test_a_sentence_that_fails_is_treated_as_the_policy_says(
    policy: dict[str, Any], expected: str
) -> None:
    assert await text_shown(gate(**policy), f"{GOOD[0]} {BAD} {GOOD[1]} {BAD}") == expected


async def test_an_error_comes_after_the_sentences_that_stand_before_it() -> None:
    stream = aiter(VerifiedStream(gate(on_fail="raise"), bits(f"{GOOD[0]} {BAD} {GOOD[1]}")))
    assert (await anext(stream)).text == GOOD[0]
    with pytest.raises(FactualityError):
        await anext(stream)


async def test_correct_mends_a_sentence_in_its_place() -> None:
    text = f"{GOOD[1]} Nintendo was founded in Kyoto in 1905. {GOOD[2]}"
    checked = await shown(embedded(on_fail="correct"), text)
    assert [one.action for one in checked] == ["pass", "correct", "pass"]
    assert "1905" not in "".join(one.text for one in checked)
    assert "Nintendo was founded in Kyoto" in checked[1].text


async def test_pronouns_are_understood_by_the_topic_and_the_sentences_before() -> None:
    about = replace(embedded(), topic="Nintendo")
    checked = await shown(about, "Nintendo was founded in Kyoto in 1889. It made cards. It made rockets.")
    facts = [one.outcome.unsupported for one in checked if one.outcome]
    assert [[fact.text for fact in found] for found in facts] == [[], [], ["Nintendo made rockets."]]


async def test_code_and_titles_pass_unchecked() -> None:
    text = f"# Osaka\n\n{GOOD[0]}\n\n```py\nosaka = 'Nintendo was founded in Osaka.'\n```\n"
    checked = await shown(embedded(on_fail="raise"), text)
    assert "".join(one.text for one in checked) == text
    assert [one.outcome is not None for one in checked].count(True) == 1


@pytest.mark.parametrize("title", ["# {}", "## {}\n\nIt made cards.", "**{}**", "{}\n---\n\nIt made cards."])
async def test_a_heading_that_is_a_sentence_is_checked(title: str) -> None:
    text = await text_shown(embedded(), title.format("Nintendo was founded in 1920"))
    assert f"1920 {MARK}" in text.replace("1920** ", "1920 ")


@pytest.mark.parametrize("rule", ["|---|---|", "| --- | --- |", "|:--|--:|"])
async def test_the_head_of_a_table_states_nothing(rule: str) -> None:
    text = f"| Company | Founder |\n{rule}\n| Nintendo | Marie Curie |\n"
    checked = await shown(embedded(), text)
    assert [one.original.strip() for one in checked if one.outcome] == [
        f"|\n{rule}\n| Nintendo | Marie Curie"
    ]


@pytest.mark.parametrize("opens", ["```py", "```markdown"])
async def test_what_follows_a_long_fenced_block_is_checked(opens: str) -> None:
    text = opens + "\nIt made cards." * 200 + "\n```\n\nNintendo was founded in 1920."
    assert (await text_shown(embedded(), text)).endswith(f"Nintendo was founded in 1920. {MARK}")


@pytest.mark.parametrize(
    ("on_empty", "expected"),
    [
        ("pass", "I don't know."),
        (
            "annotate",
            "I don't know.\n\nNote: this answer states nothing that could be checked against the sources.",
        ),
        ("fail", "Nothing."),
    ],
)
async def test_a_text_that_states_nothing_is_treated_as_on_empty_says(on_empty: str, expected: str) -> None:
    assert await text_shown(gate(on_empty=on_empty, message="Nothing."), "I don't know.") == expected


async def test_what_states_nothing_is_held_back_until_a_fact_is_checked_where_silence_fails() -> None:
    text = f"I'm sorry. {GOOD[0]}"
    assert await text_shown(gate(on_empty="fail"), text) == text


@pytest.mark.parametrize(
    ("on_error", "expected"),
    [("open", "BREAK it."), ("annotate", f"BREAK it. {MARK_UNCHECKED}"), ("closed", "Not verified.")],
)
async def test_trouble_with_the_check_of_a_sentence_is_treated_as_on_error_says(
    on_error: str, expected: str
) -> None:
    checked = gate(on_error=on_error, message="Not verified.")
    assert await text_shown(checked, "BREAK it.") == expected


async def test_the_result_counts_the_facts_of_all_sentences() -> None:
    stream = VerifiedStream(gate(threshold=0.6), bits(" ".join([*GOOD, BAD])))
    text = "".join([piece.text async for piece in stream])
    assert stream.result is not None
    assert (stream.result.outcome.facts, stream.result.outcome.supported) == (4, 3)
    assert (stream.result.passed, stream.result.text) == (True, text)
    assert [text[slice(*fact.span)] for fact in stream.result.outcome.unsupported if fact.span] == [BAD]


async def test_what_was_mended_passes_and_what_was_withheld_does_not() -> None:
    text = f"{GOOD[1]} Nintendo moved to Paris in 1950. {GOOD[2]}"
    for on_fail, passed in (("remove", True), ("replace", False), ("annotate", False)):
        stream = VerifiedStream(embedded(on_fail=on_fail), bits(text))
        assert [piece async for piece in stream]
        assert stream.result is not None
        assert (stream.result.passed, stream.result.outcome.passed) == (passed, False)
        assert stream.result.action == on_fail


async def test_an_error_of_the_model_that_writes_is_the_callers() -> None:
    async def broken() -> AsyncIterator[str]:
        yield f"{GOOD[0]} {GOOD[1]} "
        raise FatalModelError("gone")

    stream = aiter(VerifiedStream(gate(), broken()))
    assert (await anext(stream)).text == GOOD[0]
    with pytest.raises(FatalModelError, match="gone"):
        await anext(stream)


async def test_leaving_a_stream_early_stops_the_reading() -> None:
    read: list[int] = []

    async def endless() -> AsyncIterator[str]:
        for number in range(1_000_000):
            read.append(number)
            yield f"{GOOD[0]} {GOOD[1]} "
            await asyncio.sleep(0)

    stream = aiter(VerifiedStream(gate(), endless()))
    await anext(stream)
    await stream.aclose()
    seen = len(read)
    await asyncio.sleep(0.01)
    assert len(read) == seen


async def test_a_stream_of_nothing_shows_nothing() -> None:
    assert await shown(gate(), "") == []


def _joined(pieces: Iterable[CheckedPiece]) -> str:
    return "".join(piece.text for piece in pieces)


async def test_a_long_text_is_understood_in_a_window_of_it() -> None:
    text = " ".join(f"Number {i}. {GOOD[i % 3]}" for i in range(150))
    checked = await shown(gate(on_fail="annotate"), text)
    assert _joined(checked).replace(f" {MARK}", "").replace(f" {MARK_UNCHECKED}", "") == text


def test_halves_of_a_character_are_joined_across_bits_and_lone_ones_replaced() -> None:
    buffer = PieceBuffer()
    pieces = [piece for bit in ("Ada \ud83d", "", "\ude00 wrote.", " \ud83d") for piece in buffer.add(bit)]
    pieces += buffer.finish()
    assert "".join(piece.original for piece in pieces) == buffer.text == "Ada \U0001f600 wrote. \ufffd"
