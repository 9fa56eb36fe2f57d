"""A LlamaIndex workflow that writes an answer, has it checked, and writes it again until it is true.

pip install 'factscore-chain[llama-index]'
python examples/llamaindex_workflow.py openai:gpt-4o-mini
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from llama_index.core.schema import NodeWithScore
from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step

from factscore_chain import FactScoreChain
from factscore_chain.guard import GuardPolicy, TextChecker
from factscore_chain.llama_index import (
    AnswerFailed,
    AnswerPassed,
    AnswerWritten,
    FactCheckStep,
    LangChainLLM,
    LangChainRetriever,
)

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
QUESTION = "When was Nintendo founded in Kyoto?"
MOST_ATTEMPTS = 3


class Question(StartEvent):
    """What the workflow is to answer."""

    text: str


class Answering(FactCheckStep, Workflow):
    """Question -> AnswerWritten -> AnswerPassed, or AnswerFailed -> AnswerWritten -> ..."""

    def __init__(self, model: BaseChatModel) -> None:
        super().__init__(timeout=120)
        self.checker = TextChecker(FactScoreChain(KNOWLEDGE), GuardPolicy(threshold=0.9))
        self.llm = LangChainLLM(model)
        self.retriever = LangChainRetriever(KNOWLEDGE, k=3)
        self.attempts = 0

    @step
    async def write(self, ev: Question) -> AnswerWritten:
        """Writes the first answer from what is found."""
        self.question, self.nodes = ev.text, await self.retriever.aretrieve(ev.text)
        return await self._answer(self.nodes)

    @step
    async def write_again(self, ev: AnswerFailed) -> AnswerWritten | StopEvent:
        """Writes another answer, told what was not supported; gives up after some."""
        if self.attempts == MOST_ATTEMPTS:
            return StopEvent(result=ev.checked.text)
        print(f"attempt {self.attempts} failed: {ev.checked.outcome.summary()}")
        return await self._answer(self.nodes, ev.checked.feedback())

    @step
    async def show(self, ev: AnswerPassed) -> StopEvent:
        """Gives the answer."""
        return StopEvent(result=ev.checked.text)

    async def _answer(self, nodes: list[NodeWithScore], feedback: str = "") -> AnswerWritten:
        self.attempts += 1
        read = "\n".join(node.get_content() for node in nodes)
        reply = await self.llm.acomplete(
            f"Answer from these passages.\n{read}\n\n{self.question}\n\n{feedback}"
        )
        return AnswerWritten(text=reply.text, evidence=nodes)


async def main(model: BaseChatModel) -> str:
    """Prints and returns the answer."""
    answer = str(await Answering(model).run(text=QUESTION))
    print(answer)
    return answer


if __name__ == "__main__":
    asyncio.run(main(init_chat_model(sys.argv[1] if len(sys.argv) > 1 else "openai:gpt-4o-mini")))
