"""What both kinds of middleware share: whom they ask, what counts as evidence, and how a step is carried out.

What a middleware does is written as a generator that never waits itself: it yields what has to be done and is
sent what came of it. So the synchronous and the asynchronous hook run the same code.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.internal_call_transformer import InternalCallTransformer
from langchain.agents.middleware.types import TracePolicy, omit_payload
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from typing_extensions import Unpack

from factscore_chain.agents.messages import tool_evidence, turn_of, without_text
from factscore_chain.agents.objects import object_text
from factscore_chain.agents.state import FactualityState, Retries
from factscore_chain.agents.streams import unseen
from factscore_chain.edit.base import Editor
from factscore_chain.errors import UsageError
from factscore_chain.guard import (
    CallEvidence,
    CheckedText,
    CheckRequest,
    GuardPolicy,
    TextChecker,
    as_evidence,
)
from factscore_chain.guard.policy import FurtherSettings, OnFail, policy_with
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.retrievers.opening import AnyKnowledge

ToolEvidence = Literal["turn", "thread", "none"]
Interim = Literal["check", "keep", "drop"]
Topic: TypeAlias = "str | Callable[[Mapping[str, Any]], str | None] | None"
T = TypeVar("T")

_LANGCHAIN_WORDS: dict[str, Any] = {"block": "replace", "error": "raise"}
"""What LangChain's own middlewares call these."""


class BesideTools(CheckRequest):
    """Text beside calls of tools, which is shown or left out, and never mended."""


class ObjectAnswer(CheckRequest):
    """The texts of an answer with a schema, which is given or withheld, and never mended."""


