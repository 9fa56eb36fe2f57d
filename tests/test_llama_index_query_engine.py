"""Answers of LlamaIndex's query engines, checked before they are given."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import BaseModel

from factscore_chain.errors import UsageError
from factscore_chain.guard import FactualityError, GuardPolicy
from factscore_chain.guard.policy import DEFAULT_MESSAGE
from factscore_chain.llama_index import FactCheckQueryEngine, LangChainLLM, LangChainRetriever
from tests.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("own_loop")

KNOWLEDGE = "examples/knowledge.jsonl"
QUESTION = "When was Nintendo founded?"
TRUE = "Nintendo was founded in Kyoto in 1889."
FALSE = "Nintendo was founded in Kyoto in 1905."
MIXED = f"{TRUE} Marie Curie was born in Lyon."


class Typing(ScriptedChatModel):
    """The same model, that writes word by word."""

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        text = self._generate(messages, stop, None, **kwargs).generations[0].text
        for word in text.split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(content=f"{word} "))


def engine(*answers: str, streaming: bool = False, **settings: Any) -> FactCheckQueryEngine:
    """LlamaIndex's own engine over the examples, with a model that follows a script."""
    inner = RetrieverQueryEngine.from_args(
        LangChainRetriever(KNOWLEDGE), llm=LangChainLLM(Typing(script=list(answers))), streaming=streaming
    )
    return FactCheckQueryEngine(inner, **settings)


def record(response: Any) -> dict[str, Any]:
    found: dict[str, Any] = response.metadata["factuality"]
    return found


def test_a_true_answer_comes_as_it_is_with_its_record_and_its_sources() -> None:
    response = engine(TRUE).query(QUESTION)
    assert str(response) == TRUE
    assert (record(response)["passed"], record(response)["score"]) == (True, 1.0)
    assert response.source_nodes
    assert set(response.metadata or {}) == {*(node.node_id for node in response.source_nodes), "factuality"}


@pytest.mark.parametrize(
    ("on_fail", "shown"),
    [
        ("annotate", f"{FALSE}\n\nNote: 1 of 2 statements in this answer is not supported by the sources:"),
        ("replace", DEFAULT_MESSAGE),
        ("correct", TRUE),
        ("remove", "Nintendo was founded in Kyoto."),
    ],
)
async def test_a_false_answer_is_dealt_with_by_the_policy_at_both_doors(on_fail: str, shown: str) -> None:
    checked = engine(FALSE, FALSE, on_fail=on_fail)
    for response in (checked.query(QUESTION), await checked.aquery(QUESTION)):
        assert str(response).startswith(shown)
        assert (record(response)["action"], record(response)["original"]) == (on_fail, FALSE)


def test_an_answer_that_is_an_error_is_raised_with_its_outcome() -> None:
    with pytest.raises(FactualityError) as caught:
        engine(FALSE, on_fail="raise").query(QUESTION)
    assert caught.value.checked.outcome.score == 0.5


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_the_engine_is_asked_again_with_what_was_not_supported(asynchronous: bool) -> None:
    model = ScriptedChatModel(script=[FALSE, TRUE])
    inner = RetrieverQueryEngine.from_args(LangChainRetriever(KNOWLEDGE), llm=LangChainLLM(model))
    checked = FactCheckQueryEngine(inner, on_fail="retry")
    response = await checked.aquery(QUESTION) if asynchronous else checked.query(QUESTION)
    assert (str(response), record(response)["retries"]) == (TRUE, 1)
    again = model.prompts[1][-1].text
    assert QUESTION in again
    assert "Nintendo was founded in 1905." in again


