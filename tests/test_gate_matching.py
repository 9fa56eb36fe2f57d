"""Which generations of two runs belong together."""

from __future__ import annotations

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.gate.matching import match
from factscore_chain.gate.run_record import RunRow


def rows(*names: str) -> list[RunRow]:
    """Rows named "key:value", or "" for one without a name."""
    named = [dict([name.split(":")]) if name else {} for name in names]
    return [RunRow.model_validate({"status": "scored", **one}) for one in named]


@pytest.mark.parametrize(
    ("first", "second", "pairs", "by"),
    [
        (["id:a", "id:b"], ["id:b", "id:a"], ((1, 0), (0, 1)), "id"),
        (["topic:x", "topic:y"], ["topic:y", "topic:x"], ((1, 0), (0, 1)), "topic"),
        (["topic:x", "topic:x"], ["topic:x", "topic:x"], ((0, 0), (1, 1)), "topic"),
        (["topic:Ada_Lovelace"], ["topic:ada lovelace"], ((0, 0),), "topic"),
        (["input:Who?", "input:Where?"], ["input:Where?", "input:Who?"], ((1, 0), (0, 1)), "topic and input"),
        (["", ""], ["", ""], ((0, 0), (1, 1)), "order"),
        (["id:a", ""], ["id:a", ""], ((0, 0), (1, 1)), "order"),
        ([], [], (), "order"),
        (["topic:Łódź"], ["topic:łódź"], ((0, 0),), "topic"),
    ],
)
def test_generations_are_matched_by_what_names_them(
    first: list[str], second: list[str], pairs: tuple[tuple[int, int], ...], by: str
) -> None:
    found = match(rows(*first), rows(*second))
    assert (found.pairs, found.by) == (pairs, by)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (["id:a", "id:b"], ["id:a", "id:c"], r"'b' \(1\) only in the first, 'c' \(1\) only in the second"),
        (["id:a"], ["id:a", "id:a"], "'a' stands more than once"),
        (["topic:x", "topic:x"], ["topic:x"], r"'x' \(1\) only in the first"),
        (["", ""], [""], "have 2 and 1 generations"),
        ([f"id:{n}" for n in range(9)], ["id:0"], r"'1', '2', '3', ... \(8\)"),
    ],
)
def test_runs_on_other_prompts_are_refused(first: list[str], second: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        match(rows(*first), rows(*second))


def test_new_prompts_are_left_out_where_that_is_allowed() -> None:
    found = match(rows("id:a"), rows("id:new", "id:a"), allow_new=True)
    assert (found.pairs, found.left_out) == (((0, 1),), 1)


def test_missing_prompts_are_left_out_only_where_that_is_allowed() -> None:
    found = match(rows("id:a", "id:lost"), rows("id:a"), allow_missing=True)
    assert (found.pairs, found.left_out) == (((0, 0),), 1)


def test_a_prompt_that_went_missing_is_never_passed_over() -> None:
    with pytest.raises(UsageError, match="only in the first"):
        match(rows("id:a", "id:hard"), rows("id:a"), allow_new=True)
