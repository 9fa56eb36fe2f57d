"""A query engine around another one, whose answers are checked before somebody sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle
from typing_extensions import Unpack

from factscore_chain.aio import run_sync
from factscore_chain.edit.base import Editor
from factscore_chain.errors import UsageError
from factscore_chain.guard import CheckedText, CheckRequest, GuardPolicy, TextChecker
from factscore_chain.guard.policy import FurtherSettings, OnFail, policy_with
from factscore_chain.guard.scorers import AnyScorer
from factscore_chain.llama_index.checking import Evidence, Sources, text_of, whole
from factscore_chain.llama_index.nodes import to_documents
from factscore_chain.llama_index.shown import in_one_piece, streamed, streamed_async, with_record
from factscore_chain.retrievers.opening import AnyKnowledge

Topic: TypeAlias = "str | Callable[[QueryBundle], str | None] | None"
_Ask: TypeAlias = Callable[[QueryBundle], Awaitable[RESPONSE_TYPE]]


class FactCheckQueryEngine(BaseQueryEngine):
    """Asks another query engine, and checks what it answers before it gives it.

    Answers are checked against their own source nodes and the scorer's knowledge. What is shown follows the
    policy; the response's metadata has `factuality`: whether it `passed`, its `score`, the `action` that was
    taken, the `original` text, and every fact with its passages. Source nodes and other metadata stay.

    A streamed answer comes as a stream of checked sentences, each as soon as it is checked, and `factuality`
    is there when the stream has ended; with "retry" it comes as one piece, since only a whole answer can be
    asked for again. Of an answer that is an object, the texts in it are checked, and the object is given as
    it is or withheld.

    Args:
        query_engine: The engine that answers.
        scorer: A `FactScoreChain`; a knowledge source, a path to one or a LangChain retriever, for the
            embedded estimator; or None, where the source nodes are the only evidence.
        threshold: Share of an answer's facts that must be supported, 0 to 1; by default 0.8.
        on_fail: What is done about an answer that has less: "annotate" (the default), "replace", "correct",
            "remove", "retry" or "raise", as `GuardPolicy` explains them. "retry" asks the engine again, for
            the same question, with what was not supported.
        message: What is shown in place of a withheld answer.
        policy: A whole policy; the settings that are given go before its own.
        evidence: "both", or only the source nodes ("contexts") or the scorer's "knowledge".
        topic: The title that answers are about, or a function of the query that gives it.
        sources: Further knowledge sources, paths to them, or LangChain retrievers.
        editor: Who edits, where the policy edits; as in `EditChain`.
        llm: The LangChain chat model that edits; by default the scorer's, if it asks one.
        callback_manager: LlamaIndex's.
        settings: The other settings of a `GuardPolicy`: `otherwise`, `on_empty`, `on_error`, `min_coverage`,
            `max_retries`, `timeout`.

    Raises:
        UsageError: An argument is not what it should be.
        KnowledgeSourceError: A knowledge source cannot be opened.
        FactualityError: From a query, where an answer fails and the policy makes that an error.
    """

    def __init__(
        self,
        query_engine: BaseQueryEngine,
        scorer: AnyScorer = None,
        *,
        threshold: float | None = None,
        on_fail: OnFail | None = None,
        message: str | None = None,
        policy: GuardPolicy | None = None,
        evidence: Evidence = "both",
        topic: Topic = None,
        sources: Sequence[AnyKnowledge] = (),
        editor: Editor | str | None = None,
        llm: Any = None,
        callback_manager: CallbackManager | None = None,
        **settings: Unpack[FurtherSettings],
    ) -> None:
        if not isinstance(query_engine, BaseQueryEngine):
            raise UsageError(
                f"FactCheckQueryEngine takes a LlamaIndex query engine, not {type(query_engine).__name__}. "
                "An index has one: `index.as_query_engine()`."
            )
        super().__init__(callback_manager)
        self._query_engine = query_engine
        self._sources = Sources.of(scorer, evidence, sources)
        given = {"threshold": threshold, "on_fail": on_fail, "message": message, **settings}
        rules = policy_with(type(self), policy, **given)
        self._checker = TextChecker(self._sources.scorer, rules, editor=editor, llm=llm)
        self._topic = topic

    def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """What the inner engine retrieves."""
        return self._query_engine.retrieve(query_bundle)

    def synthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """The checked answer from given nodes."""
        return self._answer(
            query_bundle, lambda query: self._query_engine.synthesize(query, nodes, additional_source_nodes)
        )

    async def asynthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """The checked answer from given nodes, without blocking."""
        return await self._aanswer(
            query_bundle, lambda query: self._query_engine.asynthesize(query, nodes, additional_source_nodes)
        )

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"query_engine": self._query_engine}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._answer(query_bundle, self._query_engine.query)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return await self._aanswer(query_bundle, self._query_engine.aquery)

    def _answer(self, query: QueryBundle, ask: Callable[[QueryBundle], RESPONSE_TYPE]) -> RESPONSE_TYPE:
        # The engine answers in the caller's thread; only asking it again happens elsewhere.
        response = ask(query)

        async def again(following: QueryBundle) -> RESPONSE_TYPE:
            return await asyncio.to_thread(ask, following)

        if isinstance(response, StreamingResponse) and self._shows_early:
            return streamed(response, self._checker, self._request(query, "", response.source_nodes))
        return run_sync(self._checked(query, response, again))

    async def _aanswer(self, query: QueryBundle, ask: _Ask) -> RESPONSE_TYPE:
        response = await ask(query)
        if isinstance(response, AsyncStreamingResponse) and self._shows_early:
            return streamed_async(response, self._checker, self._request(query, "", response.source_nodes))
        return await self._checked(query, response, ask)

    @property
    def _shows_early(self) -> bool:
        """Whether an answer can be shown while it is being written."""
        return self._checker.policy.on_fail != "retry"

    def _request(self, query: QueryBundle, text: str, nodes: Sequence[NodeWithScore]) -> CheckRequest:
        topic = self._topic(query) if callable(self._topic) else self._topic
        return CheckRequest(text, topic, self._sources.beside(to_documents(nodes)))

    async def _checked(self, query: QueryBundle, response: RESPONSE_TYPE, ask: _Ask) -> RESPONSE_TYPE:
        latest = await whole(response)

        async def again(checked: CheckedText) -> CheckRequest:
            nonlocal latest
            latest = await whole(await ask(_with_feedback(query, checked)))
            return self._request(query, text_of(latest) or "", latest.source_nodes)

        request = self._request(query, text_of(latest) or "", latest.source_nodes)
        checked = await self._checker.acheck_again(request, again)
        if isinstance(latest, PydanticResponse):
            return self._object(latest, checked)
        shown = Response(checked.text, latest.source_nodes, with_record(latest.metadata, checked))
        return in_one_piece(shown, response)

    def _object(self, response: PydanticResponse, checked: CheckedText) -> RESPONSE_TYPE:
        """An answer that is an object, which can be given or withheld, but not mended or noted upon."""
        if checked.action in ("pass", "annotate"):
            metadata = with_record(response.metadata, checked)
            return PydanticResponse(response.response, response.source_nodes, metadata)
        message = self._checker.policy.message
        withheld = checked.model_copy(update={"action": "replace", "text": message})
        return Response(message, response.source_nodes, with_record(response.metadata, withheld))


def _with_feedback(query: QueryBundle, checked: CheckedText) -> QueryBundle:
    """The question with what was wrong with its answer; what is searched for stays the question."""
    return replace(
        query,
        query_str=f"{query.query_str}\n\n{checked.feedback()}",
        custom_embedding_strs=query.embedding_strs,
    )
