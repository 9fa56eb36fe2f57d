"""Evaluates a small application with LangSmith's `evaluate`, on this machine alone: nothing is uploaded.

    python examples/langsmith_evaluator.py

With a key in LANGSMITH_API_KEY, the name of a data set in place of the list, and without `client` and
`upload_results`, the same evaluator's feedback stands in LangSmith beside each run.
"""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

from langsmith import Client, evaluate
from langsmith.schemas import Example

from factscore_chain.evaluators.langsmith import factscore_evaluator

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
ANSWERS = {
    "Kyoto": "Nintendo was founded in Kyoto in 1889.",
    "Alan Turing": "Alan Turing was born in London. He studied at Oxford.",
}
"""What the application answers; the second is wrong on purpose."""


def application(inputs: dict[str, Any]) -> dict[str, Any]:
    """Stands for the application under test."""
    return {"answer": ANSWERS[inputs["topic"]]}


def main() -> dict[str, float | None]:
    """Prints what is found of each answer, and returns the scores by topic."""
    day = datetime.now(timezone.utc)
    data = [Example(id=uuid4(), dataset_id=uuid4(), created_at=day, inputs={"topic": one}) for one in ANSWERS]
    rows = evaluate(
        application,
        data=data,
        evaluators=[factscore_evaluator(KNOWLEDGE)],
        client=Client(api_key="none", api_url="http://127.0.0.1:9", auto_batch_tracing=False),
        upload_results=False,
    )
    scores = {}
    for row in rows:
        (found,) = row["evaluation_results"]["results"]
        scores[str((row["example"].inputs or {})["topic"])] = found.score
        print(found.score, found.comment)
    return scores


if __name__ == "__main__":
    main()
