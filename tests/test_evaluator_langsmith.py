"""The LangSmith evaluator, called by LangSmith itself and as openevals' evaluators are called."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any
from uuid import uuid4

import pytest
import requests
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langsmith import Client, aevaluate, evaluate
from langsmith.schemas import Example

from factscore_chain.errors import UsageError
from factscore_chain.evaluators.langsmith import factscore_evaluator
from tests.judged import ADA, FALSE, REFUSED, TRUE, scorer

# LangSmith says so of evaluating without uploading.
pytestmark = pytest.mark.filterwarnings("ignore:.*is in beta")


class NoSession(requests.Session):
    """Reaches nobody, and remembers whom it should have reached."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def request(self, method: Any, url: Any, *more: Any, **options: Any) -> Any:
        self.asked.append(f"{method} {url}")
        raise requests.ConnectionError("There is no network.")


def example(**more: Any) -> Example:
    values = {"inputs": {"question": "Where was Ada born?"}, "outputs": {"reference": TRUE}, **more}
    return Example(id=uuid4(), dataset_id=uuid4(), created_at=datetime.now(timezone.utc), **values)


def target(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"answer": f"{TRUE} {FALSE}", "documents": [Document(ADA)]}


def client() -> tuple[Client, NoSession]:
    session = NoSession()
    return Client(
        api_url="http://127.0.0.1:9", api_key="none", session=session, auto_batch_tracing=False
    ), session


def test_langsmith_evaluates_with_it_and_uploads_nothing_where_nothing_is_to_be_uploaded() -> None:
    ours = factscore_evaluator(scorer(), context_key="documents")
    langsmith, session = client()
    rows = list(evaluate(target, data=[example()], evaluators=[ours], client=langsmith, upload_results=False))
    (found,) = rows[0]["evaluation_results"]["results"]
    assert (found.key, found.score, session.asked) == ("factscore", 0.5, [])
    assert found.comment is not None
    assert FALSE in found.comment


async def test_langsmith_evaluates_with_it_asynchronously() -> None:
    async def answer(inputs: dict[str, Any]) -> dict[str, Any]:
        return target(inputs)

    ours = factscore_evaluator(scorer(), context_key="documents")
    langsmith, session = client()
    done = await aevaluate(
        answer, data=[example()], evaluators=[ours], client=langsmith, upload_results=False
    )
    rows = [row async for row in done]
    assert [one.score for one in rows[0]["evaluation_results"]["results"]] == [0.5]
    assert session.asked == []


def test_it_takes_the_keywords_of_openevals() -> None:
    ours = factscore_evaluator(scorer(), context_key="context")
    found = ours(inputs="Where?", outputs=TRUE, reference_outputs=None, context=ADA)
    assert (found["score"], found["metadata"]["passed"]) == (1.0, True)


def test_an_answer_without_facts_has_no_score_and_says_why() -> None:
    found = factscore_evaluator(scorer())(outputs="I do not know.")
    assert (found["score"], found["value"]) == (None, "nothing_to_check")


def test_an_answer_that_could_not_be_checked_does_not_pass() -> None:
    found = factscore_evaluator(scorer())(outputs=REFUSED)
    assert (found["score"], found["value"], found["metadata"]["passed"]) == (None, "error", False)


@pytest.mark.parametrize(
    "outputs",
    [
        TRUE,
        AIMessage([{"type": "text", "text": TRUE}]),
        {"answer": TRUE, "documents": []},
        {"whatever": TRUE},
        {"messages": [HumanMessage("Where?"), AIMessage(TRUE)]},
        {"messages": [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": TRUE}]},
        {"output": {"role": "assistant", "content": TRUE}},
    ],
    ids=["text", "message", "usual name", "single", "messages", "plain messages", "a plain message"],
)
def test_it_finds_the_answer_in_what_applications_give_out(outputs: Any) -> None:
    found = factscore_evaluator(scorer(), context_key="context")(outputs=outputs, context=[ADA])
    assert found["score"] == 1.0


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        ({"first": "a", "second": "b"}, "output_key"),
        ([HumanMessage("Where?")], "no message of the model"),
        (["a", 1], "none of messages"),
        (17, "int holds no answer"),
        (None, "nothing to evaluate"),
        ({}, "not clear"),
    ],
)
def test_outputs_without_a_clear_answer_are_refused_in_words(outputs: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        factscore_evaluator(scorer())(outputs=outputs)


def test_the_topic_is_taken_from_inputs_or_metadata() -> None:
    ours = factscore_evaluator("examples/knowledge.jsonl")
    wrong = ours(inputs={"topic": "Alan Turing"}, outputs="Nintendo was founded in Kyoto.")
    right = ours(inputs={"topic": "Kyoto"}, outputs="Nintendo was founded in Kyoto.")
    assert (wrong["score"], right["score"]) == (0.0, 1.0)