class GuardingMiddleware(AgentMiddleware[FactualityState, Any]):
    """The base of the middlewares that check answers; see `FactualityMiddleware` for the arguments."""

    state_schema = FactualityState
    transformers = (InternalCallTransformer,)
    trace_policy = TracePolicy(process_inputs=omit_payload)

    def __init__(
        self,
        scorer: AnyScorer = None,
        threshold: float | None = None,
        on_fail: OnFail | Literal["block", "error"] | None = None,
        message: str | None = None,
        *,
        policy: GuardPolicy | None = None,
        topic: Topic = None,
        sources: Sequence[AnyKnowledge] = (),
        tool_evidence: ToolEvidence = "turn",
        evidence_tools: Collection[str] | None = None,
        context_key: str | None = None,
        interim: Interim = "check",
        editor: Editor | str | None = None,
        llm: Any = None,
        name: str | None = None,
        **settings: Unpack[FurtherSettings],
    ) -> None:
        """Puts a middleware together; see `FactualityMiddleware`."""
        super().__init__()
        _check_choice("tool_evidence", tool_evidence, get_args(ToolEvidence))
        _check_choice("interim", interim, get_args(Interim))
        action = _LANGCHAIN_WORDS.get(on_fail, on_fail) if on_fail else None
        given = {"threshold": threshold, "on_fail": action, "message": message, **settings}
        self.policy = policy_with(type(self), policy, **given)
        self.checker = TextChecker(as_scorer(scorer), self.policy, editor=editor, llm=llm)
        self._besides = TextChecker(self.checker.scorer, replace(self.policy, on_fail="replace"))
        unmended = (
            self.policy.otherwise if self.policy.on_fail in ("correct", "remove") else self.policy.on_fail
        )
        self._objects = TextChecker(self.checker.scorer, replace(self.policy, on_fail=unmended))
        self._topic = topic
        self._sources = as_evidence(None, sources)
        self._tool_evidence = tool_evidence
        self._evidence_tools = None if evidence_tools is None else _names(evidence_tools)
        self._context_key = context_key
        if scorer is None and tool_evidence == "none" and not sources and context_key is None:
            raise UsageError(
                "There is nothing to check answers by. Give a scorer or knowledge, `sources`, "
                "a `context_key`, or let the results of tools be evidence."
            )
        self._interim = interim
        self._name = name or f"{type(self).__name__}[{self.policy.on_fail}]"

    @property
    def name(self) -> str:
        """Tells it from an agent's other middlewares."""
        return self._name

    def _request(self, text: str, state: Mapping[str, Any], answer: Any = None) -> CheckRequest:
        """What is to be checked, and by what: a text, or the texts of an answer with a schema."""
        topic = self._topic(state) if callable(self._topic) else self._topic
        if topic is not None and not isinstance(topic, str):
            raise UsageError(f"topic gave {topic!r}; give a title, or None to search the whole source.")
        evidence = self._evidence(state)
        if answer is not None:
            return ObjectAnswer(object_text(answer, topic), topic, evidence)
        return CheckRequest(text, topic, evidence)

    def _evidence(self, state: Mapping[str, Any]) -> CallEvidence:
        found = self._sources
        if self._context_key is not None:
            found = as_evidence(state.get(self._context_key)) + found
        if self._tool_evidence == "none":
            return found
        # Those of the state: what the model is shown, other middlewares may have shortened.
        messages = state.get("messages") or []
        looked_in = turn_of(messages) if self._tool_evidence == "turn" else messages
        return tool_evidence(looked_in, self._evidence_tools) + found

    def _retried(self, state: Mapping[str, Any], turn: str) -> int:
        """Times that the model was asked again in this turn."""
        kept: Retries | None = (state.get("factuality_retries") or {}).get(self.name)
        return kept["count"] if kept is not None and kept["turn"] == turn else 0

    def _beside_tools(
        self, message: AIMessage, state: Mapping[str, Any]
    ) -> Generator[Any, CheckedText, AIMessage]:
        """The message with its calls of tools, and with its text if that may be shown."""
        if self._interim == "drop":
            return without_text(message)
        # Where failing answers are only annotated, this text would be shown whatever came of its check.
        if self._interim == "keep" or self.policy.on_fail == "annotate" or not message.text.strip():
            return message
        request = self._request(message.text, state)
        checked = yield BesideTools(request.text, request.topic, request.evidence)
        return message if checked.outcome.passed else without_text(message)

    def _judge(self, step: CheckRequest, config: RunnableConfig) -> CheckedText:
        return self._checker_of(step).invoke(step, unseen(config, internal=True))

    async def _ajudge(self, step: CheckRequest, config: RunnableConfig) -> CheckedText:
        return await self._checker_of(step).ainvoke(step, unseen(config, internal=True))

    def _checker_of(self, step: CheckRequest) -> TextChecker:
        if isinstance(step, ObjectAnswer):
            return self._objects
        return self._besides if isinstance(step, BesideTools) else self.checker


def turn_id(messages: Sequence[BaseMessage]) -> str:
    """What tells the present turn from others of its thread."""
    turn = turn_of(messages)
    return str(turn[0].id if turn and turn[0].id else len(messages) - len(turn))


def run_steps(steps: Generator[Any, Any, T], do: Callable[[Any], Any]) -> T:
    """Carries steps out one by one."""
    came: Any = None
    while True:
        try:
            step = steps.send(came)
        except StopIteration as done:
            result: T = done.value
            return result
        came = do(step)


async def arun_steps(steps: Generator[Any, Any, T], do: Callable[[Any], Awaitable[Any]]) -> T:
    """The same without blocking."""
    came: Any = None
    while True:
        try:
            step = steps.send(came)
        except StopIteration as done:
            result: T = done.value
            return result
        came = await do(step)


def _names(tools: Collection[str]) -> frozenset[str]:
    # A lone name is a collection too, of its letters, and no tool is called by one.
    if isinstance(tools, str) or not all(isinstance(one, str) for one in tools):
        raise UsageError(f"evidence_tools is {tools!r}; give a list of tools' names, such as ['search'].")
    return frozenset(tools)


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(f"{name} is {value!r}; choose one of: {', '.join(choices)}.")
