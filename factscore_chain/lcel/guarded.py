"""A whole chain with a guard behind it, which may ask it again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import Runnable, RunnableConfig

from factscore_chain.lcel.again import FEEDBACK, first_input
from factscore_chain.lcel.unseen import NOSTREAM, unseen
from factscore_chain.stage import Stage

if TYPE_CHECKING:
    from factscore_chain.lcel.guard import FactGuard


class GuardedChain(Stage[Any, Any]):
    """Runs a chain, checks what it answers, and asks it again where the guard's policy says so.

    What the chain takes this takes. Where one of its prompts has a place for "feedback", that is empty at the
    first attempt.
    """

    chain: Runnable[Any, Any]
    guard: Any
    """A `FactGuard`."""

    async def _process(self, value: Any, config: RunnableConfig) -> Any:
        guard: FactGuard = self.guard
        given = first_input(value, self.chain)
        answer = await self.chain.ainvoke(given, unseen(config, "chain"))
        checked, _ = await guard.check(answer, config)
        while checked is not None and guard.asks_again(checked):
            given, retries = guard.ask_again(given, checked), checked.retries + 1
            answer = await self.chain.ainvoke(given, unseen(config, "retry"))
            checked, _ = await guard.check(answer, config)
            checked = checked and checked.model_copy(update={"retries": retries})
        return guard.shown(_as_asked(answer, value), checked)

    async def astream(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Runs the chain, and gives each sentence of its answer as soon as it is verified."""
        if self.guard.policy.on_fail == "retry":
            yield await self.ainvoke(input, config, **kwargs)
            return
        async for chunk in self._unseen().astream(first_input(input, self.chain), config, **kwargs):
            yield chunk

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: A002
        """Runs the chain, and gives each sentence of its answer as soon as it is verified."""
        if self.guard.policy.on_fail == "retry":
            yield self.invoke(input, config, **kwargs)
            return
        yield from self._unseen().stream(first_input(input, self.chain), config, **kwargs)

    def _unseen(self) -> Runnable[Any, Any]:
        guard: Runnable[Any, Any] = self.guard
        return self.chain.with_config(tags=[NOSTREAM]) | guard


def _as_asked(answer: Any, value: Any) -> Any:
    """The answer with the keys that the chain was given as they were given, without the feedback."""
    if not isinstance(answer, Mapping) or not isinstance(value, Mapping):
        return answer
    kept = {key: value[key] if key in value and key in answer else answer[key] for key in answer}
    if FEEDBACK not in value:
        kept.pop(FEEDBACK, None)
    return kept
