"""The evaluator, alone and in LlamaIndex's own runners."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import PromptTemplate, Settings
from llama_index.core.base.response.schema import Response, StreamingResponse
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine, RetryQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode

from factscore_chain import FactScoreChain, Verdict
from factscore_chain.errors import UsageError
from factscore_chain.guard import GuardPolicy
from factscore_chain.llama_index import (
    FactScoreEvaluator,
    LangChainLLM,
    LangChainRetriever,
)
from factscore_chain.retrievers.context import ContextOnly
from tests.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("own_loop")

KNOWLEDGE = "examples/knowledge.jsonl"
TRUE = "Marie Curie was born in Warsaw."
FALSE = "Marie Curie was born in Lyon."
CONTEXT = "Marie Curie was born in Warsaw in 1867, and moved to Paris in 1891."


def response(text: str, *contexts: str) -> Response:
    nodes = [
        NodeWithScore(node=TextNode(id_=f"node {number}", text=text, metadata={"title": "Marie Curie"}))
        for number, text in enumerate(contexts)
    ]
    return Response(text, source_nodes=nodes)


@pytest.mark.parametrize(("text", "passing", "score"), [(TRUE, True, 1.0), (FALSE, False, 0.0)])
async def test_a_response_is_judged_by_the_contexts_it_was_written_from(
    text: str, passing: bool, score: float
) -> None:
    result = await FactScoreEvaluator().aevaluate("Where was she born?", text, [CONTEXT])
    assert (result.passing, result.score, result.invalid_result) == (passing, score, False)
    assert (result.query, result.response, result.contexts) == ("Where was she born?", text, [CONTEXT])


async def test_the_synchronous_door_works_inside_a_running_loop() -> None:
    assert FactScoreEvaluator().evaluate(response=TRUE, contexts=[CONTEXT]).passing


def test_a_failing_result_says_what_is_not_supported_and_shows_the_passage() -> None:
    result = FactScoreEvaluator().evaluate_response(response=response(f"{TRUE} {FALSE}", CONTEXT))
    assert result.feedback is not None
    assert FALSE in result.feedback
    assert TRUE not in result.feedback
    assert result.outcome is not None
    (finding,) = result.outcome.unsupported
    assert finding.passage is not None
    assert (finding.passage.id, finding.passage.title) == ("node 0", "Marie Curie")
    assert finding.passage.origins == ("source_node",)


@pytest.mark.parametrize(("evidence", "passing"), [("both", True), ("knowledge", True), ("contexts", False)])
def test_what_counts_as_evidence_is_chosen(evidence: Any, passing: bool) -> None:
    evaluator = FactScoreEvaluator(KNOWLEDGE, evidence=evidence)
    assert evaluator.evaluate(response=TRUE, contexts=["Kyoto is a city."]).passing is passing


def test_contexts_do_not_count_where_only_knowledge_does() -> None:
    evaluator = FactScoreEvaluator(KNOWLEDGE, evidence="knowledge")
    lie = "The city of Kyoto lies on the Moon."
    assert evaluator.evaluate(response=lie, contexts=[lie]).passing is False


def test_no_contexts_found_is_not_the_same_as_no_contexts_given() -> None:
    evaluator = FactScoreEvaluator()
    assert evaluator.evaluate(response=TRUE, contexts=[]).passing is False
    given = evaluator.evaluate(response=TRUE)
    assert (given.passing, given.invalid_result) == (None, True)


def test_a_lone_text_is_one_context() -> None:
    result = FactScoreEvaluator().evaluate(response=TRUE, contexts=CONTEXT)
    assert (result.passing, result.contexts) == (True, [CONTEXT])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"contexts": [CONTEXT]}, "no response"),
        ({"response": TRUE}, "no contexts"),
        ({"response": TRUE, "contexts": [3]}, "no evidence"),
        ({"response": TRUE, "contexts": 3}, "no evidence"),
        ({"response": 5, "contexts": [CONTEXT]}, "no text, but of the type int"),
        ({"response": "I do not know.", "contexts": [CONTEXT]}, "no fact"),
    ],
)
def test_what_cannot_be_judged_is_an_invalid_result_and_no_error(
    arguments: dict[str, Any], reason: str
) -> None:
    result = FactScoreEvaluator().evaluate(**arguments)
    assert (result.invalid_result, result.score) == (True, None)
    assert reason in (result.invalid_reason or "")


@pytest.mark.parametrize(("on_empty", "passing"), [("pass", True), ("fail", False)])
def test_the_policy_says_whether_a_response_without_facts_passes(on_empty: Any, passing: bool) -> None:
    evaluator = FactScoreEvaluator(policy=GuardPolicy(on_empty=on_empty))
    assert evaluator.evaluate(response="I do not know.", contexts=[CONTEXT]).passing is passing


@pytest.mark.parametrize(("on_error", "passing"), [("annotate", None), ("open", True), ("closed", False)])
def test_the_policy_says_what_trouble_with_the_judge_means(on_error: Any, passing: bool | None) -> None:
    def broken(prompt: str) -> Exception | str:
        return RuntimeError("down") if "True or False" in prompt else f"- {TRUE}"

    chain = FactScoreChain(ContextOnly(), llm=ScriptedChatModel(script=broken))
    evaluator = FactScoreEvaluator(chain, policy=GuardPolicy(on_error=on_error))
    result = evaluator.evaluate(response=TRUE, contexts=[CONTEXT])
    assert (result.invalid_result, result.score, result.passing) == (True, None, passing)


def test_a_streamed_response_is_read_to_its_end() -> None:
    streamed = StreamingResponse((f"{word} " for word in TRUE.split()), response("", CONTEXT).source_nodes)
    assert FactScoreEvaluator().evaluate_response(response=streamed).passing


@pytest.mark.parametrize(
    "arguments",
    [{"evidence": "all"}, {"evidence": "knowledge"}, {"threshold": 80}],
    ids=lambda arguments: str(arguments),
)
def test_a_wrong_setting_is_refused_at_once(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"threshold|evidence"):
        FactScoreEvaluator(**arguments)


def test_it_has_no_prompts_that_llama_index_could_change() -> None:
    evaluator = FactScoreEvaluator()
    evaluator.update_prompts({"eval_template": PromptTemplate("Yes?")})
    assert evaluator.get_prompts() == {}


# Their runner calls a function of theirs that they have deprecated.
@pytest.mark.filterwarnings("ignore:asyncio_module:DeprecationWarning")
async def test_llama_indexs_batch_runner_runs_it() -> None:
    runner = BatchEvalRunner({"factscore": FactScoreEvaluator()}, workers=2)
    results = await runner.aevaluate_response_strs(
        queries=["Where?", "Where?", "Where?"],
        response_strs=[TRUE, FALSE, TRUE],
        contexts_list=[[CONTEXT], [CONTEXT], []],
    )
    assert [one.passing for one in results["factscore"]] == [True, False, False]
    topics: Any = ["Marie Curie"]
    results = await runner.aevaluate_responses(
        queries=["Where?"], responses=[response(TRUE, CONTEXT)], topic=topics
    )
    assert [one.passing for one in results["factscore"]] == [True]


@pytest.mark.filterwarnings("ignore:asyncio_module:DeprecationWarning")
def test_the_batch_runner_takes_the_responses_of_a_query_engine() -> None:
    writer = LangChainLLM(ScriptedChatModel(script=lambda prompt: TRUE))
    engine = RetrieverQueryEngine.from_args(LangChainRetriever(KNOWLEDGE), llm=writer)
    runner = BatchEvalRunner({"factscore": FactScoreEvaluator()}, workers=2)
    results = runner.evaluate_queries(engine, ["Where was Marie Curie born?"])
    assert [one.score for one in results["factscore"]] == [1.0]


def test_llama_indexs_retry_engine_asks_until_the_answer_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Settings, "_llm", MockLLM())  # their feedback wants a default, and does not ask it
    model = ScriptedChatModel(script=[FALSE, TRUE])
    engine = RetrieverQueryEngine.from_args(LangChainRetriever(KNOWLEDGE), llm=LangChainLLM(model))
    answer = RetryQueryEngine(engine, FactScoreEvaluator()).query("Where was Marie Curie born?")
    assert str(answer) == TRUE
    assert FALSE in model.prompts[1][-1].text


def test_a_judge_may_be_a_chat_model() -> None:
    def judge(prompt: str) -> str:
        return "False" if "True or False" in prompt else f"- {TRUE}"

    chain = FactScoreChain(ContextOnly(), llm=ScriptedChatModel(script=judge))
    result = FactScoreEvaluator(chain).evaluate(response=TRUE, contexts=[CONTEXT])
    assert result.report is not None
    assert [fact.verdict for fact in result.report.facts] == [Verdict.NOT_SUPPORTED]
