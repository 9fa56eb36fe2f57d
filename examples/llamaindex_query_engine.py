"""A LlamaIndex query engine whose answers are checked before anybody sees them.

    pip install 'factscore-chain[llama-index]'
    python examples/llamaindex_query_engine.py openai:gpt-4o-mini

The named model writes the answers. The knowledge source is searched by factscore-chain's own ensemble of BM25
and vectors, as a LlamaIndex retriever, and its answers are checked by the models that come with the package.
"""

from __future__ import annotations

import sys
from pathlib import Path

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from llama_index.core.query_engine import RetrieverQueryEngine

from factscore_chain import FactScoreChain
from factscore_chain.llama_index import (
    ContradictionPostprocessor,
    FactCheckQueryEngine,
    LangChainLLM,
    LangChainRetriever,
)

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
QUESTION = "When was Nintendo founded in Kyoto?"


def main(model: BaseChatModel) -> list[str]:
    """Prints an answer corrected, one asked for again, and one as a stream; returns what was shown."""
    scorer = FactScoreChain(KNOWLEDGE)
    answering = {
        streaming: RetrieverQueryEngine.from_args(
            LangChainRetriever(KNOWLEDGE, k=3),
            llm=LangChainLLM(model),
            streaming=streaming,
            node_postprocessors=[ContradictionPostprocessor(scorer)],
        )
        for streaming in (False, True)
    }
    shown = []
    for on_fail in ("correct", "retry"):
        response = FactCheckQueryEngine(answering[False], scorer, on_fail=on_fail).query(QUESTION)
        found = (response.metadata or {})["factuality"]
        print(
            f"{on_fail}: {response}\n  passed: {found['passed']}, the model had written: {found['original']}"
        )
        shown.append(str(response))

    stream = FactCheckQueryEngine(answering[True], scorer, on_fail="annotate").query(QUESTION)
    pieces = []
    for piece in stream.response_gen:
        print(f"stream: {piece.strip()}")
        pieces.append(piece)
    return [*shown, "".join(pieces)]


if __name__ == "__main__":
    main(init_chat_model(sys.argv[1] if len(sys.argv) > 1 else "openai:gpt-4o-mini"))
