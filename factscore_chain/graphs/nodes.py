"""The steps of the guardrail as nodes: score, edit, show; or all of them in one.

A node is a LangChain Runnable from a state to what changes in it, so that `graph.add_node` takes it, and
synchronous and asynchronous graphs run the same code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config

from factscore_chain.graphs.state import KEY, Factuality, outcome_of, request_of, update
from factscore_chain.guard.check import CHECKED, TextChecker, raised, told
from factscore_chain.guard.checked import CheckedText
from factscore_chain.guard.evidence import CallEvidence, as_evidence, with_evidence
from factscore_chain.lcel.keys import Keys
from factscore_chain.lcel.unseen import unseen
from factscore_chain.report import GenerationReport
from factscore_chain.retrievers.opening import AnyKnowledge
from factscore_chain.stage import Stage

_EDITED = frozenset({"correct", "remove"})


class GuardStep(Stage[Any, dict[str, Any]]):
    """The base of the nodes: who checks, and where things stand in the state."""

    checker: TextChecker
    keys: Keys
    always: CallEvidence


class _Score(GuardStep):
    async def _process(self, value: Any, config: RunnableConfig) -> dict[str, Any]:
        request = request_of(value, self.keys, self.always)
        _, checked = await self.checker.score(request, unseen(config))
        await told(CHECKED, checked.outcome, checked.action, config)
        before: dict[str, Any] = value.get(KEY) or {}
        # Another answer than the one that was edited begins anew.
        if before.get("edited") != request.text:
            before = {"original": request.text, "round": 0, "edits": []}
        return {KEY: {**before, **_found(checked)}}


class _Edit(GuardStep):
    async def _process(self, value: Any, config: RunnableConfig) -> dict[str, Any]:
        found: Factuality = value[KEY]
        request = request_of(value, self.keys, self.always)
        scorer = with_evidence(self.checker.scorer, request.evidence)
        report = scorer.report((GenerationReport.model_validate(found["report"]),))
        chain = self.checker.edits(scorer, max_rounds=1)
        edited = await self.checker.tried(
            chain.ainvoke(report, patch_config(unseen(config), run_name="edit"))
        )
        known = {**found, "round": found["round"] + 1}
        if isinstance(edited, str) or edited.generations[0].status != "edited":
            return {KEY: {**known, "stuck": True}}
        (one,) = edited.generations
        edits = [*found["edits"], *(edit.model_dump(mode="json") for edit in one.edits)]
        checked = CheckedText(
            text=one.text, original=request.text, action="correct", outcome=outcome_of(value)
        )
        if not one.text.strip():
            return {KEY: {**known, "edits": edits, "stuck": True}}
        changed = update(value, self.keys, checked)
        return {**changed, KEY: {**known, "edits": edits, "edited": one.text, "stuck": False}}


class _Show(GuardStep):
    async def _process(self, value: Any, config: RunnableConfig) -> dict[str, Any]:
        found: Factuality = value[KEY]
        request = request_of(value, self.keys, self.always)
        outcome = outcome_of(value)
        checked = self.checker.shown(request.text, outcome)
        if checked.action in (*_EDITED, "retry"):
            checked = checked.model_copy(update={"action": self.checker.policy.otherwise})
        mended = found["round"] > 0 and checked.action in ("pass", "annotate") and outcome.passed
        action = self.checker.policy.on_fail if mended else raised(checked).action
        passed = outcome.passed and checked.action != "replace"
        return {**update(value, self.keys, checked), KEY: {**found, "action": action, "passed": passed}}


class _Guard(GuardStep):
    async def _process(self, value: Any, config: RunnableConfig) -> dict[str, Any]:
        request = request_of(value, self.keys, self.always)
        checked = raised(self.checker.settled(await self.checker.ainvoke(request, unseen(config))))
        edits = [] if checked.edit is None else [one.model_dump(mode="json") for one in checked.edit.edits]
        found = {**_found(checked), "passed": checked.passed, "original": request.text, "edits": edits}
        if checked.after is not None:
            found["outcome"] = checked.after.model_dump(mode="json")
        rounds = 0 if checked.edit is None else checked.edit.rounds
        return {**update(value, self.keys, checked), KEY: {**found, "round": rounds, "stuck": False}}


def _found(checked: CheckedText) -> dict[str, Any]:
    return {
        "outcome": checked.outcome.model_dump(mode="json"),
        "report": None if checked.report is None else checked.report.model_dump(mode="json"),
        "action": checked.action,
        "passed": checked.outcome.passed,
        "stuck": False,
    }


def score_node(
    checker: TextChecker,
    *,
    text_key: str = "answer",
    context_key: str | Sequence[str] | None = "context",
    topic_key: str | None = "topic",
    sources: Sequence[AnyKnowledge] = (),
) -> GuardStep:
    """A node that scores the answer of a state and judges it; writes "factuality", and nothing else.

    Args:
        checker: Who checks, by which policy.
        text_key: Key of the answer: a text, a message, or messages, of which the model's last one counts.
        context_key: Key of the retrieved context, or several; None for none.
        topic_key: Key of the title in the knowledge source that the answer is about.
        sources: Further knowledge sources or retrievers.
    """
    return _Score(**_fields(checker, text_key, context_key, topic_key, sources))


def edit_node(
    checker: TextChecker,
    *,
    text_key: str = "answer",
    context_key: str | Sequence[str] | None = "context",
    topic_key: str | None = "topic",
    sources: Sequence[AnyKnowledge] = (),
) -> GuardStep:
    """A node that mends the answer that `score_node` has scored; the arguments are the same."""
    return _Edit(**_fields(checker, text_key, context_key, topic_key, sources))


def show_node(
    checker: TextChecker,
    *,
    text_key: str = "answer",
    context_key: str | Sequence[str] | None = "context",
    topic_key: str | None = "topic",
    sources: Sequence[AnyKnowledge] = (),
) -> GuardStep:
    """A node that makes of the answer what the policy shows: as it is, with a note, or the message.

    The arguments are those of `score_node`.

    Raises:
        FactualityError: When it runs, where the policy makes the answer an error.
    """
    return _Show(**_fields(checker, text_key, context_key, topic_key, sources))


def guard_node(
    checker: TextChecker,
    *,
    text_key: str = "answer",
    context_key: str | Sequence[str] | None = "context",
    topic_key: str | None = "topic",
    sources: Sequence[AnyKnowledge] = (),
) -> GuardStep:
    """A node that does all in one step; the arguments are those of `score_node`.

    Raises:
        FactualityError: When it runs, where the policy makes the answer an error.
    """
    return _Guard(**_fields(checker, text_key, context_key, topic_key, sources))


def route(state: Mapping[str, Any], max_rounds: int = 2) -> Literal["edit", "retry", "show"]:
    """Where a scored state goes next: for `graph.add_conditional_edges`.

    "edit" where the policy has the answer mended and that may still help, "retry" where it has the model
    asked again, which is for the graph's own nodes to do, and "show" otherwise.
    """
    action, found = outcome_of(state).action, state[KEY]
    if action in _EDITED and found["round"] < max_rounds and not found["stuck"]:
        return "edit"
    return "retry" if action == "retry" else "show"


def _fields(
    checker: TextChecker,
    text_key: str,
    context_key: str | Sequence[str] | None,
    topic_key: str | None,
    sources: Sequence[AnyKnowledge],
) -> dict[str, Any]:
    # The nodes write the outcome themselves, hence no key for it.
    keys = Keys.of(text_key, context_key, topic_key, None)
    return {"checker": checker, "keys": keys, "always": as_evidence(None, sources)}
