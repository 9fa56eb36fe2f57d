"""The middleware that shows nothing before it is checked, in LangChain's own agents."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from langchain.agents import AgentState
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from typing_extensions import NotRequired

from factscore_chain.agents import FactualityMiddleware
from factscore_chain.errors import UsageError
from factscore_chain.guard import FactualityError, GuardPolicy
from factscore_chain.guard.policy import DEFAULT_MESSAGE
from tests.agents import ASK, agent, call, model
from tests.judged import ADA, FALSE, REFUSED, TRUE, scorer
from tests.scripted import ScriptedChatModel

Way = Literal["sync", "async"]


def guard(**more: Any) -> FactualityMiddleware:
    return FactualityMiddleware(scorer(), **more)


async def run(made: Any, way: Way, given: Any = ASK, config: Any = None) -> dict[str, Any]:
    """The agent's final state."""
    return dict(made.invoke(given, config) if way == "sync" else await made.ainvoke(given, config))


both_ways = pytest.mark.parametrize("way", ["sync", "async"])


@both_ways
async def test_a_true_answer_passes_by_what_a_tool_brought(way: Way) -> None:
    done = await run(agent([call(), TRUE], guard()), way)
    assert done["messages"][-1].text == TRUE
    found = done["factuality"]
    assert (found["passed"], found["score"], found["cause"], found["action"]) == (
        True,
        1.0,
        "supported",
        "pass",
    )


@both_ways
@pytest.mark.parametrize("on_fail", ["replace", "block"])
async def test_a_false_answer_is_blocked(on_fail: Any, way: Way) -> None:
    done = await run(agent([call(), FALSE], guard(on_fail=on_fail)), way)
    assert done["messages"][-1].text == DEFAULT_MESSAGE
    assert (done["factuality"]["passed"], done["factuality"]["action"]) == (False, "replace")


@both_ways
async def test_a_false_answer_is_annotated(way: Way) -> None:
    done = await run(agent([call(), FALSE], guard()), way)
    assert done["messages"][-1].text.startswith(f"{FALSE}\n\nNote: 1 of 1 statements")


@both_ways
async def test_false_claims_are_removed_and_the_rest_is_shown(way: Way) -> None:
    done = await run(agent([call(), f"{TRUE} {FALSE}"], guard(on_fail="remove")), way)
    assert done["messages"][-1].text == TRUE
    assert (done["factuality"]["passed"], done["factuality"]["after"]["score"]) == (True, 1.0)


@both_ways
async def test_the_model_is_asked_again_with_what_was_not_supported(way: Way) -> None:
    asked = model(call(), FALSE, TRUE)
    done = await run(agent(asked, guard(on_fail="retry")), way)
    assert (done["messages"][-1].text, done["factuality"]["retries"]) == (TRUE, 1)
    assert FALSE in asked.prompts[2][-1].text
    assert [type(one) for one in done["messages"]] == [HumanMessage, AIMessage, ToolMessage, AIMessage]


@both_ways
async def test_after_its_retries_an_answer_that_stays_false_is_withheld(way: Way) -> None:
    asked = model(call(), FALSE, FALSE, FALSE)
    done = await run(agent(asked, guard(on_fail="retry", max_retries=2)), way)
    assert done["messages"][-1].text == DEFAULT_MESSAGE
    assert len(asked.prompts) == 4


async def test_calls_of_tools_between_retries_do_not_start_the_count_anew() -> None:
    asked = model(call(), FALSE, call(id="call-2"), FALSE, TRUE)
    done = await run(agent(asked, guard(on_fail="retry")), "async")
    assert done["messages"][-1].text == DEFAULT_MESSAGE
    assert len(asked.prompts) == 4


@both_ways
@pytest.mark.parametrize("on_fail", ["raise", "error"])
async def test_a_false_answer_is_an_error_that_holds_the_outcome_and_not_the_text(
    on_fail: Any, way: Way
) -> None:
    with pytest.raises(FactualityError, match="0 of 1 facts") as caught:
        await run(agent([call(), FALSE], guard(on_fail=on_fail)), way)
    assert caught.value.checked.outcome.unsupported[0].text == FALSE
    assert FALSE not in str(caught.value)


def test_the_evidence_names_the_tool_that_brought_it() -> None:
    done = agent([call(), FALSE], guard()).invoke(ASK)
    passage = done["factuality"]["outcome"]["unsupported"][0]["passage"]
    assert passage["origins"] == ["tool:look_up"]


def test_calls_of_tools_pass_through_untouched() -> None:
    said = call(text="I look it up.")
    done = agent([said, TRUE], guard(interim="keep")).invoke(ASK)
    assert done["messages"][1].tool_calls == said.tool_calls
    assert done["messages"][1].text == "I look it up."


@pytest.mark.parametrize(
    ("interim", "on_fail", "text", "kept"),
    [
        ("check", "replace", FALSE, ""),
        ("check", "replace", "Let me look it up!", "Let me look it up!"),
        ("check", "annotate", FALSE, FALSE),
        ("keep", "replace", FALSE, FALSE),
        ("drop", "replace", "Let me look it up!", ""),
    ],
)
def test_text_beside_calls_of_tools(interim: Any, on_fail: Any, text: str, kept: str) -> None:
    checker = FactualityMiddleware(None, on_fail=on_fail, interim=interim)
    done = agent([call(text=text), TRUE], checker).invoke(ASK)
    assert done["messages"][1].text == kept
    assert done["messages"][1].tool_calls[0]["name"] == "look_up"


