"""The guard as a step of LangChain chains."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langgraph.graph import START, StateGraph

from factscore_chain import FactGuard, FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.graphs import FactualityState
from factscore_chain.guard.check import CHECKED
from factscore_chain.guard.checked import CheckedText, FactualityError
from factscore_chain.lcel import AnswerScorer
from factscore_chain.retrievers.context import ContextOnly
from tests.rag import ASKED, DOCUMENTS, FALSE, TRUE, Shelf, guard, joined, rag, scorer, scripted
from tests.scripted import ScriptedChatModel
from tests.stages import GivenVerifier, SentenceDecomposer, WordVerifier


def test_a_chain_keeps_its_keys_and_gets_the_result_beside_the_answer() -> None:
    result = (rag(scripted(TRUE)) | guard()).invoke(ASKED)
    assert list(result) == ["question", "session", "context", "answer", "factuality"]
    assert (result["answer"], result["context"], result["session"]) == (TRUE, DOCUMENTS, 7)
    assert isinstance(result["factuality"], CheckedText)
    report = result["factuality"].to_dict()["report"]
    assert report["facts"][0]["passages"][0]["title"] == "nintendo.md"


async def test_it_does_the_same_without_blocking_and_in_a_batch() -> None:
    chain = rag(ScriptedChatModel(script=lambda asked: FALSE if "Who" in asked else TRUE)) | guard(
        on_fail="replace", message="No."
    )
    asked = [{"question": "Where?"}, {"question": "Who?"}]
    answers = [TRUE, "No."]
    assert [one["answer"] for one in chain.batch(asked)] == answers
    assert [one["answer"] for one in await chain.abatch(asked)] == answers
    assert (await chain.ainvoke(asked[1]))["answer"] == "No."


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({"on_fail": "annotate"}, f"{FALSE}\n\nNote: 1 of 1 statements in this answer is not supported"),
        ({"on_fail": "replace", "message": "No."}, "No."),
    ],
)
def test_an_answer_that_fails_is_treated_as_the_policy_says(settings: dict[str, Any], shown: str) -> None:
    result = (rag(scripted(FALSE)) | guard(**settings)).invoke(ASKED)
    assert result["answer"].startswith(shown)
    assert not result["factuality"].passed


def test_raise_ends_the_chain() -> None:
    with pytest.raises(FactualityError):
        (rag(scripted(FALSE)) | guard(on_fail="raise")).invoke(ASKED)


@pytest.mark.parametrize(("on_fail", "shown"), [("correct", "in 1889."), ("remove", "in Kyoto.")])
def test_the_embedded_editor_mends_answers(on_fail: Any, shown: str) -> None:
    documents = [
        ("Kyoto", "Nintendo began here in 1889 as a maker of cards, and still has its office in the city.")
    ]
    chain = RunnablePassthrough.assign(context=lambda _: documents) | FactGuard(on_fail=on_fail, threshold=1)
    assert chain.invoke({"answer": "Nintendo was founded in Kyoto in 1905."})["answer"].endswith(shown)


def test_keys_may_have_other_names() -> None:
    named = guard(
        text_key="output", context_key=["source_documents", "more"], topic_key="title", outcome_key="check"
    )
    given = {"output": TRUE, "source_documents": ["Nothing."], "more": DOCUMENTS, "title": "Nintendo"}
    result = named.invoke(given)
    assert (result["check"].passed, list(result)) == (True, [*given, "check"])
    origins = [passage.origins for passage in result["check"].report.facts[0].passages]
    assert origins == [("source_documents",), ("more",), ("more",)]
    assert result["check"].report.topic == "Nintendo"


def test_without_an_outcome_key_nothing_is_added() -> None:
    assert guard(outcome_key=None).invoke({"answer": TRUE, "context": DOCUMENTS}) == {
        "answer": TRUE,
        "context": DOCUMENTS,
    }


def test_a_text_is_checked_by_the_sources_of_the_guard() -> None:
    checked = guard(sources=[Shelf(documents=DOCUMENTS)], on_fail="replace", message="No.")
    assert (checked.invoke(TRUE), checked.invoke(FALSE)) == (TRUE, "No.")


def test_a_message_keeps_its_identity_and_tells_what_was_found() -> None:
    message = AIMessage(
        [{"type": "text", "text": FALSE}, {"type": "image", "url": "x"}],
        id="m1",
        response_metadata={"logprobs": 1},
    )
    result = guard(sources=[Shelf(documents=DOCUMENTS)], on_fail="replace", message="No.").invoke(message)
    assert (result.id, result.text, result.content[1]) == ("m1", "No.", {"type": "image", "url": "x"})
    assert result.response_metadata["factuality"]["unsupported"] == 1
    assert FALSE not in repr(result)
    assert "logprobs" not in result.response_metadata


def test_a_message_that_only_calls_tools_passes_as_it_is() -> None:
    message = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    assert guard(on_empty="fail").invoke(message) is message


@pytest.mark.parametrize("wrong", [7, None, ["text"], {"question": "x"}, {"answer": 3}])
def test_what_is_no_answer_is_refused(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"no answer|There is no 'answer'"):
        guard().invoke(wrong)


@pytest.mark.parametrize(
    "settings", [{"text_key": "context"}, {"outcome_key": "answer"}, {"on_fail": "block"}, {"threshold": 80}]
)
def test_settings_that_are_none_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        guard(**settings)


def test_retry_asks_the_answering_part_again_with_the_same_context() -> None:
    model = scripted(FALSE, TRUE)
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    chain = rag(model) | guard(on_fail="retry", retry_with=prompt | model | StrOutputParser())
    result = chain.invoke(ASKED)
    assert (result["answer"], result["factuality"].retries, result["question"]) == (TRUE, 1, "Where?")
    assert f"“{FALSE}”" in model.prompts[1][-1].text
    assert "Where?" in model.prompts[1][-1].text


def test_wrap_asks_the_whole_chain_again() -> None:
    model = scripted(FALSE, FALSE, TRUE)
    chain = guard(on_fail="retry", max_retries=2).wrap(rag(model))
    result = chain.invoke(ASKED)
    assert (result["answer"], result["factuality"].retries) == (TRUE, 2)
    assert list(result) == ["question", "session", "context", "answer", "factuality"]
    assert result["question"] == "Where?"
    assert [FALSE in prompt[-1].text for prompt in model.prompts] == [False, True, True]


@pytest.mark.parametrize("where", ["wrap", "retry_with"])
def test_a_prompt_may_have_its_own_place_for_the_feedback(where: str) -> None:
    model = scripted(FALSE, TRUE)
    prompt = ChatPromptTemplate.from_template("{question}\n\n[{feedback}]")
    answering = RunnablePassthrough.assign(answer=prompt | model | StrOutputParser())
    chain = RunnablePassthrough.assign(context=lambda _: DOCUMENTS) | answering
    if where == "wrap":
        result = guard(on_fail="retry").wrap(chain).invoke(ASKED)
        assert model.prompts[0][-1].text == "Where?\n\n[]"
    else:
        first = RunnablePassthrough.assign(feedback=lambda _: "") | chain
        result = (first | guard(on_fail="retry", retry_with=answering)).invoke(ASKED)
    assert result["answer"] == TRUE
    assert f"“{FALSE}”" in model.prompts[1][-1].text.split("[")[1]


@pytest.mark.parametrize(
    "asked", ["Where?", [HumanMessage("Where?")], ChatPromptTemplate.from_template("Where?").invoke({})]
)
def test_a_model_is_told_in_its_conversation(asked: Any) -> None:
    model = scripted(FALSE, TRUE)
    checked = guard(on_fail="retry", sources=[Shelf(documents=DOCUMENTS)]).wrap(model)
    assert checked.invoke(asked).text == TRUE
    assert FALSE in model.prompts[1][-1].text


def test_an_input_without_a_place_for_feedback_is_refused_and_a_function_gives_it_one() -> None:
    chain: Runnable[Any, Any] = RunnableLambda(
        lambda value: {"answer": TRUE if value.get("told") else FALSE, "context": DOCUMENTS}
    )
    with pytest.raises(UsageError, match="no place for feedback"):
        guard(on_fail="retry").wrap(chain).invoke({"n": 1})
    told = guard(on_fail="retry", ask_again=lambda value, checked: {**value, "told": checked.feedback()})
    assert told.wrap(chain).invoke({"n": 1})["answer"] == TRUE


@pytest.mark.parametrize("value", [TRUE, AIMessage(TRUE), {"answer": TRUE, "docs": DOCUMENTS}])
async def test_a_guard_that_has_nothing_to_check_by_says_so(value: Any) -> None:
    with pytest.raises(UsageError, match="nothing to check the answer by"):
        guard().invoke(value)
    with pytest.raises(UsageError, match="nothing to check the answer by"):
        [one async for one in guard().astream(value)]


def test_a_context_without_a_passage_supports_nothing() -> None:
    assert not guard().invoke({"answer": TRUE, "context": []})["factuality"].passed


@pytest.mark.parametrize(
    ("settings", "answer", "shown"),
    [
        ({"on_empty": "fail"}, "I don't know.", "No."),
        ({"on_empty": "pass"}, "I don't know.", "I don't know."),
        ({"on_error": "closed"}, "BREAK it.", "No."),
        ({"on_error": "open"}, "BREAK it.", "BREAK it."),
        ({"on_error": "closed", "min_coverage": 0.6}, "0.9 is sure. It is not.", "No."),
        ({"on_error": "open", "min_coverage": 0.6}, "0.9 is sure. It is not.", "0.9 is sure. It is not."),
    ],
)
@pytest.mark.parametrize("streams", [False, True])
async def test_silence_trouble_and_too_few_verdicts_are_treated_as_the_policy_says(
    settings: dict[str, Any], answer: str, shown: str, streams: bool
) -> None:
    verifier = GivenVerifier() if "min_coverage" in settings else WordVerifier()
    chain = FactScoreChain(ContextOnly(), decomposer=SentenceDecomposer(), verifier=verifier)
    checked = FactGuard(chain, message="No.", **settings)
    given = {"answer": answer, "context": DOCUMENTS}
    if not streams:
        assert checked.invoke(given)["answer"] == shown
        return
    # In a stream each sentence is judged on its own, and one that passes is shown.
    alone = "0.9 is sure. No." if "min_coverage" in settings and shown == "No." else shown
    assert joined([one async for one in checked.astream(given)], "answer") == alone


async def test_what_a_judging_model_says_is_not_shown_to_the_user_of_a_graph() -> None:
    judge = ScriptedChatModel(script=lambda asked: "True" if "True or False" in asked else f"- {TRUE}")
    graph: StateGraph[Any, None, Any, Any] = StateGraph(FactualityState)
    graph.add_node("guard", FactGuard(FactScoreChain(ContextOnly(), llm=judge)))
    graph.add_edge(START, "guard")
    given: Any = {"answer": TRUE, "context": DOCUMENTS}
    shown = [one async for one in graph.compile().astream(given, stream_mode="messages")]
    assert (len(judge.prompts), shown) == (2, [])


def test_a_scorer_composes_without_a_guard_too() -> None:
    knowing = FactScoreChain(
        Shelf(documents=DOCUMENTS), decomposer=SentenceDecomposer(), verifier=WordVerifier()
    )
    chain = rag(scripted(TRUE)) | RunnablePassthrough.assign(report=itemgetter("answer") | knowing)
    assert chain.invoke(ASKED)["report"].init_score == 1.0


def test_retry_without_somebody_to_ask_is_refused() -> None:
    with pytest.raises(UsageError, match="retry_with"):
        guard(on_fail="retry").invoke({"answer": TRUE, "context": DOCUMENTS})


async def test_callbacks_and_tags_reach_what_runs_inside_and_the_outcome_is_an_event() -> None:
    events = [
        event
        async for event in guard().astream_events(
            {"answer": FALSE, "context": DOCUMENTS}, {"tags": ["mine"]}, version="v2"
        )
    ]
    inside = [one for one in events if one["event"] == "on_chain_start" and one["name"] == "score"]
    assert [{"mine", "nostream"} <= set(one["tags"]) for one in inside] == [True]
    told: list[Any] = [one["data"] for one in events if one["name"] == CHECKED]
    assert [one["outcome"]["cause"] for one in told] == ["unsupported"]


def test_a_guard_stands_in_an_assignment_too() -> None:
    chain = RunnablePassthrough.assign(checked=guard(on_fail="replace", message="No.") | itemgetter("answer"))
    result = chain.invoke({"answer": FALSE, "context": DOCUMENTS})
    assert (result["answer"], result["checked"]) == (FALSE, "No.")


def test_a_score_by_the_chains_context_stands_beside_the_answer() -> None:
    chain = rag(scripted(f"{TRUE} {FALSE}")) | RunnablePassthrough.assign(report=AnswerScorer(scorer()))
    result = chain.invoke(ASKED)
    assert (result["report"].init_score, result["answer"]) == (0.5, f"{TRUE} {FALSE}")
