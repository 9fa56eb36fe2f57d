"""Shows the user's streams what of a model's call may be seen, and what was found about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.callbacks.manager import adispatch_custom_event, dispatch_custom_event
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig

from factscore_chain.agents.state import FactualityRecord
from factscore_chain.agents.streams import Replay, seen_only
from factscore_chain.guard.check import CHECKED


@dataclass(frozen=True)
class Show:
    """What may be seen of a call of the model."""

    messages: Sequence[BaseMessage]
    record: FactualityRecord | None
    request: ModelRequest[Any]


def show(step: Show, config: RunnableConfig) -> list[BaseMessage]:
    """Shows it; gives the messages, under the ids that the streams have shown them by."""
    shown = []
    seen = seen_only(config)
    for message in step.messages:
        if seen is None or not isinstance(message, AIMessage):
            shown.append(message)
        else:
            shown.append(_under(message, Replay(message=message).invoke(step.request.messages, seen)))
    if seen is not None and step.record is not None:
        dispatch_custom_event(CHECKED, step.record, config=seen)
    _write(step)
    return shown


async def ashow(step: Show, config: RunnableConfig) -> list[BaseMessage]:
    """The same without blocking."""
    shown = []
    seen = seen_only(config)
    for message in step.messages:
        if seen is None or not isinstance(message, AIMessage):
            shown.append(message)
        else:
            shown.append(_under(message, await Replay(message=message).ainvoke(step.request.messages, seen)))
    if seen is not None and step.record is not None:
        await adispatch_custom_event(CHECKED, step.record, config=seen)
    _write(step)
    return shown


def _under(message: BaseMessage, streamed: BaseMessage) -> BaseMessage:
    # A message that comes under another id at the end of its step would be shown again.
    return message.model_copy(update={"id": streamed.id})


def _write(step: Show) -> None:
    if step.record is not None and step.request.runtime is not None:
        step.request.runtime.stream_writer({"factuality": step.record})
