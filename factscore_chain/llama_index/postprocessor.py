"""A node postprocessor that keeps what contradicts a trusted source away from the model that answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import llama_index.core.instrumentation as instrument
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import PrivateAttr

from factscore_chain.aio import run_sync
from factscore_chain.edit.base import Editor, Policy
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.report import EditedGeneration
from factscore_chain.errors import UsageError
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.llama_index.nodes import title_of
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.lru import LRU
from factscore_chain.values import Generation, Passage

_dispatcher = instrument.get_dispatcher(__name__)  # type: ignore[attr-defined]
_REMEMBERED = 10_000
"""Passages whose outcome is kept, so that each is checked once."""
_DROPPED = 1_000


@dataclass(frozen=True)
class Contradiction:
    """A sentence that the trusted source contradicts."""

    said: str
    source_says: str
    """The same sentence as the trusted source would have it."""
    passages: tuple[Passage, ...] = ()
    """What that rests on."""


@dataclass(frozen=True)
class DroppedNode:
    """A node that was kept away, and why."""

    node: NodeWithScore
    contradictions: tuple[Contradiction, ...]


class ContradictedNodesEvent(BaseEvent):
    """What a `ContradictionPostprocessor` did; LlamaIndex's dispatcher sends it to those who listen."""

    dropped: list[DroppedNode]
    unchecked: list[NodeWithScore]
    """Kept, since they could not be checked."""

    @classmethod
    def class_name(cls) -> str:
        """Its name in LlamaIndex's traces."""
        return "ContradictedNodesEvent"


class ContradictionPostprocessor(BaseNodePostprocessor):
    """Drops nodes that contradict a trusted source, and only those.

    A node is dropped if the source supports one of its sentences, whole, once a date, a number or a name in
    it is another. What the source does not mention, what cannot be decided, and what could not be checked
    stays. `dropped` and the event `ContradictedNodesEvent` say what was dropped and why.

    A node whose title is one of the source's is compared with that page, else with the whole source.

    Args:
        trusted: The trusted source: a `FactScoreChain`, or a knowledge source, a path to one or a LangChain
            retriever, for the embedded estimator.
        topic: Gives the title of the source's page that a node is about; None by the node's own title.
        editor: Who says how the source would have a sentence; as in `EditChain`.
        llm: The LangChain chat model that does; by default the scorer's, if it asks one.
        fields: Of LlamaIndex's `BaseNodePostprocessor`.

    Raises:
        UsageError: There is no trusted source.
        KnowledgeSourceError: It cannot be opened.
        FatalModelError: From a call, where the model that judges cannot be used at all.
    """

    _chain: EditChain = PrivateAttr()
    _topic: Callable[[NodeWithScore], str | None] | None = PrivateAttr()
    _known: LRU[Generation, tuple[Contradiction, ...]] = PrivateAttr()
    _dropped: deque[DroppedNode] = PrivateAttr()

    def __init__(
        self,
        trusted: AnyScorer,
        *,
        topic: Callable[[NodeWithScore], str | None] | None = None,
        editor: Editor | str | None = None,
        llm: Any = None,
        **fields: Any,
    ) -> None:
        if trusted is None:
            raise UsageError("There is no trusted source to compare nodes with. Give a knowledge source.")
        super().__init__(**fields)
        self._chain = EditChain(
            as_scorer(trusted), editor=editor, llm=llm, policy=Policy.CORRECT, max_rounds=1
        )
        self._topic = topic
        self._known = LRU(_REMEMBERED)
        self._dropped = deque(maxlen=_DROPPED)

    @classmethod
    def class_name(cls) -> str:
        """Its name in LlamaIndex's traces."""
        return "ContradictionPostprocessor"

    @property
    def dropped(self) -> tuple[DroppedNode, ...]:
        """The last thousand nodes that were dropped, the oldest first."""
        return tuple(self._dropped)

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return run_sync(self._kept(nodes))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return await self._kept(nodes)

    async def _kept(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        texts = [Generation(node.get_content(), self._title(node)) for node in nodes]
        unchecked = await self._compare([text for text in texts if text.text.strip()])
        found = [self._known.get(text) or () for text in texts]
        dropped = [DroppedNode(node, reasons) for node, reasons in zip(nodes, found, strict=True) if reasons]
        self._dropped.extend(dropped)
        left = [node for node, text in zip(nodes, texts, strict=True) if text in unchecked]
        _dispatcher.event(ContradictedNodesEvent(dropped=dropped, unchecked=left))
        return [node for node, reasons in zip(nodes, found, strict=True) if not reasons]

    async def _compare(self, texts: Sequence[Generation]) -> set[Generation]:
        """Finds the contradictions of texts that are not known yet; gives those that could not be checked."""
        new = [text for text in dict.fromkeys(texts) if self._known.get(text) is None]
        if not new:
            return set()
        edited = await self._chain.ainvoke(new)
        unchecked = set()
        for text, result in zip(new, edited.generations, strict=True):
            if result.status == "failed":
                unchecked.add(text)
            else:
                self._known.put(text, tuple(_contradictions(result)))
        return unchecked

    def _title(self, node: NodeWithScore) -> str | None:
        if self._topic is not None:
            return self._topic(node)
        retrieval = self._chain.scorer.scorer.retrieval
        title = title_of(node.metadata)
        if title is None or retrieval is None or not isinstance(retrieval.retriever, KnowledgeRetriever):
            return None
        return retrieval.retriever.source.find(title)


def _contradictions(result: EditedGeneration) -> list[Contradiction]:
    # Where something else in the sentence stays unsupported, the source may not speak of its matter at all.
    return [
        Contradiction(edit.before, edit.wording, edit.passages)
        for edit in result.kept
        if edit.actions and all(action.action == "corrected" for action in edit.actions)
    ]
