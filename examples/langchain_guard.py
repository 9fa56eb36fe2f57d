"""A RAG chain whose answers are checked, by the passages it retrieved itself, before anybody sees them.

    python examples/langchain_guard.py                             # a scripted model, which makes mistakes
    python examples/langchain_guard.py --model openai:gpt-4o-mini  # any model that LangChain knows

The judge is the embedded estimator: it needs no key and no network. Each of the three guards does something
else about an answer that is not supported: says so, mends it, or asks the model again with what was wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnablePassthrough

from factscore_chain import FactGuard, KnowledgeRetriever
from factscore_chain.retrievers.opening import open_knowledge

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
QUESTION = "When was Nintendo founded?"
WRONG = "Nintendo was founded in Kyoto in 1905. It began as a maker of playing cards."
RIGHT = "Nintendo was founded in Kyoto in 1889. It began as a maker of playing cards."

PROMPT = ChatPromptTemplate.from_template("Answer from these passages:\n{context}\n\nQuestion: {question}")


def make_rag(model: BaseChatModel) -> tuple[Runnable[Any, Any], Runnable[Any, Any]]:
    """The chain from {"question"} to the same with "context" and "answer"; and the part that answers."""
    retriever = KnowledgeRetriever(source=open_knowledge(KNOWLEDGE), k=3)
    answering = PROMPT | model | StrOutputParser()
    look_up = RunnablePassthrough.assign(context=lambda asked: retriever.invoke(asked["question"]))
    return look_up | RunnablePassthrough.assign(answer=answering), answering


def make_model(name: str | None, answers: Sequence[str]) -> BaseChatModel:
    """A model by name; without one, a script."""
    if name is None:
        return GenericFakeChatModel(messages=iter(answers))
    from langchain.chat_models import init_chat_model

    return init_chat_model(name)


def run(model: str | None = None) -> None:
    """Asks the same question under three policies."""
    # No scorer is named, so the answer is checked by the chain's own context alone.
    rag, _ = make_rag(make_model(model, [WRONG]))
    annotated = (rag | FactGuard(on_fail="annotate")).invoke({"question": QUESTION})
    print(f"annotate: {annotated['answer']}\n")

    rag, _ = make_rag(make_model(model, [WRONG]))
    corrected = (rag | FactGuard(on_fail="correct")).invoke({"question": QUESTION})
    print(f"correct: {corrected['answer']}")
    for edit in corrected["factuality"].edit.kept if corrected["factuality"].edit else ():
        print(f"  {edit.before!r} became {edit.after!r}")

    rag, answering = make_rag(make_model(model, [WRONG, RIGHT]))
    asked_again = (rag | FactGuard(on_fail="retry", retry_with=answering)).invoke({"question": QUESTION})
    print(f"\nretry: {asked_again['answer']}")
    print(f"  asked again {asked_again['factuality'].retries} time(s)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a model that LangChain knows; by default a script")
    run(parser.parse_args().model)
