"""LLMs and embeddings of LangChain and LlamaIndex, each as the other's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.llms import MockLLM
from llama_index.core.prompts import PromptTemplate

from factscore_chain import FactScoreChain, KnowledgeRetriever, KnowledgeSource, Verdict
from factscore_chain.encoder import EncoderEmbeddings
from factscore_chain.errors import UsageError
from factscore_chain.language_model import as_language_model
from factscore_chain.llama_index import (
    LangChainEmbedding,
    LangChainLLM,
    LlamaIndexChatModel,
    LlamaIndexEmbeddings,
)
from factscore_chain.retrievers.embedding import embedder_name
from tests.scripted import Script, ScriptedChatModel, ScriptedLogprobModel, scripted_reply

pytestmark = pytest.mark.usefixtures("own_loop")

SURE = scripted_reply("True", tokens=[{"True": -0.1, "False": -2.4}])
UNLIKELY = AIMessage(
    "False",
    response_metadata={
        "logprobs": {
            "content": [
                {
                    "token": "False",
                    "top_logprobs": [{"token": "True", "logprob": -0.1}, {"token": "False", "logprob": -2.4}],
                }
            ]
        }
    },
    usage_metadata={"input_tokens": 10, "output_tokens": 2, "total_tokens": 12},
)
"""Sampled against the odds: the word that was written is not the likeliest."""


def llm(script: Script, **fields: Any) -> LangChainLLM:
    return LangChainLLM(ScriptedLogprobModel(script=script), **fields)


def chat(*messages: tuple[MessageRole, str]) -> list[ChatMessage]:
    return [ChatMessage(text, role=role) for role, text in messages]


async def answers(inside: LangChainLLM) -> list[str]:
    """What every door of an LLM says."""
    asked = chat((MessageRole.USER, "Hello"))
    return [
        inside.complete("Hello").text,
        (await inside.acomplete("Hello")).text,
        inside.chat(asked).message.content or "",
        (await inside.achat(asked)).message.content or "",
        [*inside.stream_complete("Hello")][-1].text,
        [one async for one in await inside.astream_complete("Hello")][-1].text,
        [*inside.stream_chat(asked)][-1].message.content or "",
        [one async for one in await inside.astream_chat(asked)][-1].message.content or "",
        inside.predict(PromptTemplate("{word}"), word="Hello"),
        await inside.apredict(PromptTemplate("{word}"), word="Hello"),
    ]


async def test_every_door_of_llama_index_asks_the_chat_model() -> None:
    assert await answers(llm(lambda prompt: f"{prompt} to you")) == ["Hello to you"] * 10


async def test_asynchronous_calls_run_side_by_side() -> None:
    model = ScriptedChatModel(script=lambda prompt: prompt, delay=0.05)
    await asyncio.gather(*(LangChainLLM(model).acomplete(str(number)) for number in range(5)))
    assert model.most_in_flight == 5


def test_roles_are_passed_on() -> None:
    model = ScriptedChatModel(script=["Yes"])
    roles = [MessageRole.SYSTEM, MessageRole.USER, MessageRole.ASSISTANT, MessageRole.TOOL]
    LangChainLLM(model).chat(chat(*((role, role.value) for role in roles)))
    kinds: list[type[BaseMessage]] = [SystemMessage, HumanMessage, AIMessage, ToolMessage]
    assert [(type(one), one.text) for one in model.prompts[0]] == list(
        zip(kinds, [role.value for role in roles], strict=True)
    )


def test_an_image_is_refused_rather_than_dropped() -> None:
    seen = ChatMessage([ImageBlock(url="https://example.org/a.png")], role=MessageRole.USER)
    with pytest.raises(UsageError, match="'image'"):
        llm(["Yes"]).chat([seen])


def test_a_message_that_calls_tools_is_refused_rather_than_emptied() -> None:
    call = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    with pytest.raises(UsageError, match="'tool_call'"):
        LlamaIndexChatModel(MockLLM()).invoke([call])


def test_log_probabilities_are_kept() -> None:
    response = llm([SURE], logprobs=True, top_logprobs=2).complete("True or False?")
    assert response.logprobs is not None
    assert [(one.token, one.logprob) for one in response.logprobs[0]] == [("True", -0.1), ("False", -2.4)]


@pytest.mark.parametrize(
    ("model", "asked"),
    [(ScriptedLogprobModel(script=["True"]), True), (ScriptedChatModel(script=["True"]), False)],
)
def test_log_probabilities_are_asked_for_only_of_a_model_that_has_them(
    model: ScriptedChatModel, asked: bool
) -> None:
    LangChainLLM(model, logprobs=True, top_logprobs=2).complete("True or False?")
    assert ("logprobs" in model.options[0]) is asked


def test_usage_is_counted_by_llama_index() -> None:
    counter = TokenCountingHandler()
    asked = llm([scripted_reply("Yes", input_tokens=31, output_tokens=7)])
    asked.callback_manager = CallbackManager([counter])
    asked.complete("Hello")
    assert (counter.prompt_llm_token_count, counter.completion_llm_token_count) == (31, 7)


@pytest.mark.parametrize("reply", [SURE, UNLIKELY])
async def test_a_judge_through_both_adapters_answers_as_without_them(reply: AIMessage) -> None:
    straight, around = (
        as_language_model(model)
        for model in (
            ScriptedLogprobModel(script=[reply]),
            LlamaIndexChatModel(llm([reply])),
        )
    )
    asked = [HumanMessage("True or False?")]
    assert await around.complete(asked, logprobs=True) == await straight.complete(asked, logprobs=True)
    assert around.usage == straight.usage


async def test_a_reply_that_was_cut_off_is_known_as_such() -> None:
    judge = as_language_model(LlamaIndexChatModel(llm([scripted_reply("- A", finish_reason="length")])))
    assert (await judge.complete([HumanMessage("List facts.")])).finish_reason == "length"


async def test_an_llm_without_an_asynchronous_door_does_not_block_the_loop() -> None:
    class Slow(MockLLM):
        """LlamaIndex's own, whose asynchronous door calls the synchronous one."""

        def chat(self, *args: Any, **kwargs: Any) -> Any:
            asyncio.run_coroutine_threadsafe(_passed(seen), loop).result(5)
            return super().chat(*args, **kwargs)

    seen: list[str] = []
    loop = asyncio.get_running_loop()
    reply = await LlamaIndexChatModel(Slow(max_tokens=None)).ainvoke("Hello")
    assert (reply.text, seen) == ("user: Hello\nassistant: ", ["the loop ran"])


