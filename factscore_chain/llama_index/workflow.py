"""The check of an answer as a step of a LlamaIndex workflow, and as a workflow of its own."""

from __future__ import annotations

from typing import Any

from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step

from factscore_chain.guard import CheckedText, CheckRequest, TextChecker, as_evidence
from factscore_chain.guard.check import raised
from factscore_chain.llama_index.nodes import as_documents


class AnswerWritten(Event):
    """An answer that is to be checked."""

    text: str
    evidence: Any = None
    """What it was written from: source nodes, or whatever else `as_evidence` takes."""
    topic: str | None = None
    """Title in the checker's knowledge source; None searches the whole source."""


class AnswerPassed(Event):
    """An answer that may be shown: `checked.text`, as it is, with a note, or mended."""

    checked: CheckedText


class AnswerFailed(Event):
    """An answer that does not meet the policy.

    `checked.text` is what the policy shows in its place, and `checked.feedback()` what to tell the model that
    writes it again.
    """

    checked: CheckedText


class FactCheckStep:
    """Gives a workflow the step `check_answer`: from `AnswerWritten` to `AnswerPassed` or `AnswerFailed`.

    A workflow derives from it, and says what checks its answers:

        class Answering(FactCheckStep, Workflow):
            checker = TextChecker(FactScoreChain("pages.jsonl"), GuardPolicy(on_fail="retry"))

    Whether an answer passes is whether it is known to meet the policy, so one that is only annotated fails.
    With "raise" the step raises `FactualityError`, and with it the workflow.
    """

    checker: TextChecker

    @step
    async def check_answer(self, ev: AnswerWritten) -> AnswerPassed | AnswerFailed:
        """Checks an answer by the workflow's checker."""
        checked = await _checked(self.checker, ev.text, ev.topic, ev.evidence)
        return AnswerPassed(checked=checked) if checked.passed else AnswerFailed(checked=checked)


class CheckAnswer(StartEvent):
    """An answer that a workflow of its own is to check; the fields are those of `AnswerWritten`."""

    text: str
    evidence: Any = None
    topic: str | None = None


class AnswerChecked(StopEvent):
    """What became of it."""

    checked: CheckedText


class FactCheckWorkflow(Workflow):
    """Checks one answer: `(await FactCheckWorkflow(checker).run(text=..., evidence=nodes)).checked`.

    Args:
        checker: What checks it, and by which policy.
        settings: Of LlamaIndex's `Workflow`, such as `timeout` in seconds.
    """

    def __init__(self, checker: TextChecker, **settings: Any) -> None:
        super().__init__(**settings)
        self.checker = checker

    @step
    async def check(self, ev: CheckAnswer) -> AnswerChecked:
        """Checks the answer."""
        return AnswerChecked(checked=await _checked(self.checker, ev.text, ev.topic, ev.evidence))


async def _checked(checker: TextChecker, text: str, topic: str | None, evidence: Any) -> CheckedText:
    request = CheckRequest(text, topic, as_evidence(as_documents(evidence)))
    return raised(await checker.ainvoke(request))
