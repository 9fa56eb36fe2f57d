"""What a user of an agent sees while it works: nothing of the judge, and nothing that was not checked."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from langchain.agents.middleware import ModelFallbackMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from factscore_chain.agents import FactualityMiddleware, LiveFactualityMiddleware
from factscore_chain.chain import FactScoreChain
from factscore_chain.guard.policy import DEFAULT_MESSAGE
from factscore_chain.retrievers.context import ContextOnly
from tests.agents import ASK, ScriptedAgentModel, agent, call, model
from tests.judged import ADA, FALSE, TRUE, scorer


class Judge(ScriptedAgentModel):
    """Takes each sentence as a fact, finds all of them false, and streams where it is let to."""


def judged_by_a_model() -> tuple[FactScoreChain, Judge]:
    """A scorer whose own model would stream, and that model."""
    judge = Judge(script=lambda asked: "False" if "true or false" in asked.lower() else f"- {FALSE}")
    return FactScoreChain(ContextOnly(), llm=judge), judge


def guard(**more: Any) -> FactualityMiddleware:
    return FactualityMiddleware(scorer(), **more)


def shown_by(pieces: list[Any]) -> str:
    """The model's words in a stream of messages."""
    return "".join(one.text for one, _ in pieces if isinstance(one, (AIMessage, AIMessageChunk)))


@pytest.mark.parametrize(("answer", "shown"), [(TRUE, TRUE), (FALSE, DEFAULT_MESSAGE)])
def test_a_stream_of_messages_shows_only_what_was_checked(answer: str, shown: str) -> None:
    pieces = list(agent([call(), answer], guard(on_fail="block")).stream(ASK, stream_mode="messages"))
    assert shown_by(pieces) == shown


def test_nothing_of_a_withheld_answer_leaves_with_the_message_in_its_place() -> None:
    pieces = list(agent([call(), FALSE], guard(on_fail="replace")).stream(ASK, stream_mode="messages"))
    assert FALSE not in repr(pieces)
    told = [one.response_metadata.get("factuality") for one, _ in pieces]
    assert [one["unsupported"] for one in told if one is not None] == [1]


async def test_an_asynchronous_stream_shows_the_same() -> None:
    made = agent([call(), FALSE, TRUE], guard(on_fail="retry"))
    pieces = [one async for one in made.astream(ASK, stream_mode="messages")]
    assert shown_by(pieces) == TRUE


def test_the_checked_answer_is_streamed_once_under_the_id_that_the_state_has() -> None:
    made = agent([call(), FALSE], guard(), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    pieces = [one for one, _ in made.stream(ASK, config, stream_mode="messages") if "Note:" in one.text]
    assert [one.id for one in pieces] == [made.get_state(config).values["messages"][-1].id]


async def test_events_show_the_checked_answer_as_that_of_a_model_and_nothing_else() -> None:
    scorer, judge = judged_by_a_model()
    made = agent([call(), FALSE], FactualityMiddleware(scorer, on_fail="block"))
    events = [one async for one in made.astream_events(ASK, version="v2")]
    words = [one["data"]["chunk"].text for one in events if one["event"] == "on_chat_model_stream"]
    assert "".join(words) == DEFAULT_MESSAGE
    assert len(judge.prompts) == 2
    assert {one["name"] for one in events if "chat_model" in one["event"]} == {"Replay"}
    assert [one["name"] for one in events if one["event"] == "on_custom_event"] == ["factscore.checked"]


@pytest.mark.parametrize("kind", [FactualityMiddleware, LiveFactualityMiddleware])
def test_no_word_of_the_judge_reaches_a_stream(kind: Any) -> None:
    scorer, judge = judged_by_a_model()
    made = agent([call(), FALSE], kind(scorer, on_fail="annotate"))
    pieces = list(made.stream(ASK, stream_mode=["messages", "updates", "values"]))
    assert len(judge.prompts) == 2
    texts = {text.strip() for text in _texts([piece for mode, piece in pieces])}
    assert not texts & {"False", f"- {FALSE}"}


def test_updates_and_values_never_hold_the_answer_that_was_withheld() -> None:
    for mode in ("updates", "values", "tasks", "checkpoints"):
        made = agent([FALSE], guard(on_fail="block"), checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "1"}}
        pieces = list(made.stream(ASK, config, stream_mode=mode))
        assert all(FALSE not in text for text in _texts(pieces))


def _texts(value: Any) -> list[str]:
    if isinstance(value, BaseMessage):
        return [value.text]
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in _texts(one)]
    return []


@pytest.mark.parametrize("kind", [FactualityMiddleware, LiveFactualityMiddleware])
def test_the_custom_stream_tells_what_was_found(kind: Any) -> None:
    (told,) = agent([call(), TRUE], kind(scorer(), name="facts")).stream(ASK, stream_mode="custom")
    assert (told["factuality"]["name"], told["factuality"]["score"]) == ("facts", 1.0)


def test_a_model_that_another_middleware_puts_in_is_silent_too() -> None:
    broken = model(RuntimeError("down"))
    made = agent(broken, guard(on_fail="block"), ModelFallbackMiddleware(model(FALSE)))
    assert shown_by(list(made.stream(ASK, stream_mode="messages"))) == DEFAULT_MESSAGE


def test_callbacks_of_the_application_still_see_every_run() -> None:
    class Seen(BaseCallbackHandler):
        names: ClassVar[list[str]] = []

        def on_chain_start(self, serialized: Any, inputs: Any, **more: Any) -> None:
            self.names.append(more.get("name") or "")

    seen = Seen()
    list(agent([TRUE], guard()).stream(ASK, {"callbacks": [seen]}, stream_mode="messages"))
    assert {"TextChecker", "score"} <= set(seen.names)


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
async def test_the_newest_stream_of_runs_shows_only_what_was_checked() -> None:
    scorer, _ = judged_by_a_model()
    made = agent([call(), FALSE], FactualityMiddleware(scorer, on_fail="block"))
    run = await made.astream_events(ASK, version="v3")
    texts = [str(await message.text) async for message in run.messages]
    assert "".join(texts) == DEFAULT_MESSAGE


def test_the_live_middleware_streams_what_the_model_says_and_keeps_what_was_checked() -> None:
    made = agent(
        [call(), FALSE], LiveFactualityMiddleware(scorer(), on_fail="block"), checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "1"}}
    assert FALSE in shown_by(list(made.stream(ASK, config, stream_mode="messages")))
    assert made.get_state(config).values["messages"][-1].text == DEFAULT_MESSAGE


def test_evidence_of_fifty_messages_of_tools_is_found() -> None:
    calls = [call(id=f"call-{number}") for number in range(49)]
    made = agent([*calls, call("page", id="last"), f"{TRUE} {FALSE}"], guard(), tools=_fifty())
    done = made.invoke(ASK, {"recursion_limit": 200})
    assert done["factuality"]["score"] == 0.5


def _fifty() -> list[Any]:
    from langchain_core.tools import tool

    @tool
    def look_up() -> str:
        """Brings nothing of use."""
        return "Nothing of use stands here."

    @tool
    def page() -> str:
        """Brings the page."""
        return ADA

    return [look_up, page]


def test_an_agent_inside_another_graph_shows_only_what_was_checked() -> None:
    outer = StateGraph(MessagesState)
    outer.add_node("agent", agent([call(), FALSE], guard(on_fail="block")))
    outer.add_edge(START, "agent")
    made: Any = outer.compile()
    pieces = list(made.stream(ASK, stream_mode="messages", subgraphs=True))
    assert shown_by([piece for _, piece in pieces]) == DEFAULT_MESSAGE
