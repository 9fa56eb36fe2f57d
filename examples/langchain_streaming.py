"""A RAG chain that streams, and shows only sentences that were verified.

    python examples/langchain_streaming.py                             # a scripted model, with a mistake
    python examples/langchain_streaming.py --model openai:gpt-4o-mini  # any model that LangChain knows

The guard holds a sentence back until it is checked, while the model writes on. The user waits for one
sentence, not for the whole answer.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from factscore_chain import FactGuard, KnowledgeRetriever
from factscore_chain.retrievers.opening import open_knowledge

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
QUESTION = "Who was Marie Curie?"
ANSWER = (
    "Marie Curie was born in Warsaw in 1867. She won the Nobel Prize in Physics in 1903. "
    "She won the Fields Medal. She discovered polonium and radium."
)


def make_model(name: str | None) -> BaseChatModel:
    """A model by name; without one, a script."""
    if name is None:
        return GenericFakeChatModel(messages=iter([ANSWER]))
    from langchain.chat_models import init_chat_model

    return init_chat_model(name)


async def run(model: str | None = None) -> None:
    """Streams an answer, sentence by sentence."""
    retriever = KnowledgeRetriever(source=open_knowledge(KNOWLEDGE), k=5)
    prompt = ChatPromptTemplate.from_template(
        "Answer from these passages:\n{context}\n\nQuestion: {question}"
    )
    answering = prompt | make_model(model) | StrOutputParser()
    look_up = RunnablePassthrough.assign(
        topic=lambda _: "Marie Curie", context=lambda asked: retriever.invoke(asked["question"])
    )
    # An unsupported sentence is left out; with on_fail="annotate" it would be shown, and marked.
    guard = FactGuard(on_fail="remove", topic_key="topic")
    chain = look_up | RunnablePassthrough.assign(answer=answering) | guard
    async for chunk in chain.astream({"question": QUESTION}):
        if "answer" in chunk:
            print(f"> {chunk['answer'].strip()}")
        if "factuality" in chunk:
            for fact in chunk["factuality"].outcome.unsupported:
                print(f"(left out: {fact.text})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a model that LangChain knows; by default a script")
    asyncio.run(run(parser.parse_args().model))
