"""The guard as a step of chains that stream."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableGenerator, RunnableLambda

from factscore_chain.errors import UsageError
from factscore_chain.guard.check import CHECKED
from factscore_chain.guard.checked import FactualityError
from factscore_chain.guard.gate import SENTENCE
from factscore_chain.lcel import AnswerScorer
from tests.rag import ASKED, DOCUMENTS, FALSE, TRUE, Shelf, guard, joined, rag, scorer, scripted, streaming


class Listener(BaseCallbackHandler):
    """Notes what custom events tell."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        self.told.append((name, data["outcome"]["cause"]))


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_a_stream_tells_of_each_sentence_and_of_the_whole(asynchronous: bool) -> None:
    listener = Listener()
    chain = rag(streaming(f"{TRUE} {FALSE}")) | guard()
    if asynchronous:
        [one async for one in chain.astream(ASKED, {"callbacks": [listener]})]
    else:
        list(chain.stream(ASKED, {"callbacks": [listener]}))
    assert listener.told == [(SENTENCE, "supported"), (SENTENCE, "unsupported"), (CHECKED, "unsupported")]


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_a_streaming_chain_shows_sentences_as_they_are_verified(asynchronous: bool) -> None:
    chain = rag(streaming(f"{TRUE} {FALSE} Kyoto is a city in Japan.")) | guard(
        on_fail="replace", message="No."
    )
    chunks = [one async for one in chain.astream(ASKED)] if asynchronous else list(chain.stream(ASKED))
    answers = [chunk["answer"] for chunk in chunks if "answer" in chunk]
    assert answers == [TRUE, " No.", " Kyoto is a city in Japan."]
    assert joined(chunks[:1], "question") == "Where?"
    assert chunks[-1]["factuality"].outcome.unsupported[0].text == FALSE
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk
    assert list(whole) == ["question", "session", "context", "answer", "factuality"]


async def test_a_stream_of_texts_and_one_of_messages_keep_their_kind() -> None:
    checked = guard(sources=[Shelf(documents=DOCUMENTS)], on_fail="replace", message="No.")
    texts = [one async for one in (streaming(f"{TRUE} {FALSE}") | StrOutputParser() | checked).astream("?")]
    assert texts == [TRUE, " No."]
    messages = [one async for one in (streaming(f"{TRUE} {FALSE}") | checked).astream("?")]
    whole = messages[0]
    for one in messages[1:]:
        whole = whole + one
    assert whole.text == f"{TRUE} No."
    assert whole.response_metadata["factuality"]["unsupported"] == 1
    assert FALSE not in repr(messages)
    assert len({one.id for one in messages}) == 1


def test_many_synchronous_streams_at_once_do_not_wait_for_each_other() -> None:
    everybody = threading.Barrier(40)

    def answers(inputs: Iterator[Any]) -> Iterator[Any]:
        for _ in inputs:
            yield {"context": DOCUMENTS}
            everybody.wait(90)  # all streams wait for their model, which scores something itself
            assert AnswerScorer(scorer()).invoke({"answer": TRUE, "context": DOCUMENTS}).init_score == 1.0
            yield {"answer": TRUE}

    chain = RunnableGenerator(answers) | guard(on_fail="replace", message="No.")
    with ThreadPoolExecutor(40) as threads:
        shown = list(threads.map(lambda _: joined(list(chain.stream("?")), "answer"), range(40)))
    assert shown == [TRUE] * 40


async def test_text_that_comes_before_its_context_waits_for_it() -> None:
    async def late(chunks: Any) -> Any:
        async for _ in chunks:
            yield {"answer": TRUE}
            yield {"context": DOCUMENTS}

    chain = RunnableLambda(lambda x: x) | late | guard(on_fail="raise")
    assert joined([chunk async for chunk in chain.astream("?")], "answer") == TRUE


async def test_with_retry_a_stream_shows_the_whole_answer_at_the_end() -> None:
    model = scripted(FALSE, TRUE)
    prompt = ChatPromptTemplate.from_template("{question}")
    chain = rag(model) | guard(on_fail="retry", retry_with=prompt | model | StrOutputParser())
    chunks = [chunk async for chunk in chain.astream(ASKED)]
    assert [chunk["answer"] for chunk in chunks] == [TRUE]
    wrapped = guard(on_fail="retry").wrap(rag(scripted(FALSE, TRUE)))
    assert [chunk["answer"] for chunk in wrapped.stream(ASKED)] == [TRUE]


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_with_retry_chunks_that_are_plain_dicts_are_one_answer(asynchronous: bool) -> None:
    async def plain(chunks: Any) -> Any:
        async for _ in chunks:
            for chunk in ({"context": DOCUMENTS, **ASKED}, {"answer": FALSE[:9]}, {"answer": FALSE[9:]}):
                yield chunk

    def blocking(chunks: Iterator[Any]) -> Iterator[Any]:
        for _ in chunks:
            yield from ({"context": DOCUMENTS, **ASKED}, {"answer": FALSE[:9]}, {"answer": FALSE[9:]})

    chain = RunnableGenerator(blocking, plain) | guard(on_fail="retry", retry_with=lambda _: TRUE)
    chunks = [chunk async for chunk in chain.astream("?")] if asynchronous else list(chain.stream("?"))
    assert [(chunk["answer"], chunk["factuality"].retries) for chunk in chunks] == [(TRUE, 1)]


def test_with_retry_a_stream_of_several_kinds_is_refused() -> None:
    def mixed(chunks: Iterator[Any]) -> Iterator[Any]:
        for _ in chunks:
            yield from ({"answer": TRUE}, TRUE)

    chain = RunnableGenerator(mixed) | guard(on_fail="retry", retry_with=lambda _: TRUE)
    with pytest.raises(UsageError, match="dict and str"):
        list(chain.stream("?"))


async def test_a_message_that_calls_tools_streams_through() -> None:
    call = AIMessage("", tool_calls=[{"name": "search", "args": {"q": "x"}, "id": "1"}])
    chunks = [one async for one in guard(on_empty="fail").astream(call)]
    whole = chunks[0]
    for one in chunks[1:]:
        whole = whole + one
    assert (whole.text, whole.tool_calls[0]["name"]) == ("", "search")


@pytest.mark.parametrize("wrong", [7, {"question": "x"}])
async def test_a_stream_of_what_is_no_answer_is_refused(wrong: Any) -> None:
    with pytest.raises(UsageError):
        [one async for one in guard().astream(wrong)]


async def test_an_error_ends_a_stream() -> None:
    chain = rag(streaming(f"{TRUE} {FALSE}")) | guard(on_fail="raise")
    with pytest.raises(FactualityError):
        [one async for one in chain.astream(ASKED)]
    with pytest.raises(FactualityError):
        list((rag(streaming(f"{TRUE} {FALSE}")) | guard(on_fail="raise")).stream(ASKED))


async def test_a_wrapped_chain_streams_where_nobody_is_asked_again() -> None:
    chain = guard(on_fail="replace", message="No.").wrap(rag(streaming(f"{TRUE} {FALSE}")))
    assert joined([one async for one in chain.astream(ASKED)], "answer") == f"{TRUE} No."
