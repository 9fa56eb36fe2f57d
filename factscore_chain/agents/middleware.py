"""Middleware for `create_agent` that shows nothing of an answer before it is checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import replace
from typing import Any, TypeAlias

from langchain.agents.middleware import ExtendedModelResponse, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage
from langchain_core.runnables.config import ensure_config, set_config_context
from langchain_core.runnables.utils import coro_with_context
from langgraph.types import Command

from factscore_chain.agents.guarding import GuardingMiddleware, arun_steps, run_steps, turn_id
from factscore_chain.agents.messages import feedback_message
from factscore_chain.agents.objects import as_answers, in_its_place
from factscore_chain.agents.showing import Show, ashow, show
from factscore_chain.agents.state import FactualityRecord, Retries, record_of
from factscore_chain.agents.streams import unseen
from factscore_chain.guard import CheckRequest
from factscore_chain.guard.check import raised
from factscore_chain.lcel.values import checked_message

Step: TypeAlias = "ModelRequest[Any] | CheckRequest | Show"
Steps: TypeAlias = "Generator[Step, Any, ExtendedModelResponse[Any]]"


class FactualityMiddleware(GuardingMiddleware):
    """Checks an agent's answers before anything of them is shown.

    The model works unseen: no token of it reaches a stream of messages or of events before the answer is
    checked; then what the policy shows of the answer does, as one piece. Calls of tools pass through. Put it
    first in the list, so that it sees what the other middlewares make of an answer.

    The agent's state gets `factuality`, a `FactualityRecord` of the last answer, which the custom stream
    holds too; the answer's `response_metadata` holds its figures alone. Of an answer with a schema
    (`response_format`) the texts are checked; the object is given as it is, asked for again, or withheld.

        create_agent(model, tools=[search], middleware=[FactualityMiddleware("pages.jsonl")])

    Args:
        scorer: A `FactScoreChain`; a knowledge source, a path to one or a retriever, for the embedded
            estimator; or None, where the results of tools and `sources` are the only evidence.
        threshold: Share of an answer's facts that must be supported, 0 to 1; by default 0.8.
        on_fail: What is done about an answer that has less: "annotate" (the default), "replace" (or
            "block"), "correct", "remove", "retry", "raise" (or "error"), as `GuardPolicy` explains them.
        message: What is shown in place of a withheld answer.
        policy: A whole policy; the settings that are given go before its own.
        topic: The title that answers are about, or a function of the agent's state that gives it.
        sources: Further knowledge sources, paths to them, or retrievers.
        tool_evidence: Which results of tools are evidence: those since the user's last message ("turn"),
            all ("thread") or "none".
        evidence_tools: Names of the tools whose results are evidence; None for all.
        context_key: The entry of the agent's state that holds what was retrieved without a tool, such as
            documents that another middleware looked up.
        interim: What is done about text beside calls of tools: "check" leaves out what does not pass (but
            where failing answers are only annotated), "keep" shows it unchecked, "drop" leaves it out.
        editor: Who edits, where the policy edits; as in `EditChain`.
        llm: The chat model that edits; by default the scorer's, if it asks one.
        name: Its name among the agent's middlewares, each of which needs its own.
        settings: The other settings of a `GuardPolicy`: `otherwise`, `on_empty`, `on_error`, `min_coverage`,
            `max_retries` (in one turn of the conversation), `timeout`.

    Raises:
        UsageError: An argument is not what it should be.
        KnowledgeSourceError: A knowledge source cannot be opened.
        FactualityError: From the agent, where an answer fails and the policy makes that an error.
    """

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ExtendedModelResponse[Any]:
        """Asks the model, unseen, and checks what it answers."""
        config = ensure_config()

        def do(step: Step) -> Any:
            if isinstance(step, CheckRequest):
                return self._judge(step, config)
            if isinstance(step, Show):
                return show(step, config)
            with set_config_context(unseen(config)) as context:
                return context.run(handler, step)

        return run_steps(self._steps(request), do)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ExtendedModelResponse[Any]:
        """The same without blocking."""
        config = ensure_config()

        async def do(step: Step) -> Any:
            if isinstance(step, CheckRequest):
                return await self._ajudge(step, config)
            if isinstance(step, Show):
                return await ashow(step, config)
            with set_config_context(unseen(config)) as context:
                return await coro_with_context(handler(step), context)

        return await arun_steps(self._steps(request), do)

    def _steps(self, request: ModelRequest[Any]) -> Steps:
        turn = turn_id(request.state.get("messages") or [])
        retries = self._retried(request.state, turn)
        asked: list[Any] = list(request.messages)
        while True:
            response = _as_response((yield request.override(messages=asked)))
            message = _answer(response)
            answer = response.structured_response
            if message is None:
                return (yield from self._finished(request, response, retries, turn))
            if message.tool_calls and answer is None:
                shown = yield from self._beside_tools(message, request.state)
                return (yield from self._finished(request, _with(response, message, shown), retries, turn))
            checked = yield self._request(message.text, request.state, answer)
            if checked.action != "retry" or retries >= self.policy.max_retries:
                break
            retries += 1
            asked = [*asked, *response.result, feedback_message(checked.feedback())]
        checked = raised(self.checker.settled(checked.model_copy(update={"retries": retries})))
        if answer is None:
            response = _with(response, message, checked_message(message, checked))
        elif checked.action == "replace":
            response = ModelResponse(in_its_place(response.result, checked.text))
        else:
            response = replace(response, result=as_answers(response.result))
        record = record_of(checked, self.name)
        return (yield from self._finished(request, response, retries, turn, record))

    def _finished(
        self,
        request: ModelRequest[Any],
        response: ModelResponse[Any],
        retries: int,
        turn: str,
        record: FactualityRecord | None = None,
    ) -> Steps:
        response = replace(response, result=(yield Show(response.result, record, request)))
        kept = {"factuality_retries": {self.name: Retries(turn=turn, count=retries)}} if retries else {}
        # Written without a check too: the record of an earlier turn must not stand beside this message.
        return ExtendedModelResponse(response, Command(update={"factuality": record, **kept}))


def _as_response(value: Any) -> ModelResponse[Any]:
    if isinstance(value, ExtendedModelResponse):
        return value.model_response
    return ModelResponse([value]) if isinstance(value, AIMessage) else value


def _answer(response: ModelResponse[Any]) -> AIMessage | None:
    """The message that there is something to do about: words, an object, or calls of tools."""
    return next((one for one in reversed(response.result) if isinstance(one, AIMessage)), None)


def _with(response: ModelResponse[Any], old: AIMessage, new: AIMessage) -> ModelResponse[Any]:
    return replace(response, result=[new if one is old else one for one in response.result])
