"""For those who build with LlamaIndex: evaluator, query engine, postprocessor, workflow step, and adapters.

Needs `llama-index-core` (extra `llama-index`). An adapter's name begins with what is inside: `LangChainLLM`
is a LlamaIndex LLM made of a LangChain chat model, `LlamaIndexChatModel` the other way round.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from factscore_chain.errors import MissingExtraError


def _is_installed() -> bool:
    try:
        return find_spec("llama_index.core") is not None
    except ModuleNotFoundError:
        return False


# Asked once for all modules here, since their classes derive from the framework's.
if not _is_installed():
    raise MissingExtraError("Work with LlamaIndex", "llama-index")

if TYPE_CHECKING:
    from factscore_chain.llama_index.chat_model import LlamaIndexChatModel
    from factscore_chain.llama_index.embeddings import LangChainEmbedding, LlamaIndexEmbeddings
    from factscore_chain.llama_index.evaluator import FactScoreEvaluationResult, FactScoreEvaluator
    from factscore_chain.llama_index.llm import LangChainLLM
    from factscore_chain.llama_index.nodes import to_documents, to_nodes
    from factscore_chain.llama_index.postprocessor import (
        ContradictedNodesEvent,
        Contradiction,
        ContradictionPostprocessor,
        DroppedNode,
    )
    from factscore_chain.llama_index.query_engine import FactCheckQueryEngine
    from factscore_chain.llama_index.retrievers import LangChainRetriever, LlamaIndexRetriever
    from factscore_chain.llama_index.workflow import (
        AnswerChecked,
        AnswerFailed,
        AnswerPassed,
        AnswerWritten,
        CheckAnswer,
        FactCheckStep,
        FactCheckWorkflow,
    )

_HOMES = {
    "AnswerChecked": "workflow",
    "AnswerFailed": "workflow",
    "AnswerPassed": "workflow",
    "AnswerWritten": "workflow",
    "CheckAnswer": "workflow",
    "ContradictedNodesEvent": "postprocessor",
    "Contradiction": "postprocessor",
    "ContradictionPostprocessor": "postprocessor",
    "DroppedNode": "postprocessor",
    "FactCheckQueryEngine": "query_engine",
    "FactCheckStep": "workflow",
    "FactCheckWorkflow": "workflow",
    "FactScoreEvaluationResult": "evaluator",
    "FactScoreEvaluator": "evaluator",
    "LangChainEmbedding": "embeddings",
    "LangChainLLM": "llm",
    "LangChainRetriever": "retrievers",
    "LlamaIndexChatModel": "chat_model",
    "LlamaIndexEmbeddings": "embeddings",
    "LlamaIndexRetriever": "retrievers",
    "to_documents": "nodes",
    "to_nodes": "nodes",
}

__all__ = [
    "AnswerChecked",
    "AnswerFailed",
    "AnswerPassed",
    "AnswerWritten",
    "CheckAnswer",
    "ContradictedNodesEvent",
    "Contradiction",
    "ContradictionPostprocessor",
    "DroppedNode",
    "FactCheckQueryEngine",
    "FactCheckStep",
    "FactCheckWorkflow",
    "FactScoreEvaluationResult",
    "FactScoreEvaluator",
    "LangChainEmbedding",
    "LangChainLLM",
    "LangChainRetriever",
    "LlamaIndexChatModel",
    "LlamaIndexEmbeddings",
    "LlamaIndexRetriever",
    "to_documents",
    "to_nodes",
]


def __getattr__(name: str) -> Any:
    # The framework takes seconds to load, so that only what is used brings it.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
