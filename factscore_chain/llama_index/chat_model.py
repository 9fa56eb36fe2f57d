"""A LlamaIndex LLM as a LangChain chat model: whatever LlamaIndex can ask may make facts and judge them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.base.llms.types import ChatResponse, LogProb
from llama_index.core.llms import CustomLLM
from pydantic import ConfigDict, Field

from factscore_chain.errors import UsageError
from factscore_chain.llama_index.inherited import is_inherited
from factscore_chain.llama_index.messages import to_llama_index
from factscore_chain.llama_index.options import options_for
from factscore_chain.model_identity import plain_settings

_REASONS = ("finish_reason", "stop_reason", "done_reason")
_READ = ("prompt_tokens", "input_tokens", "prompt_eval_count")
_WRITTEN = ("completion_tokens", "output_tokens", "eval_count")


class LlamaIndexChatModel(BaseChatModel):
    """Asks a LlamaIndex LLM, as any LangChain chat model is asked; text only, and no tools.

    `FactScoreChain(knowledge, llm=LlamaIndexChatModel(llm))` makes it the judge. Log-probabilities are asked
    for where the LLM's class has a setting for them, and kept wherever they come; usage and the reason why a
    reply ended are read from the provider's own answer. It gives each reply whole: a judge need not stream.

    Args:
        llm: The LLM.
        fields: Of LangChain's `BaseChatModel`, such as `rate_limiter`.

    Raises:
        UsageError: `llm` is no LlamaIndex LLM.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, protected_namespaces=())

    llm: BaseLLM = Field(exclude=True, repr=False)
    model_name: str
    settings: dict[str, Any]
    """What shapes its answers beside its name: tells it apart where answers are kept."""
    max_retries: int = 0
    """Attempts that the LLM makes again by itself."""
    logprobs: bool | None = None
    top_logprobs: int | None = None

    def __init__(self, llm: BaseLLM, **fields: Any) -> None:
        if not isinstance(llm, BaseLLM):
            raise UsageError(f"LlamaIndexChatModel takes a LlamaIndex LLM, not {type(llm).__name__}.")
        told = {
            "model_name": llm.metadata.model_name,
            "settings": {
                "kind": f"{type(llm).__module__}.{type(llm).__qualname__}",
                **plain_settings(llm, beside=BaseLLM),
            },
            "max_retries": getattr(llm, "max_retries", 0) or 0,
        }
        super().__init__(llm=llm, **{**told, **fields})

    @property
    def _llm_type(self) -> str:
        return "llama-index"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return _result(self.llm.chat(to_llama_index(messages), **self._options(stop, kwargs)))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        asked, options = to_llama_index(messages), self._options(stop, kwargs)
        if is_inherited(self.llm, "achat", CustomLLM):
            # That one would block the loop on the synchronous door.
            return _result(await asyncio.to_thread(self.llm.chat, asked, **options))
        return _result(await self.llm.achat(asked, **options))

    def _options(self, stop: list[str] | None, given: Mapping[str, Any]) -> dict[str, Any]:
        return options_for(self.llm, self, {**given, **({"stop": stop} if stop else {})})


def _result(response: ChatResponse) -> ChatResult:
    text = response.message.content or ""
    raw = response.raw
    metadata: dict[str, Any] = {name: value for name in _REASONS if (value := _reason(raw, name)) is not None}
    if response.logprobs:
        metadata["logprobs"] = {"content": _tokens(response.logprobs, text)}
    usage = _usage(response.additional_kwargs) or _usage(_of(raw, "usage") or raw)
    message = AIMessage(text, response_metadata=metadata, usage_metadata=usage)
    return ChatResult(generations=[ChatGeneration(message=message)])


def _of(holder: Any, name: str) -> Any:
    """What a provider's answer, an object or a mapping, has under a name."""
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _reason(raw: Any, name: str) -> str | None:
    choices = _of(raw, "choices")
    first = choices[0] if isinstance(choices, Sequence) and choices else None
    found = _of(raw, name) or _of(first, name)
    return found if isinstance(found, str) else None


def _usage(holder: Any) -> dict[str, int] | None:
    read, written = _count(holder, _READ), _count(holder, _WRITTEN)
    if read is None or written is None:
        return None
    return {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}


def _count(holder: Any, names: Sequence[str]) -> int | None:
    found = (_of(holder, name) for name in names)
    return next((count for count in found if isinstance(count, int)), None)


def _tokens(places: Sequence[Sequence[LogProb]], text: str) -> list[dict[str, Any]]:
    """Each token with its alternatives; the one that was chosen is the one that stands in the text."""
    tokens, position = [], 0
    for place in filter(None, places):
        chosen = next((one for one in place if one.token and text.startswith(one.token, position)), place[0])
        position += len(chosen.token)
        listed = [{"token": one.token, "logprob": one.logprob} for one in place]
        tokens.append({"token": chosen.token, "logprob": chosen.logprob, "top_logprobs": listed})
    return tokens
