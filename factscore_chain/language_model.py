"""Every call to a chat model goes through here: one limiter, one account of usage, one reading of errors."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from hashlib import sha256
from itertools import count
from math import fsum
from typing import Annotated, Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, BeforeValidator

from factscore_chain.answer_cache import AnswerCache, Call
from factscore_chain.completion import Completion, FinishReason, Usage, read_message
from factscore_chain.errors import (
    BudgetError,
    FactScoreError,
    FailureBudgetError,
    FatalModelError,
    UsageError,
)
from factscore_chain.failures import model_call_error, rejects_logprobs, rejects_schema
from factscore_chain.fresh import is_fresh
from factscore_chain.limits import CONCURRENCY, CallLimits
from factscore_chain.model_identity import model_identity
from factscore_chain.retries import Patience, retry_after
from factscore_chain.run_scope import count_failures, given_up, stop, stopped_by
from factscore_chain.spending import Account, Budget, Price
from factscore_chain.token_choices import TokenChoice
from factscore_chain.tokens import estimate_tokens, message_tokens

__all__ = [
    "AnyModel",
    "Completion",
    "FinishReason",
    "LanguageModel",
    "TokenChoice",
    "Usage",
    "as_language_model",
    "init_model",
    "total_cost",
]


_log = logging.getLogger(__name__)

_CLIENT_RETRIES = "max_retries"
"""What LangChain's models call the number of their client's own attempts."""


class LanguageModel:
    """A LangChain chat model with bounds on its calls and a running account of usage.

    Share one between stages, and the bounds hold for all of them together.

    Args:
        model: The chat model.
        concurrency: Calls in flight at most; 16 by default, or what the chain that asks it says.
        requests_per_minute: Requests at most; None for any number.
        tokens_per_minute: Tokens of prompts and replies at most; None for any number.
        limits: The three together, to share them with other models.
        cache: Where answers are kept; None keeps none, and asks every time.
        budget: What may be spent; it needs a price.
        price: What tokens cost; None if that is not known.
        patience: How long to try where a call fails. What the client itself tries again (its `max_retries`)
            is not tried again here; `init_model` makes models whose client leaves it to us.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        concurrency: int | None = None,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        limits: CallLimits | None = None,
        cache: AnswerCache | None = None,
        budget: Budget | None = None,
        price: Price | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.model = model
        own = (concurrency, requests_per_minute, tokens_per_minute)
        self.limited = limits is not None or any(bound is not None for bound in own)
        """Whether somebody has said what its limits are."""
        self.limits = limits or CallLimits(
            CONCURRENCY if concurrency is None else concurrency,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
        )
        self.cache, self.budget, self.price = cache, budget, price
        self.patience = patience or Patience()
        self._identity = model_identity(model)
        self._account = Account()
        fields = type(model).model_fields
        self._fatal: FatalModelError | None = None
        self._offers_logprobs = "logprobs" in fields and "top_logprobs" in fields
        self.offers_schema = bool((model.profile or {}).get("structured_output"))
        """Whether its profile says that it can keep to a schema, and no server denied it."""
        self._client_retries = _CLIENT_RETRIES in fields and getattr(model, _CLIENT_RETRIES) != 0

    def using(
        self,
        *,
        cache: AnswerCache | None = None,
        budget: Budget | None = None,
        price: Price | None = None,
        limits: CallLimits | None = None,
    ) -> LanguageModel:
        """The same model with other means, where they are given; the account of usage is shared."""
        twin = copy(self)
        twin.limits, twin.limited = limits or self.limits, self.limited or limits is not None
        twin.cache = cache or self.cache
        twin.budget, twin.price = budget or self.budget, price or self.price
        return twin

    @property
    def name(self) -> str:
        """The model's name as its provider spells it, else the class's."""
        for attribute in ("model_name", "model", "model_id"):
            if isinstance(value := getattr(self.model, attribute, None), str) and value:
                return value
        return type(self.model).__name__

    @property
    def identity(self) -> dict[str, str]:
        """For a manifest: name, temperature and seed where it has them, and a digest of all its settings."""
        told = {name: getattr(self.model, name, None) for name in ("temperature", "seed")}
        return {
            "model": self.name,
            **{name: str(value) for name, value in told.items() if value is not None},
            "settings": sha256(self._identity.encode()).hexdigest()[:12],
        }

    @property
    def server(self) -> str | None:
        """Address of the server, if it is not the provider's own."""
        for attribute in ("base_url", "openai_api_base"):
            if value := getattr(self.model, attribute, None):
                return str(value)
        return None

    @property
    def usage(self) -> Usage:
        """Everything used so far."""
        return self._account.usage

    async def complete(
        self,
        messages: Sequence[BaseMessage],
        config: RunnableConfig | None = None,
        *,
        logprobs: bool = False,
        schema: type[BaseModel] | None = None,
        sample: int = 0,
        typical: str = "True",
    ) -> Completion:
        """Asks the model once, or takes what it answered to the same before.

        Args:
            messages: The conversation.
            config: Of the run that asks.
            logprobs: Whether log-probabilities are wanted; they come where the backend gives them.
            schema: Form of the reply, as JSON, where the model's profile says that it can; else it is text.
            sample: Number of this answer among several that are wanted to the same messages.
            typical: A reply of the usual kind and length, for estimates of what calls will cost.

        Raises:
            FatalModelError: Every further call would fail too (wrong key, unknown model).
            BudgetError: The budget is used up.
            ModelCallError: This call failed.
        """
        call = self._call(messages, logprobs, sample, schema)
        if self.cache is None or is_fresh(config):
            return await self._answer(call, config, typical)
        answer, asked = await self.cache.get(call, lambda: self._answer(call, config, typical))
        if not asked:
            self._account.add(Usage(cached_answers=1))
        return answer

    def is_answered(
        self, messages: Sequence[BaseMessage], *, logprobs: bool = False, sample: int = 0
    ) -> bool:
        """Whether the cache holds the answer to this call, so that `complete` would ask nothing."""
        return self.cache is not None and self.cache.find(self._call(messages, logprobs, sample)) is not None

    def _call(
        self,
        messages: Sequence[BaseMessage],
        logprobs: bool,
        sample: int,
        schema: type[BaseModel] | None = None,
    ) -> Call:
        form = schema if self.offers_schema else None
        return Call(self._identity, tuple(messages), {"logprobs": logprobs}, sample, form)

    async def _answer(self, call: Call, config: RunnableConfig | None, typical: str) -> Completion:
        stopped_before = self._fatal
        expected = Usage(1, message_tokens(call.messages), estimate_tokens(typical))
        # A call that waits for another attempt keeps its place, so that a busy server is not asked for more.
        async with self.limits.slot():
            for attempt in count(2):
                answer = await self._tried(call, config, stopped_before, expected, again=attempt > 2)
                if isinstance(answer, Completion):
                    return answer
                wait = self.patience.wait_before(attempt, answer, client_retries=self._client_retries)
                if wait is None:
                    meaning = self._meaning(answer)
                    raise meaning from (None if meaning is answer else answer)
                _log.info("%s asked again in %.1f s: %s", self.name, wait, type(answer).__name__)
                with self.limits.pause() if retry_after(answer) is not None else nullcontext():
                    await self.patience.sleep(wait)
        raise AssertionError("unreachable: attempts end by an answer or an error")

    def _meaning(self, error: Exception) -> FactScoreError:
        keys = tuple(self.model.lc_secrets.values())
        meaning = model_call_error(error, self.name, keys)
        if isinstance(meaning, FatalModelError):
            self._fatal = meaning
            stop(self._account, meaning)
        elif not isinstance(meaning, (BudgetError, FailureBudgetError)):
            count_failures()
        return meaning

    async def _tried(
        self,
        call: Call,
        config: RunnableConfig | None,
        stopped_before: FatalModelError | None,
        expected: Usage,
        *,
        again: bool,
    ) -> Completion | Exception:
        settle = await self.limits.admit(expected.input_tokens + expected.output_tokens, again=again)
        # Calls that were waiting when another met a fatal error are not made; those of later runs try anew.
        if (known := stopped_by(self._account) or given_up()) is not None:
            return known
        if self._fatal is not None and self._fatal is not stopped_before:
            return self._fatal
        with_logprobs = call.options["logprobs"] and self._offers_logprobs
        options = {"logprobs": True, "top_logprobs": 5} if with_logprobs else {}
        try:
            answer = await self._ask(call, config, expected, options)
            if answer.usage.input_tokens:
                settle(answer.usage.input_tokens + answer.usage.output_tokens)
            return answer
        except Exception as error:  # noqa: BLE001  what it means is told in one place, by `_meaning`
            if with_logprobs and rejects_logprobs(error):
                self._offers_logprobs = False
            elif call.schema is not None and self.offers_schema and rejects_schema(error):
                self.offers_schema = False
            else:
                return error
        return await self._tried(call, config, stopped_before, expected, again=True)

    async def _ask(
        self, call: Call, config: RunnableConfig | None, expected: Usage, options: dict[str, Any]
    ) -> Completion:
        model = self.model.model_copy(update={"cache": False}) if is_fresh(config) else self.model
        with self._paid_for(expected) as settle:
            asked = self._sent(model, call, config, options)
            answer = read_message(await asyncio.wait_for(asked, self.patience.longest_call))
            settle(answer.usage)
        self._account.add(answer.usage)
        return answer

    async def _sent(
        self, model: BaseChatModel, call: Call, config: RunnableConfig | None, options: dict[str, Any]
    ) -> AIMessage:
        if call.schema is None or not self.offers_schema:
            return await model.ainvoke(list(call.messages), config, **options)
        formed = model.with_structured_output(call.schema, include_raw=True)
        reply: Any = await formed.ainvoke(list(call.messages), config)
        return cast(AIMessage, reply["raw"])

    @contextmanager
    def _paid_for(self, expected: Usage) -> Iterator[Callable[[Usage], None]]:
        if self.budget is None:
            yield lambda usage: None
            return
        price = self.price
        if price is None:
            raise UsageError(f"The price of {self.name!r} is not known, so no budget can be kept.")
        with self.budget.hold(price.cost(expected)) as settle:
            # A server that does not say what it used is taken to have used what was expected.
            yield lambda usage: settle(price.cost(usage if usage.input_tokens else expected))


