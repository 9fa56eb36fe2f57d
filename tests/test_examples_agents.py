"""The examples of agents run, with a scripted model in the place of a real one."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from tests.agents import ScriptedAgentModel
from tests.examples import load_example

RIGHT, WRONG = "Nintendo began in Kyoto in 1889.", "Nintendo began in Kyoto in 1905."


class WithoutStreaming(ScriptedAgentModel):
    """The same in whole messages, so that the arguments of its calls stay."""

    disable_streaming: bool = True


def calling(tool: str, arguments: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": "1"}])


@pytest.mark.parametrize(("answer", "shown"), [(RIGHT, RIGHT), (WRONG, RIGHT)])
def test_the_agent_shows_a_true_answer_and_corrects_a_false_one(
    answer: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    example = load_example("langchain_agent")
    model = WithoutStreaming(script=[calling("search", {"query": "When did Nintendo begin?"}), answer])
    state = example.ask(example.make_agent(model), "When did Nintendo begin?")
    assert state["messages"][-1].text == shown
    assert capsys.readouterr().out.splitlines()[0] == shown


def test_a_blocked_answer_is_never_printed(capsys: pytest.CaptureFixture[str]) -> None:
    example = load_example("langchain_agent")
    model = WithoutStreaming(script=[calling("search", {"query": "Nintendo"}), WRONG])
    example.ask(example.make_agent(model, on_fail="block"), "When did Nintendo begin?")
    assert "1905" not in capsys.readouterr().out


def test_the_agent_with_the_tool_is_given_verdicts() -> None:
    example = load_example("verify_claims_tool")
    model = WithoutStreaming(script=[calling("verify_claims", {"claims": [RIGHT, WRONG]}), "In 1889."])
    assert example.ask(example.make_agent(model), "Is 1905 right?") == "In 1889."
    verdicts = json.loads(model.prompts[1][-1].text)
    assert [one["verdict"] for one in verdicts] == ["supported", "not_supported"]


@pytest.mark.parametrize("name", ["langchain_agent", "verify_claims_tool"])
def test_an_example_without_its_arguments_says_what_they_are(
    name: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(repository / "examples" / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path])
    with pytest.raises(SystemExit, match="PROVIDER:MODEL QUESTION"):
        runpy.run_path(path, run_name="__main__")
