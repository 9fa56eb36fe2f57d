"""A RAG chain with a scripted model, and guards that judge by plain rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from factscore_chain import FactGuard, FactScoreChain
from factscore_chain.retrievers.context import ContextOnly
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier

DOCUMENTS = [
    Document("Nintendo was founded in Kyoto in 1889.", id="d1", metadata={"source": "nintendo.md"}),
    Document("Kyoto is a city in Japan."),
]
TRUE = "Nintendo was founded in Kyoto."
FALSE = "Nintendo was founded in Osaka."


class Shelf(BaseRetriever):
    """Gives the same documents whatever is asked."""

    documents: list[Document]

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return self.documents


def scorer() -> FactScoreChain:
    return FactScoreChain(ContextOnly(), decomposer=SentenceDecomposer(), verifier=WordVerifier())


def guard(**settings: Any) -> FactGuard:
    return FactGuard(scorer(), **settings)


def rag(model: Any) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    return RunnablePassthrough.assign(context=RunnableLambda(lambda _: DOCUMENTS)) | (
        RunnablePassthrough.assign(answer=prompt | model | StrOutputParser())
    )


def scripted(*answers: str) -> ScriptedChatModel:
    return ScriptedChatModel(script=list(answers))


ASKED = {"question": "Where?", "session": 7}


def streaming(*answers: str) -> GenericFakeChatModel:
    return GenericFakeChatModel(messages=iter(answers))


def joined(chunks: Sequence[Any], key: str) -> Any:
    return "".join(chunk[key] for chunk in chunks if key in chunk)
