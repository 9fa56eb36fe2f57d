"""A LangChain chat model as a LlamaIndex LLM."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
    LogProb,
    MessageRole,
)
from llama_index.core.constants import DEFAULT_CONTEXT_WINDOW, DEFAULT_NUM_OUTPUTS
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from pydantic import PrivateAttr

from factscore_chain.errors import UsageError
from factscore_chain.llama_index.messages import to_langchain
from factscore_chain.llama_index.options import options_for
from factscore_chain.model_identity import model_identity
from factscore_chain.token_choices import TokenChoice, read_token_choices


class LangChainLLM(CustomLLM):
    """Answers as a LangChain chat model does, synchronously, asynchronously and as a stream; text only.

    Asynchronous calls are the model's own, so that they run side by side. Log-probabilities, usage and the
    rest of what the provider says of a reply are kept (`logprobs`, `raw`, `additional_kwargs`).

    Args:
        model: The chat model.
        fields: Of LlamaIndex's `LLM`, such as `system_prompt`.

    Raises:
        UsageError: `model` is no LangChain chat model.
    """

    logprobs: bool | None = None
    """Whether to ask for log-probabilities, where the model has a setting for them."""
    top_logprobs: int | None = None
    """Alternatives a token."""
    identity: str = ""
    """Class and settings of the model, without its key."""
    _model: BaseChatModel = PrivateAttr()

    def __init__(self, model: BaseChatModel, **fields: Any) -> None:
        if not isinstance(model, BaseChatModel):
            raise UsageError(f"LangChainLLM takes a LangChain chat model, not {type(model).__name__}.")
        super().__init__(**{"identity": model_identity(model), **fields})
        self._model = model

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex's traces show it."""
        return "LangChainLLM"

    @property
    def metadata(self) -> LLMMetadata:
        """Name and sizes, as far as the model's profile tells them."""
        profile = self._model.profile or {}
        names = (getattr(self._model, name, None) for name in ("model_name", "model", "model_id"))
        return LLMMetadata(
            context_window=profile.get("max_input_tokens") or DEFAULT_CONTEXT_WINDOW,
            num_output=profile.get("max_output_tokens") or DEFAULT_NUM_OUTPUTS,
            is_chat_model=True,
            model_name=next((name for name in names if isinstance(name, str)), type(self._model).__name__),
        )

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answers a conversation."""
        return _response(self._model.invoke(to_langchain(messages), **self._options(kwargs)))

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answers a conversation without blocking."""
        return _response(await self._model.ainvoke(to_langchain(messages), **self._options(kwargs)))

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        """Answers a conversation piece by piece."""
        asked = to_langchain(messages)

        def pieces() -> ChatResponseGen:
            yield from _growing(self._model.stream(asked, **self._options(kwargs)))

        return pieces()

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """Answers a conversation piece by piece without blocking."""
        asked = to_langchain(messages)

        async def pieces() -> ChatResponseAsyncGen:
            async for response in _agrowing(self._model.astream(asked, **self._options(kwargs))):
                yield response

        return pieces()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Answers a prompt, sent as one message of the user."""
        return _completion(
            _response(self._model.invoke(self._asked(prompt, formatted), **self._options(kwargs)))
        )

    @llm_completion_callback()
    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Answers a prompt without blocking."""
        return _completion(
            _response(await self._model.ainvoke(self._asked(prompt, formatted), **self._options(kwargs)))
        )

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """Answers a prompt piece by piece."""
        asked = self._asked(prompt, formatted)

        def pieces() -> CompletionResponseGen:
            yield from map(_completion, _growing(self._model.stream(asked, **self._options(kwargs))))

        return pieces()

    @llm_completion_callback()
    async def astream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseAsyncGen:
        """Answers a prompt piece by piece without blocking."""
        asked = self._asked(prompt, formatted)

        async def pieces() -> CompletionResponseAsyncGen:
            async for response in _agrowing(self._model.astream(asked, **self._options(kwargs))):
                yield _completion(response)

        return pieces()

    def _options(self, given: dict[str, Any]) -> dict[str, Any]:
        return options_for(self._model, self, given)

    def _asked(self, prompt: str, formatted: bool) -> list[BaseMessage]:
        whole = (
            prompt if formatted or self.completion_to_prompt is None else self.completion_to_prompt(prompt)
        )
        return [HumanMessage(whole)]


def _growing(chunks: Iterator[AIMessageChunk]) -> Iterator[ChatResponse]:
    whole: AIMessageChunk | None = None
    for chunk in chunks:
        whole = chunk if whole is None else whole + chunk
        yield _response(whole, chunk.text)


async def _agrowing(chunks: AsyncIterator[AIMessageChunk]) -> AsyncIterator[ChatResponse]:
    whole: AIMessageChunk | None = None
    async for chunk in chunks:
        whole = chunk if whole is None else whole + chunk
        yield _response(whole, chunk.text)


def _response(message: AIMessage, delta: str | None = None) -> ChatResponse:
    usage = _usage(message)
    tokens = read_token_choices(message.response_metadata.get("logprobs"))
    return ChatResponse(
        message=ChatMessage(message.text, role=MessageRole.ASSISTANT),
        raw={**message.response_metadata, **({"usage": usage} if usage else {})},
        delta=delta,
        logprobs=None if tokens is None else [_alternatives(token) for token in tokens],
        additional_kwargs=usage,
    )


def _completion(response: ChatResponse) -> CompletionResponse:
    return CompletionResponse(
        text=response.message.content or "",
        additional_kwargs=response.additional_kwargs,
        raw=response.raw,
        logprobs=response.logprobs,
        delta=response.delta,
    )


def _usage(message: AIMessage) -> dict[str, int]:
    """Tokens by the names that LlamaIndex counts them under."""
    counts = message.usage_metadata
    if counts is None:
        return {}
    return {
        "prompt_tokens": counts["input_tokens"],
        "completion_tokens": counts["output_tokens"],
        "total_tokens": counts["total_tokens"],
    }


def _alternatives(token: TokenChoice) -> list[LogProb]:
    return [LogProb(token=name, logprob=value) for name, value in token.alternatives]