@both_ways
async def test_an_answer_that_could_not_be_checked_is_shown_with_a_note_or_withheld(way: Way) -> None:
    opened = await run(agent([REFUSED], guard()), way)
    closed = await run(agent([REFUSED], guard(on_error="closed")), way)
    assert "could not be checked" in opened["messages"][-1].text
    assert closed["messages"][-1].text == DEFAULT_MESSAGE
    assert {opened["factuality"]["cause"], closed["factuality"]["cause"]} == {"error"}


@pytest.mark.parametrize("text", ["", "I do not know."])
def test_an_answer_without_facts_passes_or_is_withheld(text: str) -> None:
    shown = agent([text], guard()).invoke(ASK)
    withheld = agent([text], guard(on_empty="fail")).invoke(ASK)
    assert (shown["messages"][-1].text, withheld["messages"][-1].text) == (text, DEFAULT_MESSAGE)


def test_of_an_answer_in_blocks_the_others_stay_beside_a_note() -> None:
    blocks: list[str | dict[str, Any]] = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": FALSE, "annotations": []},
    ]
    done = agent([AIMessage(blocks)], guard()).invoke(ASK)
    content = done["messages"][-1].content
    assert content[:2] == blocks
    assert content[2]["text"].startswith("\n\nNote:")


def test_nothing_of_a_withheld_answer_stays_in_its_message() -> None:
    said = AIMessage(
        [{"type": "reasoning", "reasoning": FALSE}, {"type": "text", "text": FALSE}],
        additional_kwargs={"reasoning_content": FALSE},
        response_metadata={"logprobs": {"content": [FALSE]}},
    )
    done = agent([said], guard(on_fail="block")).invoke(ASK)
    message = done["messages"][-1].model_copy(update={"response_metadata": {}})
    assert FALSE not in str(done["messages"][-1].response_metadata.get("logprobs"))
    assert FALSE not in message.model_dump_json()


def test_a_withheld_answer_keeps_its_id_and_says_in_its_metadata_what_was_found() -> None:
    done = agent([AIMessage(FALSE, id="answer-1")], guard(on_fail="block")).invoke(ASK)
    message = done["messages"][-1]
    assert (message.id, message.response_metadata["factuality"]["score"]) == ("answer-1", 0.0)


def test_a_topic_may_be_a_function_of_the_state() -> None:
    checker = FactualityMiddleware(
        "examples/knowledge.jsonl", on_fail="block", topic=lambda state: state["messages"][0].text
    )
    right = agent(["Nintendo was founded here in 1889."], checker).invoke(
        {"messages": [{"role": "user", "content": "Kyoto"}]}
    )
    assert right["factuality"]["passed"]


def test_further_sources_are_evidence() -> None:
    checker = FactualityMiddleware(None, sources=["examples/knowledge.jsonl"])
    done = agent(["Nintendo began in Kyoto in 1889."], checker).invoke(ASK)
    assert done["factuality"]["passed"]


def test_a_whole_policy_takes_the_place_of_the_settings() -> None:
    checker = guard(policy=GuardPolicy(on_fail="replace", message="No."))
    assert agent([FALSE], checker).invoke(ASK)["messages"][-1].text == "No."


@pytest.mark.parametrize(
    "settings",
    [
        {"on_fail": "explode"},
        {"interim": "maybe"},
        {"tool_evidence": "all"},
        {"threshold": 2},
        {"evidence_tools": "search"},
        {"evidence_tools": [len]},
    ],
)
def test_wrong_settings_are_refused_by_name(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        guard(**settings)


@both_ways
async def test_half_a_character_in_an_answer_breaks_nothing(way: Way) -> None:
    done = await run(agent([call(), f"{TRUE} \ud83d"], guard()), way)
    assert done["messages"][-1].text == f"{TRUE} \ufffd"


def test_a_topic_that_is_no_title_is_refused() -> None:
    with pytest.raises(UsageError, match="topic gave 5"):
        agent([TRUE], guard(topic=lambda state: 5)).invoke(ASK)


def test_an_answer_without_text_gets_a_note_beside_its_other_parts() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    done = agent([AIMessage([picture])], guard(on_empty="annotate")).invoke(ASK)
    note, kept = done["messages"][-1].content
    assert note["text"].startswith("Note: this answer states nothing")
    assert kept == picture


class WithDocuments(AgentState[Any]):
    documents: NotRequired[list[Document]]


def test_documents_in_the_state_are_evidence() -> None:
    made = agent([f"{TRUE} {FALSE}"], guard(context_key="documents"), state_schema=WithDocuments)
    found = made.invoke({**ASK, "documents": [Document(ADA, metadata={"title": "Ada"})]})["factuality"]
    assert found["score"] == 0.5
    assert found["outcome"]["unsupported"][0]["passage"]["title"] == "Ada"


def test_results_of_tools_that_the_model_no_longer_sees_are_evidence() -> None:
    edits = [ClearToolUsesEdit(trigger=1, keep=0)]
    asked = model(call(), TRUE)
    done = agent(asked, ContextEditingMiddleware(edits=edits), guard()).invoke(ASK)
    assert ADA not in [one.text for one in asked.prompts[1]]
    assert done["factuality"]["passed"]


def test_text_beside_calls_of_tools_is_never_edited() -> None:
    editor = ScriptedChatModel(script=[])
    checker = FactualityMiddleware(scorer(), on_fail="correct", llm=editor)
    done = agent([call(text=FALSE), TRUE], checker).invoke(ASK)
    assert (done["messages"][1].text, done["messages"][-1].text, editor.prompts) == ("", TRUE, [])


def test_a_middleware_without_anything_to_check_by_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to check answers by"):
        FactualityMiddleware(None, tool_evidence="none")