def total_cost(spent: Iterable[tuple[LanguageModel, Usage]]) -> float | None:
    """What calls of these models cost in US dollars; None if one that was asked has no price."""
    asked = [(model.price, usage) for model, usage in spent if usage.calls]
    costs = [None if price is None else price.cost(usage) for price, usage in asked]
    return None if None in costs else fsum(cost for cost in costs if cost is not None)


def as_language_model(value: Any) -> LanguageModel:
    """Makes a `LanguageModel` of what a user may give: one, a chat model, or "provider:name".

    Raises:
        UsageError: It is none of these, or the provider's package or key is missing.
    """
    if isinstance(value, LanguageModel):
        return value
    if isinstance(value, BaseChatModel):
        return LanguageModel(value)
    if isinstance(value, str):
        return LanguageModel(init_model(value))
    raise UsageError(
        f"{type(value).__name__} is no model. "
        "Give a LangChain chat model or a name such as 'openai:gpt-4o-mini'."
    )


def init_model(name: str, **options: Any) -> BaseChatModel:
    """Makes a chat model from "provider:name" through LangChain, at temperature 0.

    Raises:
        UsageError: Unknown provider, missing package or missing key.
    """
    from langchain.chat_models import init_chat_model

    settings: dict[str, Any] = {"temperature": 0, **options}
    try:
        model = init_chat_model(name, **settings)
        if _CLIENT_RETRIES in type(model).model_fields and _CLIENT_RETRIES not in options:
            # One policy for all providers, see `Patience`; two, one inside the other, would multiply.
            model = init_chat_model(name, **{**settings, _CLIENT_RETRIES: 0})
    except Exception as error:
        reason = str(error).partition("\n\n")[0]  # a list of all providers follows
        raise UsageError(f"The model {name!r} cannot be set up: {reason}") from error
    if not isinstance(model, BaseChatModel):
        raise UsageError(f"The model {name!r} is not a chat model. Name one as 'provider:name'.")
    return model


AnyModel = Annotated[LanguageModel, BeforeValidator(as_language_model)]
"""Field type of stages that ask a model: accepts whatever `as_language_model` does."""
