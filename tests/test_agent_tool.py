"""The tool with which an agent checks claims, called by itself and by LangChain's own agents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver

from factscore_chain.agents import FactualityMiddleware, verify_claims_tool
from factscore_chain.agents.messages import tool_evidence
from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import FatalModelError, UsageError
from tests.agents import ASK, ScriptedAgentModel, agent
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer

KNOWLEDGE = "examples/knowledge.jsonl"
RIGHT, WRONG = "Nintendo began in Kyoto in 1889.", "Nintendo began in Kyoto in 1905."
VERDICTS = {RIGHT: "supported", WRONG: "not_supported"}


def call(tool: Any, claims: Any, **more: Any) -> dict[str, Any]:
    """A call as an agent makes it."""
    return {"name": tool.name, "args": {"claims": claims, **more}, "id": "1", "type": "tool_call"}


def called(tool: Any, claims: Any, **more: Any) -> ToolMessage:
    """What the tool answers to a call of an agent."""
    message = tool.invoke(call(tool, claims, **more))
    assert isinstance(message, ToolMessage)
    return message


def test_each_claim_gets_a_verdict_with_the_passages_it_rests_on() -> None:
    message = called(verify_claims_tool(KNOWLEDGE), [RIGHT, WRONG], topic="Kyoto")
    told = json.loads(message.text)
    assert {one["claim"]: one["verdict"] for one in told} == VERDICTS
    assert all(0 < len(one["passages"]) <= 2 for one in told)
    assert any("Nintendo began here in 1889" in passage["text"] for passage in told[0]["passages"])
    assert told[0]["passages"][0]["title"] == "Kyoto"


def test_the_artifact_holds_all_passages_with_their_origin_as_plain_data() -> None:
    artifact = called(verify_claims_tool(KNOWLEDGE), [RIGHT], topic="Kyoto").artifact
    assert json.loads(json.dumps(artifact, allow_nan=False)) == artifact
    (verdict,) = artifact["factscore_verdicts"]
    assert set(verdict["evidence"]) <= {one["id"] for one in verdict["passages"]}
    assert all(one["origins"] for one in verdict["passages"])
    assert artifact["score"] == 1.0


async def test_it_works_asynchronously() -> None:
    tool = verify_claims_tool(KNOWLEDGE)
    message = await tool.ainvoke(
        {"name": tool.name, "args": {"claims": [RIGHT]}, "id": "1", "type": "tool_call"}
    )
    assert json.loads(message.text)[0]["verdict"] == "supported"


def test_sources_alone_are_enough() -> None:
    message = called(verify_claims_tool(None, sources=[KNOWLEDGE]), [RIGHT])
    assert json.loads(message.text)[0]["verdict"] == "supported"


@pytest.mark.parametrize(
    ("claims", "more", "says"),
    [
        ([], {}, "at least one statement"),
        (["  "], {}, "at least one statement"),
        (["x"] * 4, {}, "4 claims are too many"),
        (["a" * 41], {}, "Claim 1 has 41 characters"),
        ("not a list", {}, "claims: Input should be a valid list"),
        ([1], {}, "claims.0: Input should be a valid string"),
        (["Kyoto is a city."], {"topic": "Atlantis"}, "No document is titled 'Atlantis'"),
        (["Mercury is hot."], {"topic": "Mercury"}, "'Mercury' is ambiguous"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_wrong_call_is_an_error_that_the_agent_is_told(claims: Any, more: Any, says: str) -> None:
    message = called(verify_claims_tool(KNOWLEDGE, max_claims=3, max_claim_length=40), claims, **more)
    assert message.status == "error"
    assert says in message.text


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        (
            FatalModelError("The model 'm' cannot be used."),
            "could not be checked: The model 'm' cannot be used.",
        ),
        (RuntimeError("down"), '"verdict": "failed"'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_trouble_with_the_judge_is_told_and_not_raised(trouble: Exception, says: str) -> None:
    judge = ScriptedChatModel(script=lambda asked: trouble)
    tool = verify_claims_tool(FactScoreChain(KNOWLEDGE, llm=judge, decomposer=SentenceDecomposer()))
    assert says in called(tool, [RIGHT]).text


@pytest.mark.parametrize("limits", [{"max_claims": 0}, {"max_claim_length": -1}, {"max_passages": 0}])
def test_wrong_limits_are_refused_by_name(limits: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(limits))):
        verify_claims_tool(KNOWLEDGE, **limits)


def test_a_tool_without_anything_to_check_by_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to check claims by"):
        verify_claims_tool(None)


def test_a_model_is_told_what_to_give_and_nothing_of_how_it_works() -> None:
    told = convert_to_openai_tool(verify_claims_tool(KNOWLEDGE))["function"]
    assert set(told["parameters"]["properties"]) == {"claims", "topic"}


def _verifying(*claims: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "verify_claims", "args": {"claims": list(claims)}, "id": "1"}])


class OwnArguments(ScriptedAgentModel):
    """The same without streaming, which would lose the arguments of its calls."""

    disable_streaming: bool = True


@pytest.mark.parametrize("stream", [True, False])
def test_an_agent_calls_it_and_its_passages_are_evidence_for_the_answer(stream: bool) -> None:
    model = OwnArguments(script=[_verifying(RIGHT), RIGHT])
    made = agent(
        model, FactualityMiddleware(None), tools=[verify_claims_tool(KNOWLEDGE)], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "1"}}
    if stream:
        list(made.stream(ASK, config, stream_mode="messages"))
    else:
        made.invoke(ASK, config)
    found = made.get_state(config).values["factuality"]
    assert (found["passed"], found["score"]) == (True, 1.0)


def test_the_words_of_a_verdict_are_no_evidence_themselves() -> None:
    message = called(verify_claims_tool(KNOWLEDGE), [WRONG], topic="Kyoto")
    passages = tool_evidence([message]).context
    assert passages
    assert all(WRONG not in one.text for one in passages)
    assert all("tool:verify_claims" in one.origins for one in passages)
