"""Evaluates the answers of a LlamaIndex query engine: which share of their facts do its own passages support?

    pip install 'factscore-chain[llama-index]'
    python examples/llamaindex_evaluator.py openai:gpt-4o-mini

The named model writes the answers (any provider that LangChain knows will do). The index is embedded, and the
answers are judged, by the models that come with factscore-chain.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.evaluation import BatchEvalRunner

from factscore_chain.llama_index import FactScoreEvaluator, LangChainEmbedding, LangChainLLM

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
QUESTIONS = [
    "When was Nintendo founded in Kyoto?",
    "Who founded the Green Belt Movement?",
    "Who composed the music of the Titanic?",
]


def pages() -> list[Document]:
    """The articles of the knowledge source, as LlamaIndex's documents."""
    rows = [json.loads(line) for line in KNOWLEDGE.read_text(encoding="utf-8").splitlines()]
    return [
        Document(
            text=row["text"] if isinstance(row["text"], str) else "\n\n".join(row["text"]),
            metadata={"title": row["title"]},
        )
        for row in rows
    ]


def main(model: BaseChatModel) -> dict[str, bool | None]:
    """Prints what is found of each answer, and returns which of them pass; None is no verdict."""
    index = VectorStoreIndex.from_documents(pages(), embed_model=LangChainEmbedding())
    engine = index.as_query_engine(llm=LangChainLLM(model), similarity_top_k=3)
    runner = BatchEvalRunner({"factscore": FactScoreEvaluator(threshold=0.9)}, workers=4)
    results = runner.evaluate_queries(engine, QUESTIONS)["factscore"]
    for result in results:
        print(f"{result.query}\n  {result.response}\n  passing: {result.passing}, score: {result.score}")
        for finding in result.outcome.unsupported:
            print(f"  not supported ({finding.reason}): {finding.text}")
    return {result.query or "": result.passing for result in results}


if __name__ == "__main__":
    main(init_chat_model(sys.argv[1] if len(sys.argv) > 1 else "openai:gpt-4o-mini"))
