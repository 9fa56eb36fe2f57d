"""Middleware for agents whose answers are shown as they are written, and checked when they are complete."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from langchain.agents.middleware import hook_config
from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage
from langchain_core.runnables.config import ensure_config
from langgraph.runtime import Runtime

from factscore_chain.agents.guarding import GuardingMiddleware, arun_steps, run_steps, turn_id
from factscore_chain.agents.messages import feedback_message, is_ours, turn_of
from factscore_chain.agents.objects import as_answers
from factscore_chain.agents.state import FactualityRecord, FactualityState, Retries, record_of
from factscore_chain.guard import CheckedText, CheckRequest
from factscore_chain.guard.check import raised
from factscore_chain.lcel.values import checked_message

Update = dict[str, Any]


class LiveFactualityMiddleware(GuardingMiddleware):
    """Checks an agent's answers when they are complete, while the user already sees them being written.

    The message in the agent's state is what the policy shows; what a stream of tokens has shown before stays
    shown. An application that renders such a stream replaces it by the message in the end, or by what
    `FactualityMiddleware` shows, which takes the same arguments. Put it first in the list.
    """

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: FactualityState, runtime: Runtime[Any]) -> Update:
        """Checks what the model answered."""
        config = ensure_config()
        return _told(run_steps(self._steps(state), lambda step: self._judge(step, config)), runtime)

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: FactualityState, runtime: Runtime[Any]) -> Update:
        """The same without blocking."""
        config = ensure_config()
        return _told(await arun_steps(self._steps(state), lambda step: self._ajudge(step, config)), runtime)

    def _steps(self, state: FactualityState) -> Generator[CheckRequest, CheckedText, Update]:
        messages = state["messages"]
        answer = state.get("structured_response")
        message = _last_said(messages) if answer is not None else messages[-1] if messages else None
        if not isinstance(message, AIMessage):
            return {"factuality": None}
        if message.tool_calls and answer is None:
            shown = yield from self._beside_tools(message, state)
            return {"factuality": None, **({} if shown is message else {"messages": [shown]})}
        turn = turn_id(messages)
        retries = self._retried(state, turn)
        place = messages.index(message)
        # What stands behind the model's own message repeats the object.
        before = state if answer is None else {**state, "messages": messages[:place]}
        checked = yield self._request(message.text, before, answer)
        if checked.action == "retry" and retries < self.policy.max_retries:
            return self._again(checked, turn, retries + 1)
        checked = raised(self.checker.settled(checked.model_copy(update={"retries": retries})))
        record = record_of(checked, self.name)
        if answer is None:
            shown = checked_message(message, checked)
            return {"messages": [*_attempts(messages), shown], "factuality": record}
        if checked.action == "replace":
            instead = AIMessage(checked.text)
            return {"messages": [instead], "structured_response": None, "factuality": record}
        return {"messages": as_answers(messages[place + 1 :]), "factuality": record}

    def _again(self, checked: CheckedText, turn: str, count: int) -> Update:
        return {
            "messages": [feedback_message(checked.feedback())],
            "factuality": record_of(checked, self.name),
            "factuality_retries": {self.name: Retries(turn=turn, count=count)},
            "jump_to": "model",
            "structured_response": None,
        }


def _last_said(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The model's last message; behind one with an object stands the result of the tool that took it."""
    return next((one for one in reversed(messages) if isinstance(one, AIMessage)), None)


def _attempts(messages: Sequence[BaseMessage]) -> list[RemoveMessage]:
    """Takes earlier attempts of this turn, and what we said of them, out of the conversation."""
    turn = turn_of(messages)
    ours = [index for index, one in enumerate(turn) if is_ours(one)]
    return [
        RemoveMessage(id=str(turn[place].id))
        for index in ours
        for place in (index - 1, index)
        if turn[place].id is not None
    ]


def _told(update: Update, runtime: Runtime[Any]) -> Update:
    record: Mapping[str, Any] | FactualityRecord | None = update.get("factuality")
    if record is not None:
        runtime.stream_writer({"factuality": record})
    return update
