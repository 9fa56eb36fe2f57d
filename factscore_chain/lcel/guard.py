"""The guardrail as a Runnable: answers in, checked answers out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.base import coerce_to_runnable
from typing_extensions import Unpack

from factscore_chain.edit.base import Editor
from factscore_chain.errors import UsageError
from factscore_chain.guard.check import CheckRequest, TextChecker, raised
from factscore_chain.guard.checked import CheckedText
from factscore_chain.guard.evidence import CallEvidence, as_evidence
from factscore_chain.guard.gate import SentenceGate
from factscore_chain.guard.policy import FurtherSettings, GuardPolicy, OnFail, policy_with
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.lcel.again import AskAgain, first_input, with_feedback
from factscore_chain.lcel.chunks import added, checked_chunks
from factscore_chain.lcel.drive import from_thread, in_thread
from factscore_chain.lcel.guarded import GuardedChain
from factscore_chain.lcel.keys import Keys
from factscore_chain.lcel.unseen import unseen
from factscore_chain.lcel.values import has_text, shown
from factscore_chain.retrievers.opening import AnyKnowledge
from factscore_chain.stage import Stage


class FactGuard(Stage[Any, Any]):
    """Checks the answer of a chain before somebody sees it; a LangChain Runnable.

        rag | FactGuard(scorer, threshold=0.8, on_fail="correct")

    Takes a text, a message, or a dict with either, and gives the same with the text that is to be shown. A
    dict keeps its keys and gets the result of the check, a `CheckedText`, under "factuality"; a message gets
    a summary in its `response_metadata`. In a stream, text is held back a sentence at a time and shown as
    soon as it is verified; with `on_fail="retry"` it is shown at the end, since what was shown cannot be
    taken back.

    Raises:
        FactualityError: The answer does not meet a policy that makes it an error.
        UsageError: The input is no answer, or its context is no evidence.

    What `retry_with` raises goes out as it is, as from any step of a chain.
    """

    checker: TextChecker
    keys: Keys
    always: CallEvidence
    retry_with: Runnable[Any, Any] | None = None
    ask_again: AskAgain = with_feedback

    def __init__(
        self,
        scorer: AnyScorer = None,
        threshold: float | None = None,
        on_fail: OnFail | None = None,
        message: str | None = None,
        *,
        policy: GuardPolicy | None = None,
        text_key: str = "answer",
        context_key: str | Sequence[str] | None = "context",
        topic_key: str | None = None,
        outcome_key: str | None = "factuality",
        sources: Sequence[AnyKnowledge] = (),
        retry_with: Any = None,
        ask_again: AskAgain = with_feedback,
        editor: Editor | str | None = None,
        llm: Any = None,
        **settings: Unpack[FurtherSettings],
    ) -> None:
        """Puts a guard together.

        Args:
            scorer: A `FactScoreChain`; or knowledge that one is made of; None checks by the context alone.
            threshold: Share of the facts that must be supported, 0 to 1; by default 0.8.
            on_fail: What is done about an answer that fails: "annotate" (the default), "replace", "correct",
                "remove", "raise" or "retry", as `GuardPolicy` explains them.
            message: What is shown in place of an answer that is withheld.
            policy: A whole policy; the settings that are given go before its own.
            text_key: Key of the answer in a dict.
            context_key: Key of the retrieved context, or several; None for none.
            topic_key: Key of the title in the scorer's knowledge source that the answer is about.
            outcome_key: Key that the result goes under; None puts it nowhere.
            sources: Further knowledge sources or retrievers, searched for every answer.
            retry_with: For "retry": what answers again, such as `prompt | model`; it is given what the guard
                was given. `wrap` asks the whole chain again instead.
            ask_again: Makes the input of the next attempt of the last input and what was found.
            editor: Who edits, as in `EditChain`.
            llm: The chat model that edits; by default the scorer's, if it asks one.
            settings: The other settings of a `GuardPolicy`: `otherwise`, `on_empty`, `on_error`,
                `min_coverage`, `max_retries`, `timeout`.

        Raises:
            UsageError: A setting is not what it should be.
            KnowledgeSourceError: A source cannot be opened.
        """
        given = {"threshold": threshold, "on_fail": on_fail, "message": message, **settings}
        rules = policy_with(type(self), policy, **given)
        super().__init__(
            checker=TextChecker(as_scorer(scorer), rules, editor=editor, llm=llm),
            keys=Keys.of(text_key, context_key, topic_key, outcome_key),
            always=as_evidence(None, sources),
            retry_with=None if retry_with is None else coerce_to_runnable(retry_with),
            ask_again=ask_again,
        )

    @property
    def policy(self) -> GuardPolicy:
        """What is required, and what is done."""
        return self.checker.policy

    def wrap(self, chain: Any) -> GuardedChain:
        """The chain with the guard behind it; with `on_fail="retry"`, the whole chain is asked again."""
        return GuardedChain(chain=coerce_to_runnable(chain), guard=self)

    async def check(
        self, value: Any, config: RunnableConfig
    ) -> tuple[CheckedText | None, CheckRequest | None]:
        """Checks the answer in a value once; None where there is none, only calls of tools.

        Raises:
            UsageError: The value holds no answer, or no evidence.
        """
        if not has_text(value, self.keys):
            return None, None
        request = self.keys.request(value, self.always)
        self.keys.require_evidence(value, self.checker.scorer, self.always)
        return await self.checker.ainvoke(request, unseen(config)), request

    async def _process(self, value: Any, config: RunnableConfig) -> Any:
        if self.policy.on_fail == "retry" and self.retry_with is None:
            raise UsageError(
                "on_fail='retry' needs somebody to ask: give retry_with, or use guard.wrap(chain) in place "
                "of chain | guard."
            )
        checked, _ = await self.check(value, config)
        given = value if self.retry_with is None else first_input(value, self.retry_with)
        while checked is not None and self.retry_with is not None and self.asks_again(checked):
            given, retries = self.ask_again(given, checked), checked.retries + 1
            reply = await self.retry_with.ainvoke(given, unseen(config, "retry"))
            value = _answered(value, reply, self.keys)
            checked, _ = await self.check(value, config)
            checked = checked and checked.model_copy(update={"retries": retries})
        return self.shown(value, checked)

    def asks_again(self, checked: CheckedText) -> bool:
        """Whether the policy has the model asked again about an answer."""
        return checked.action == "retry" and checked.retries < self.policy.max_retries

    def shown(self, value: Any, checked: CheckedText | None) -> Any:
        """The value as it is to be shown.

        Raises:
            FactualityError: The policy makes the answer an error.
        """
        if checked is None:
            return value
        return shown(value, raised(self.checker.settled(checked)), self.keys)

    async def astream(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Checks an answer and gives it sentence by sentence."""

        async def whole() -> AsyncIterator[Any]:
            yield input

        async for chunk in self.atransform(whole(), config, **kwargs):
            yield chunk

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: A002
        """Checks an answer and gives it sentence by sentence."""
        yield from self.transform(iter([input]), config, **kwargs)

    async def atransform(
        self,
        input: AsyncIterator[Any],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Checks an answer while it is being written, and gives each sentence as soon as it is verified."""

        async def run(
            chunks: AsyncIterator[Any], run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
        ) -> AsyncIterator[Any]:
            async for chunk in self._checked_chunks(chunks, config):
                yield chunk

        async for chunk in self._atransform_stream_with_config(input, run, config, **kwargs):
            yield chunk

    def transform(
        self,
        input: Iterator[Any],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[Any]:
        """Checks an answer while it is being written, and gives each sentence as soon as it is verified."""

        def run(
            chunks: Iterator[Any], run_manager: CallbackManagerForChainRun, config: RunnableConfig
        ) -> Iterator[Any]:
            return from_thread(self._checked_chunks(in_thread(chunks), config))

        yield from self._transform_stream_with_config(input, run, config, **kwargs)

    async def _checked_chunks(self, chunks: AsyncIterator[Any], config: RunnableConfig) -> AsyncIterator[Any]:
        if self.policy.on_fail == "retry":
            whole: Any = None
            async for chunk in chunks:
                whole = chunk if whole is None else added(whole, chunk)
            if whole is not None:
                yield await self._process(whole, config)
            return
        gate = SentenceGate(self.checker, None, self.always, unseen(config))
        async for one in checked_chunks(chunks, gate, self.keys, self.always):
            yield one


def _answered(value: Any, reply: Any, keys: Keys) -> Any:
    """The value with another answer: of a dict, the other keys stay, unless the reply has them too."""
    if not isinstance(value, Mapping):
        return reply
    return {**value, **reply} if isinstance(reply, Mapping) else {**value, keys.text: reply}
