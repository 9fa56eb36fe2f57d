"""The base of every stage: a LangChain Runnable written once, in async.

`invoke` runs the same coroutine as `ainvoke`, on the background loop: one implementation to trust.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import RunnableConfig, RunnableSerializable
from langchain_core.runnables.config import patch_config
from pydantic import ConfigDict, ValidationError
from typing_extensions import Self

from factscore_chain.aio import run_sync
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel

In = TypeVar("In")
Out = TypeVar("Out")


class Stage(RunnableSerializable[In, Out]):
    """A step of the pipeline that composes with `|`, traces, batches, and works in a LangGraph node.

    Subclasses write `_process`; nested runnables are to be called with the config they are given.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True, extra="forbid")

    def __init__(self, **fields: Any) -> None:
        """Checks and keeps the fields.

        Raises:
            UsageError: A field is missing, unknown, or not what it should be.
        """
        try:
            super().__init__(**fields)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise UsageError(f"{type(self).__name__}: {where}: {first['msg']}.") from error

    @property
    def models(self) -> tuple[LanguageModel, ...]:
        """The chat models that this stage and the stages inside it ask, each once."""
        return tuple(dict.fromkeys(_models_in([getattr(self, name) for name in type(self).model_fields])))

    def with_models(self, make: Callable[[LanguageModel], LanguageModel]) -> Self:
        """A copy of this stage that asks other models; `make` is called once for each of its models."""
        made = {model: make(model) for model in self.models}
        return self if not made else _with_models(self, made)

    @abstractmethod
    async def _process(self, value: In, config: RunnableConfig) -> Out:
        """Does the work for one input."""

    def invoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002
        """Runs the stage on one input."""

        def call(value: In, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> Out:
            child = patch_config(config, callbacks=run_manager.get_child())
            return run_sync(self._process(value, child))

        return self._call_with_config(call, input, config, run_type="chain")

    async def ainvoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:  # noqa: A002
        """Runs the stage on one input without blocking."""

        async def call(
            value: In, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
        ) -> Out:
            return await self._process(value, patch_config(config, callbacks=run_manager.get_child()))

        return await self._acall_with_config(call, input, config, run_type="chain")


class LocalStage(Stage[In, Out]):
    """A stage that computes here and gains from seeing many inputs at once.

    Subclasses write `_compute`, a plain function of a list; `batch` and `abatch` call it once.
    """

    @abstractmethod
    def _compute(self, values: Sequence[In]) -> list[Out]:
        """Does the work for several inputs, results in the same order."""

    async def _process(self, value: In, config: RunnableConfig) -> Out:
        return (await asyncio.to_thread(self._compute, [value]))[0]

    def batch(
        self,
        inputs: list[In],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Out]:
        """Runs the stage on all inputs in one computation."""

        def call(values: list[In]) -> list[Exception | Out]:
            return list(self._compute(values))

        return self._batch_with_config(call, inputs, config, return_exceptions=return_exceptions)

    async def abatch(
        self,
        inputs: list[In],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Out]:
        """Runs the stage on all inputs in one computation, off the event loop."""

        async def call(values: list[In]) -> list[Exception | Out]:
            return list(await asyncio.to_thread(self._compute, values))

        return await self._abatch_with_config(call, inputs, config, return_exceptions=return_exceptions)


class BatchStage(Stage[In, Out]):
    """A stage that waits for others, and does better on many inputs at once than on one after the other.

    Subclasses write `_process_many`; `batch` and `abatch` call it once. What it raises for one input costs
    all of them, so it puts into the results what may go wrong with one.
    """

    @abstractmethod
    async def _process_many(self, values: Sequence[In], configs: Sequence[RunnableConfig]) -> list[Out]:
        """Does the work for several inputs, each with its config; results in the same order."""

    async def _process(self, value: In, config: RunnableConfig) -> Out:
        return (await self._process_many([value], [config]))[0]

    def batch(
        self,
        inputs: list[In],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Out]:
        """Runs the stage on all inputs together."""

        def call(
            values: list[In], run_manager: list[CallbackManagerForChainRun], config: list[RunnableConfig]
        ) -> list[Exception | Out]:
            return list(run_sync(self._process_many(values, _children(config, run_manager))))

        return self._batch_with_config(call, inputs, config, return_exceptions=return_exceptions)

    async def abatch(
        self,
        inputs: list[In],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Out]:
        """Runs the stage on all inputs together, without blocking."""

        async def call(
            values: list[In], run_manager: list[AsyncCallbackManagerForChainRun], config: list[RunnableConfig]
        ) -> list[Exception | Out]:
            return list(await self._process_many(values, _children(config, run_manager)))

        return await self._abatch_with_config(call, inputs, config, return_exceptions=return_exceptions)


def _children(
    configs: Sequence[RunnableConfig],
    managers: Sequence[CallbackManagerForChainRun | AsyncCallbackManagerForChainRun],
) -> list[RunnableConfig]:
    """Configs under which the calls for each input appear in its own run."""
    return [
        patch_config(config, callbacks=manager.get_child())
        for config, manager in zip(configs, managers, strict=True)
    ]


def _models_in(values: Iterable[Any]) -> Iterator[LanguageModel]:
    for value in values:
        if isinstance(value, LanguageModel):
            yield value
        elif isinstance(value, Stage):
            yield from value.models
        elif isinstance(value, (list, tuple)):
            yield from _models_in(value)


def _with_models(value: Any, made: dict[LanguageModel, LanguageModel]) -> Any:
    if isinstance(value, LanguageModel):
        return made[value]
    if isinstance(value, (list, tuple)):
        return type(value)(_with_models(item, made) for item in value)
    if not isinstance(value, Stage):
        return value
    fields = {name: getattr(value, name) for name in type(value).model_fields}
    replaced = {name: _with_models(field, made) for name, field in fields.items()}
    # Made anew rather than copied: what a stage has found out by asking belongs to the models it asked.
    return type(value).model_construct(**replaced)
