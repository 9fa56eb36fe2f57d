"""Thinking aloud is no part of an answer."""

from __future__ import annotations

import pytest

from factscore_chain.thinking import without_thinking


@pytest.mark.parametrize(
    ("reply", "answer", "broken_off"),
    [
        ("True", "True", False),
        ("<think>True, or not?</think>\nFalse", "False", False),
        ("<THINKING>a</THINKING> b <reasoning>c</reasoning> d", "b  d", False),
        ("<think>a <think>b</think> c</think> d", "d", False),
        ("so it is true</think>False", "False", False),
        ("<think>it is true", "", True),
        ("True <think>it is", "True", True),
        ("I think <b> so", "I think <b> so", False),
        ("", "", False),
    ],
)
def test_an_answer_is_told_from_thinking(reply: str, answer: str, broken_off: bool) -> None:
    assert without_thinking(reply) == (answer, broken_off)
