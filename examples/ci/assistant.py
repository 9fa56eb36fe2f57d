"""A small question answerer to gate: it looks passages up and answers in their sentences.

    python examples/ci/assistant.py ANSWERS.jsonl              # version 1
    python examples/ci/assistant.py ANSWERS.jsonl --version 2  # with a regression

Version 2 forgets to tell the retriever what the question is about. A question such as "When was he born?"
then finds the birth of anybody, and the answer is fluent and wrong. No unit test of the parts fails; the gate
does. `before.jsonl` and `after.jsonl` hold what the two versions answer.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from sentencex import segment

from factscore_chain import KnowledgeRetriever, KnowledgeSource
from factscore_chain.retrievers.opening import open_knowledge

HERE = Path(__file__).parent
QUESTIONS = HERE / "questions.jsonl"
KNOWLEDGE = HERE.parent / "knowledge.jsonl"
SENTENCES = 3
"""Sentences of an answer."""


def make_assistant(knowledge: KnowledgeSource, version: int = 1) -> Runnable[dict[str, Any], dict[str, Any]]:
    """A chain from {"topic", "input"} to the same with "output"."""
    retriever = KnowledgeRetriever(source=knowledge)

    def look_up(question: dict[str, Any]) -> list[Document]:
        topic = question["topic"] if version == 1 else None
        return retriever.invoke(question["input"], topic=topic, k=3)

    def answer(found: dict[str, Any]) -> str:
        sentences = [one for document in found["passages"] for one in segment("en", document.page_content)]
        wanted = words(found["input"])
        best = sorted(sentences, key=lambda one: -len(wanted & words(one)))[:SENTENCES]
        return " ".join(one.strip() for one in sentences if one in best)

    return RunnablePassthrough.assign(passages=RunnableLambda(look_up)) | RunnablePassthrough.assign(
        output=RunnableLambda(answer)
    )


def words(text: str) -> set[str]:
    """The words of a text, in lower case."""
    return set(re.findall(r"\w+", text.casefold()))


def write_answers(path: Path, version: int = 1) -> None:
    """Answers all questions into a file of rows that `factscore gate` reads."""
    assistant = make_assistant(open_knowledge(KNOWLEDGE), version)
    questions = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    rows = [
        {key: value for key, value in row.items() if key != "passages"} for row in assistant.batch(questions)
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("answers", type=Path)
    parser.add_argument("--version", type=int, choices=(1, 2), default=1)
    options = parser.parse_args()
    write_answers(options.answers, options.version)
