"""Answers with a schema: their texts are checked, and the object is given, asked for again, or withheld."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from factscore_chain.agents import FactualityMiddleware, LiveFactualityMiddleware
from factscore_chain.agents.objects import object_text
from factscore_chain.guard import FactualityError
from factscore_chain.guard.policy import DEFAULT_MESSAGE
from tests.agents import ASK, agent, call
from tests.judged import FALSE, TRUE, scorer


class Answer(BaseModel):
    """An answer with a schema."""

    born: str
    summary: str


KINDS = [FactualityMiddleware, LiveFactualityMiddleware]
STRATEGIES = [ToolStrategy, ProviderStrategy]
every_way = pytest.mark.parametrize(
    ("kind", "strategy"), [(kind, strategy) for kind in KINDS for strategy in STRATEGIES]
)


def _said(strategy: Any, summary: str) -> AIMessage:
    args = {"born": "Paris", "summary": summary}
    if strategy is ProviderStrategy:
        return AIMessage(json.dumps(args))
    return AIMessage("", tool_calls=[{"name": "Answer", "args": args, "id": "2"}])


def _done(kind: Any, strategy: Any, *summaries: str, **policy: Any) -> dict[str, Any]:
    replies = [call(), *(_said(strategy, one) for one in summaries)]
    made = agent(replies, kind(scorer(), **policy), response_format=strategy(Answer))
    done: dict[str, Any] = made.invoke(ASK)
    return done


@every_way
@pytest.mark.parametrize("on_fail", ["annotate", "block", "correct", "remove", "retry", "error"])
def test_an_object_whose_texts_are_supported_is_given_as_it_is(
    kind: Any, strategy: Any, on_fail: Any
) -> None:
    done = _done(kind, strategy, TRUE, on_fail=on_fail)
    assert done["structured_response"] == Answer(born="Paris", summary=TRUE)
    assert (done["factuality"]["cause"], done["factuality"]["passed"]) == ("supported", True)


@every_way
@pytest.mark.parametrize("on_fail", ["block", "correct", "remove"])
def test_an_object_with_an_unsupported_text_is_withheld(kind: Any, strategy: Any, on_fail: Any) -> None:
    done = _done(kind, strategy, FALSE, on_fail=on_fail)
    assert done.get("structured_response") is None
    assert done["messages"][-1].text == DEFAULT_MESSAGE
    assert (done["factuality"]["action"], done["factuality"]["passed"]) == ("replace", False)


@every_way
def test_where_failing_answers_are_annotated_the_record_says_so(kind: Any, strategy: Any) -> None:
    done = _done(kind, strategy, FALSE)
    assert done["structured_response"] == Answer(born="Paris", summary=FALSE)
    assert [one["text"] for one in done["factuality"]["outcome"]["unsupported"]] == [FALSE]


@every_way
def test_an_object_that_fails_is_asked_for_again(kind: Any, strategy: Any) -> None:
    done = _done(kind, strategy, FALSE, TRUE, on_fail="retry")
    assert done["structured_response"] == Answer(born="Paris", summary=TRUE)
    assert done["factuality"]["retries"] == 1


@every_way
def test_an_object_that_fails_is_an_error_where_the_policy_says_so(kind: Any, strategy: Any) -> None:
    with pytest.raises(FactualityError):
        _done(kind, strategy, FALSE, on_fail="error")


@every_way
def test_an_object_is_no_evidence_for_a_later_one(kind: Any, strategy: Any) -> None:
    replies = [call(), _said(strategy, FALSE), _said(strategy, FALSE)]
    guard = kind(scorer(), tool_evidence="thread")
    made = agent(replies, guard, response_format=strategy(Answer), checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    assert [made.invoke(ASK, thread)["factuality"]["passed"] for _ in range(2)] == [False, False]


def test_short_values_are_statements_about_a_topic_and_none_without_one() -> None:
    answer = {"born_in": "Paris", "year": 1815, "notes": [{"text": TRUE}], "known": True}
    assert object_text(answer, None) == TRUE
    assert object_text(answer, "Ada") == f"- Born in: Paris\n\n- Year: 1815\n\n{TRUE}"
