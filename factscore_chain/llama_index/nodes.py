"""LlamaIndex's nodes as LangChain's documents and the other way round; origins are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from llama_index.core.schema import BaseNode, NodeWithScore, TextNode

from factscore_chain.retrievers.documents import passage_id

SOURCE_NODE = "source_node"
"""Origin of a node that does not say what found it."""

_TITLES = ("title", "document_title", "file_name", "source", "file_path", "url")
_RANKING = ("rank", "score", "origins")
"""How a passage was found: of no use to a model that reads it, nor to one that embeds it."""


def to_documents(nodes: Iterable[NodeWithScore | BaseNode]) -> list[Document]:
    """Nodes as LangChain documents, in their order; those without text are left out.

    A document has the node's id, text and metadata. Added are its `title` (from the keys that LlamaIndex's
    readers use), its `score` where it has one, and its `origins`, if it has none yet.
    """
    return [_document(node) for node in nodes if node.get_content().strip()]


def as_documents(value: Any) -> Any:
    """Evidence of any kind, with the nodes in it as documents."""
    if isinstance(value, (NodeWithScore, BaseNode)):
        return to_documents([value])
    return [as_documents(one) for one in value] if isinstance(value, list) else value


def to_nodes(documents: Sequence[Document]) -> list[NodeWithScore]:
    """LangChain documents as nodes with scores; how they were found stays out of prompts and embeddings."""
    return [_node(document) for document in documents]


def _document(found: NodeWithScore | BaseNode) -> Document:
    node, score = (found.node, found.score) if isinstance(found, NodeWithScore) else (found, None)
    added: dict[str, Any] = {"origins": node.metadata.get("origins") or [SOURCE_NODE]}
    if (title := title_of(node.metadata)) is not None:
        added["title"] = title
    if score is not None:
        added["score"] = score
    return Document(id=node.node_id, page_content=node.get_content(), metadata={**node.metadata, **added})


def title_of(metadata: Mapping[str, Any]) -> str | None:
    """The title that a node's metadata gives, under one of the keys that LlamaIndex's readers use."""
    values = (metadata.get(key) for key in _TITLES)
    return next((value for value in values if isinstance(value, str) and value.strip()), None)


def _node(document: Document) -> NodeWithScore:
    metadata = {key: value for key, value in document.metadata.items() if value is not None}
    title = metadata.get("title")
    named = title if isinstance(title, str) else None
    score = metadata.get("score", metadata.get("relevance_score"))
    node = TextNode(
        id_=document.id or passage_id(named, document.page_content),
        text=document.page_content,
        metadata=metadata,
        excluded_llm_metadata_keys=[*_RANKING],
        excluded_embed_metadata_keys=[*_RANKING],
    )
    return NodeWithScore(node=node, score=float(score) if isinstance(score, (int, float)) else None)
