"""Reading a query from a model's reply."""

from __future__ import annotations

import pytest

from factscore_chain.seek.writers import read_query


@pytest.mark.parametrize(
    ("reply", "text", "title"),
    [
        ("QUERY: Greek lessons", "Greek lessons", None),
        ("Query: **Greek lessons**", "Greek lessons", None),
        ('"Greek lessons"', "Greek lessons", None),
        ("Here it is:\nQUERY: Greek lessons\nI hope it helps.", "Greek lessons", None),
        ("<think>QUERY: no</think>PAGE: Analytical Engine", "Analytical Engine", "Analytical Engine"),
        ("- search: Greek", "Greek", None),
    ],
)
def test_a_query_is_read_from_a_reply(reply: str, text: str, title: str | None) -> None:
    query = read_query(reply, "m")
    assert query is not None
    assert (query.text, query.title) == (text, title)


@pytest.mark.parametrize(
    "reply", ["", "  ", "***", "QUERY:", "One remark.\nAnother.", "x" * 301, "<think>QUERY: a"]
)
def test_what_is_no_query_is_not_taken_for_one(reply: str) -> None:
    assert read_query(reply, "m") is None
