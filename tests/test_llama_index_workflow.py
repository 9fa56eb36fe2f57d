"""The check as a step of a LlamaIndex workflow."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step

from factscore_chain import FactScoreChain
from factscore_chain.guard import FactualityError, GuardPolicy, TextChecker
from factscore_chain.llama_index import (
    AnswerFailed,
    AnswerPassed,
    AnswerWritten,
    FactCheckStep,
    FactCheckWorkflow,
)
from factscore_chain.retrievers.context import ContextOnly

TRUE = "Nintendo was founded in Kyoto in 1889."
FALSE = "Nintendo was founded in Kyoto in 1905."
PAGE = "Nintendo began in Kyoto in 1889 as a maker of playing cards."
NODES = [NodeWithScore(node=TextNode(id_="n", text=PAGE, metadata={"file_name": "kyoto.txt"}), score=0.9)]


def checker(**settings: Any) -> TextChecker:
    return TextChecker(FactScoreChain(ContextOnly()), GuardPolicy(**settings))


class Answering(FactCheckStep, Workflow):
    """Writes answers from a list until one passes."""

    checker = checker(on_fail="retry")
    answers: list[str]
    feedback: list[str]

    @step
    async def write(self, ev: StartEvent | AnswerFailed) -> AnswerWritten | StopEvent:
        if isinstance(ev, AnswerFailed):
            self.feedback.append(ev.checked.feedback())
        if not self.answers:
            return StopEvent(result=None)
        return AnswerWritten(text=self.answers.pop(0), evidence=NODES)

    @step
    async def show(self, ev: AnswerPassed) -> StopEvent:
        return StopEvent(result=ev.checked)


async def answered(*answers: str) -> tuple[Any, list[str]]:
    flow = Answering()
    flow.answers, flow.feedback = [*answers], []
    return await flow.run(), flow.feedback


async def test_an_answer_that_passes_goes_on() -> None:
    checked, feedback = await answered(TRUE)
    assert (checked.text, checked.score, feedback) == (TRUE, 1.0, [])


async def test_an_answer_that_fails_comes_back_with_what_to_tell_the_model() -> None:
    checked, feedback = await answered(FALSE, TRUE)
    assert (checked.text, len(feedback)) == (TRUE, 1)
    assert "Nintendo was founded in 1905." in feedback[0]


async def test_a_workflow_of_its_own_checks_an_answer_by_its_nodes() -> None:
    done: Any = await FactCheckWorkflow(checker(on_fail="correct")).run(text=FALSE, evidence=NODES)
    assert (done.checked.text, done.checked.action) == (TRUE, "correct")
    (passage,) = done.checked.report.facts[0].passages
    assert (passage.id, passage.title, passage.origins) == ("n", "kyoto.txt", ("source_node",))


async def test_an_answer_that_is_an_error_ends_the_workflow() -> None:
    with pytest.raises(FactualityError, match="withheld"):
        await FactCheckWorkflow(checker(on_fail="raise")).run(text=FALSE, evidence=NODES)