async def _passed(seen: list[str]) -> None:
    seen.append("the loop ran")


def test_models_that_differ_in_a_setting_have_their_own_kept_answers() -> None:
    def identity(**fields: Any) -> str:
        return as_language_model(LlamaIndexChatModel(MockLLM(**fields)))._identity

    assert identity(max_tokens=1) == identity(max_tokens=1)
    assert identity(max_tokens=1) != identity(max_tokens=2)
    assert identity() != as_language_model(LlamaIndexChatModel(llm(["Yes"])))._identity


def test_a_llama_index_llm_makes_facts_and_judges_them() -> None:
    def reply(prompt: str) -> str:
        return "False" if "True or False" in prompt else "- Kyoto is a city.\n- Kyoto has a sea."

    judge = LlamaIndexChatModel(llm(reply))
    report = FactScoreChain("examples/knowledge.jsonl", llm=judge).score("Kyoto is a city with a sea.")
    assert [fact.verdict for fact in report.facts] == [Verdict.NOT_SUPPORTED] * 2
    assert report.manifest.usage["calls"] == 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: LlamaIndexChatModel(ScriptedChatModel(script=[])),  # type: ignore[arg-type]
        lambda: LangChainLLM(MockLLM()),  # type: ignore[arg-type]
        lambda: LangChainEmbedding(MockEmbedding(2)),  # type: ignore[arg-type]
        lambda: LlamaIndexEmbeddings(EncoderEmbeddings()),  # type: ignore[arg-type]
    ],
)
def test_an_adapter_says_what_it_was_given_in_place_of_what_it_takes(make: Any) -> None:
    with pytest.raises(UsageError, match=r"takes .*, not"):
        make()


async def test_embeddings_give_the_same_vectors_on_both_sides() -> None:
    texts, inside = ["Kyoto is a city.", "Bach was a composer."], EncoderEmbeddings()
    theirs = LangChainEmbedding(inside)
    back = LlamaIndexEmbeddings(theirs)
    expected = inside.embed_documents(texts)
    assert back.embed_documents(texts) == expected
    assert await back.aembed_documents(texts) == expected
    assert theirs.get_text_embedding(texts[0]) == pytest.approx(expected[0], abs=1e-6)
    assert back.embed_query(texts[1]) == await back.aembed_query(texts[1]) == inside.embed_query(texts[1])


def test_an_index_of_llama_index_stands_on_the_shipped_encoder() -> None:
    pages = [Document(text="Kyoto was the seat of emperors."), Document(text="Bach wrote cantatas.")]
    index = VectorStoreIndex.from_documents(pages, embed_model=LangChainEmbedding())
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("Who composed church music?")
    assert found.text == "Bach wrote cantatas."


def test_a_knowledge_source_is_ranked_by_llama_index_embeddings(tmp_path: Any) -> None:
    source = KnowledgeSource.build("examples/knowledge.jsonl", tmp_path / "knowledge.db")
    embeddings = LlamaIndexEmbeddings(LangChainEmbedding())
    found = KnowledgeRetriever(source=source, embeddings=embeddings, mode="vector").invoke(
        "the old capital of Japan", topic="Kyoto", k=1
    )
    assert found[0].metadata["title"] == "Kyoto"


def test_an_index_records_which_llama_index_model_made_its_vectors() -> None:
    embeddings = LlamaIndexEmbeddings(MockEmbedding(2, model_name="small"))
    assert embedder_name(embeddings) == "LlamaIndexEmbeddings:MockEmbedding:small"