def test_asking_again_searches_for_the_question_alone() -> None:
    asked: list[str] = []

    class Listening(LangChainRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            asked.extend(query_bundle.embedding_strs)
            return super()._retrieve(query_bundle)

    model = LangChainLLM(ScriptedChatModel(script=[FALSE, TRUE]))
    inner = RetrieverQueryEngine.from_args(Listening(KNOWLEDGE), llm=model)
    FactCheckQueryEngine(inner, on_fail="retry").query(QUESTION)
    assert asked == [QUESTION, QUESTION]


def test_the_scorers_own_knowledge_counts_beside_the_source_nodes() -> None:
    class Bare(CustomQueryEngine):
        def custom_query(self, query_str: str) -> str:
            return TRUE

    assert record(FactCheckQueryEngine(Bare(), KNOWLEDGE).query(QUESTION))["passed"]
    alone = FactCheckQueryEngine(Bare(), KNOWLEDGE, evidence="contexts").query(QUESTION)
    assert not record(alone)["passed"]


def test_the_topic_may_follow_from_the_query() -> None:
    topics: list[str] = []

    def topic(query: QueryBundle) -> str:
        topics.append(query.query_str)
        return "Kyoto"

    response = engine(TRUE, scorer=KNOWLEDGE, evidence="knowledge", topic=topic).query(QUESTION)
    facts = record(response)["report"]["facts"]
    assert (topics, {passage["title"] for passage in facts[0]["passages"]}) == ([QUESTION], {"Kyoto"})


def test_the_record_is_plain_data() -> None:
    kept = json.loads(json.dumps(record(engine(FALSE).query(QUESTION))))
    assert kept["outcome"]["unsupported"][0]["text"] == "Nintendo was founded in 1905."


def test_settings_go_before_those_of_the_policy() -> None:
    policy = GuardPolicy(threshold=1.0, on_fail="replace", message="No.")
    assert str(engine(FALSE, policy=policy, on_fail="annotate").query(QUESTION)).startswith(FALSE)
    assert str(engine(FALSE, policy=policy).query(QUESTION)) == "No."
    assert str(engine(FALSE, policy=policy, threshold=0.5).query(QUESTION)) == FALSE


def test_a_streamed_answer_comes_as_a_stream_of_checked_sentences() -> None:
    response = engine(MIXED, streaming=True).query(QUESTION)
    assert isinstance(response, StreamingResponse)
    pieces = list(response.response_gen)
    assert [piece.strip() for piece in pieces if piece.strip()] == [
        TRUE,
        "Marie Curie was born in Lyon. [not supported by the sources]",
    ]
    assert (record(response)["passed"], record(response)["original"].strip()) == (False, MIXED)


def test_remove_leaves_an_unsupported_sentence_out_of_a_stream() -> None:
    response = engine(MIXED, streaming=True, on_fail="remove").query(QUESTION)
    assert isinstance(response, StreamingResponse)
    assert "".join(response.response_gen).strip() == TRUE
    assert (record(response)["action"], record(response)["passed"]) == ("remove", True)


async def test_the_asynchronous_door_streams_too() -> None:
    model = Typing(script=[MIXED])
    inner = RetrieverQueryEngine.from_args(
        LangChainRetriever(KNOWLEDGE), llm=LangChainLLM(model), streaming=True
    )
    response = await FactCheckQueryEngine(inner, on_fail="replace", message="(withheld)").aquery(QUESTION)
    assert isinstance(response, AsyncStreamingResponse)
    text = "".join([piece async for piece in response.async_response_gen()])
    assert text.strip() == f"{TRUE} (withheld)"
    assert not record(response)["passed"]


def test_a_sentence_is_shown_before_the_next_is_written() -> None:
    written: list[str] = []

    def bits() -> Any:
        for word in f"{TRUE} One more sentence comes much later. The end is here.".split(" "):
            written.append(word)
            yield f"{word} "
            if word == "much":
                assert shown.wait(90)

    shown = threading.Event()
    nodes = [NodeWithScore(node=TextNode(text=TRUE))]

    class Slow(CustomQueryEngine):
        def custom_query(self, query_str: str) -> Any:
            return StreamingResponse(bits(), nodes)

    response: Any = FactCheckQueryEngine(Slow()).query(QUESTION)
    pieces = iter(response.response_gen)
    assert next(pieces) == TRUE
    assert "later." not in written
    shown.set()
    assert "much later." in "".join(pieces)


async def test_a_stream_that_has_to_be_asked_again_comes_in_one_piece() -> None:
    checked = engine(FALSE, TRUE, streaming=True, on_fail="retry")
    response = await asyncio.to_thread(checked.query, QUESTION)
    assert isinstance(response, StreamingResponse)
    assert [piece.strip() for piece in response.response_gen] == [TRUE]
    response = await engine(FALSE, TRUE, streaming=True, on_fail="retry").aquery(QUESTION)
    assert isinstance(response, AsyncStreamingResponse)
    assert (await response.get_response()).response == f"{TRUE} "


class Founding(BaseModel):
    """An answer that is an object."""

    statement: str
    year: int


@pytest.mark.parametrize(("text", "kind"), [(TRUE, PydanticResponse), (FALSE, Response)])
def test_an_answer_that_is_an_object_is_given_or_withheld(text: str, kind: type) -> None:
    class Structured(CustomQueryEngine):
        def custom_query(self, query_str: str) -> Any:
            return PydanticResponse(Founding(statement=text, year=1889))

    response = FactCheckQueryEngine(Structured(), KNOWLEDGE, on_fail="correct").query(QUESTION)
    assert isinstance(response, kind)
    assert record(response)["action"] == ("pass" if text == TRUE else "replace")


def test_nodes_are_retrieved_by_the_inner_engine_and_answers_from_given_nodes_are_checked() -> None:
    checked = engine(FALSE, on_fail="correct")
    nodes = checked.retrieve(QueryBundle("Nintendo Kyoto 1889"))
    assert str(checked.synthesize(QueryBundle(QUESTION), nodes)) == TRUE


def test_prompts_of_the_inner_engine_can_be_reached() -> None:
    assert "query_engine:response_synthesizer:text_qa_template" in engine().get_prompts()


def test_something_else_than_a_query_engine_is_refused() -> None:
    with pytest.raises(UsageError, match=r"index\.as_query_engine"):
        FactCheckQueryEngine(LangChainRetriever(KNOWLEDGE))  # type: ignore[arg-type]
