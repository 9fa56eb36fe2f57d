"""Nodes that contradict a trusted source are kept away from the model that answers."""

from __future__ import annotations

from typing import Any

import llama_index.core.instrumentation as instrument
import pytest
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from factscore_chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.llama_index import (
    ContradictedNodesEvent,
    ContradictionPostprocessor,
    LangChainLLM,
    LangChainRetriever,
)
from tests.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("own_loop")

KNOWLEDGE = "examples/knowledge.jsonl"
WRONG = "In 1984 she founded the Green Belt Movement."
RIGHT = "In 1977 she founded the Green Belt Movement."
UNMENTIONED = "The Casa Azul became a museum in 1958."
QUESTION = "Which movement did she found?"


def node(text: str, title: str | None = "Wangari Maathai") -> NodeWithScore:
    return NodeWithScore(node=TextNode(id_=text, text=text, metadata={"title": title} if title else {}))


@pytest.fixture(scope="module")
def trusted() -> FactScoreChain:
    return FactScoreChain(KNOWLEDGE)


async def test_only_a_contradicted_node_is_dropped_and_it_is_recorded_why(trusted: FactScoreChain) -> None:
    filtering = ContradictionPostprocessor(trusted)
    nodes = [node(RIGHT), node(WRONG), node(UNMENTIONED, "Museums"), node("Is it so?"), node(" ")]
    kept = await filtering.apostprocess_nodes(nodes, query_str=QUESTION)
    assert [one.node_id for one in kept] == [RIGHT, UNMENTIONED, "Is it so?", " "]
    (dropped,) = filtering.dropped
    (reason,) = dropped.contradictions
    assert (dropped.node.node_id, reason.said, reason.source_says) == (WRONG, WRONG, RIGHT)
    assert "1977" in reason.passages[0].text


def test_a_sentence_of_which_the_source_says_only_a_part_is_no_contradiction(trusted: FactScoreChain) -> None:
    mixed = node("In 1984 she founded the Green Belt Movement, and Kurt Cobain wrote its anthem in Oslo.")
    assert ContradictionPostprocessor(trusted).postprocess_nodes([mixed]) == [mixed]


def test_the_synchronous_door_does_the_same(trusted: FactScoreChain) -> None:
    kept = ContradictionPostprocessor(trusted).postprocess_nodes([node(WRONG), node(RIGHT)])
    assert [one.node_id for one in kept] == [RIGHT]


def test_which_page_a_node_is_about_may_be_told(trusted: FactScoreChain) -> None:
    filtering = ContradictionPostprocessor(trusted, topic=lambda one: "Wangari Maathai")
    assert filtering.postprocess_nodes([node(WRONG, None)]) == []


def test_llama_indexs_listeners_hear_what_was_dropped(trusted: FactScoreChain) -> None:
    heard: list[Any] = []

    class Listener(BaseEventHandler):
        def handle(self, event: Any, **kwargs: Any) -> None:
            heard.append(event)

    dispatcher = instrument.get_dispatcher()  # type: ignore[attr-defined]
    listener = Listener()
    dispatcher.add_event_handler(listener)
    try:
        ContradictionPostprocessor(trusted).postprocess_nodes([node(WRONG)])
    finally:
        dispatcher.event_handlers.remove(listener)
    (event,) = (one for one in heard if isinstance(one, ContradictedNodesEvent))
    assert [one.node.node_id for one in event.dropped] == [WRONG]


@pytest.mark.parametrize("repeated", [1, 2])
def test_a_passage_is_compared_once(repeated: int) -> None:
    model = ScriptedChatModel(script=lambda prompt: "True" if "True or False" in prompt else f"- {RIGHT}")
    filtering = ContradictionPostprocessor(FactScoreChain(KNOWLEDGE, llm=model))
    for _ in range(repeated):
        assert filtering.postprocess_nodes([node(RIGHT), node(RIGHT)])
    assert len(model.prompts) == 2


def test_the_model_that_answers_does_not_see_what_was_dropped(trusted: FactScoreChain) -> None:
    class Poisoned(LangChainRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [node(WRONG), *super()._retrieve(query_bundle)]

    model = ScriptedChatModel(script=["The Green Belt Movement."])
    engine = RetrieverQueryEngine.from_args(
        Poisoned(KNOWLEDGE, topic="Wangari Maathai"),
        llm=LangChainLLM(model),
        node_postprocessors=[ContradictionPostprocessor(trusted)],
    )
    engine.query(QUESTION)
    assert WRONG not in model.prompts[0][-1].text
    assert "1977" in model.prompts[0][-1].text


def test_without_a_trusted_source_there_is_nothing_to_compare_with() -> None:
    with pytest.raises(UsageError, match="no trusted source"):
        ContradictionPostprocessor(None)
