"""The examples of the guardrail, run as a reader runs them."""

from __future__ import annotations

import asyncio
import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def run(name: str) -> Any:
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))["run"]()
    return asyncio.run(found) if asyncio.iscoroutine(found) else found


def test_three_guards_of_one_chain_annotate_correct_and_ask_again(capsys: pytest.CaptureFixture[str]) -> None:
    run("langchain_guard")
    annotated, _, rest = capsys.readouterr().out.partition("correct: ")
    assert "is not supported by the sources" in annotated
    corrected, _, asked_again = rest.partition("retry: ")
    assert corrected.startswith("Nintendo was founded in Kyoto in 1889.")
    assert "in 1889" in asked_again
    assert "asked again 1 time(s)" in asked_again


def test_a_stream_leaves_out_the_sentence_that_is_not_supported(capsys: pytest.CaptureFixture[str]) -> None:
    run("langchain_streaming")
    *shown, left_out = capsys.readouterr().out.splitlines()
    assert shown == [
        "> Marie Curie was born in Warsaw in 1867.",
        "> She won the Nobel Prize in Physics in 1903.",
        "> She discovered polonium and radium.",
    ]
    assert "Fields Medal" in left_out


def test_a_graph_mends_what_its_model_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    run("langgraph_guard")
    wrote, sees, found = capsys.readouterr().out.splitlines()
    assert "1905" in wrote
    assert "1889" in sees
    assert found == "correct, 1 round(s), score 1.00"
