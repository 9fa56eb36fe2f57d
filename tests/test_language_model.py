"""Every call to a chat model: bounded, counted, and with its errors told apart."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from factscore_chain.errors import FatalModelError, ModelCallError, UsageError
from factscore_chain.language_model import (
    Completion,
    FinishReason,
    LanguageModel,
    Usage,
    as_language_model,
)
from factscore_chain.token_choices import TokenChoice
from tests.scripted import ScriptedChatModel, ScriptedLogprobModel, scripted_reply

QUESTION = [HumanMessage("Is it so?")]


class ServerError(Exception):
    def __init__(
        self, status_code: int | None, message: str = "secret-key-123", code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.code = code


class ResponseError(Exception):
    """The way of clients that keep the status in the response."""

    def __init__(self, status_code: int) -> None:
        super().__init__()
        self.response = ServerError(status_code)


async def test_a_reply_comes_with_text_and_reason() -> None:
    model = LanguageModel(ScriptedChatModel(script=["Yes."]))
    assert await model.complete(QUESTION) == Completion("Yes.")


async def test_no_more_calls_are_in_flight_than_allowed() -> None:
    chat = ScriptedChatModel(script=lambda _: "Yes.", delay=0.01)
    model = LanguageModel(chat, concurrency=2)
    await asyncio.gather(*(model.complete(QUESTION) for _ in range(7)))
    assert (chat.most_in_flight, len(chat.prompts)) == (2, 7)


@pytest.mark.parametrize("concurrency", [0, -1])
def test_a_bound_that_allows_no_call_is_refused(concurrency: int) -> None:
    with pytest.raises(UsageError, match=f"concurrency is {concurrency}"):
        LanguageModel(ScriptedChatModel(script=[]), concurrency=concurrency)


async def test_tokens_of_all_calls_add_up() -> None:
    reply = scripted_reply("True", input_tokens=100, output_tokens=20)
    model = LanguageModel(ScriptedChatModel(script=[reply] * 7))
    for _ in range(7):
        await model.complete(QUESTION)
    assert model.usage == Usage(7, 700, 140)


async def test_usage_adds_up_and_failed_calls_are_not_in_it() -> None:
    script = [scripted_reply("a", input_tokens=5, output_tokens=1), AIMessage("no usage"), ServerError(500)]
    model = LanguageModel(ScriptedChatModel(script=script))
    await model.complete(QUESTION)
    before = model.usage
    await model.complete(QUESTION)
    with pytest.raises(ModelCallError):
        await model.complete(QUESTION)
    assert model.usage == Usage(2, 5, 1)
    assert model.usage - before == Usage(1)


async def test_log_probabilities_are_read_where_the_model_offers_them() -> None:
    reply = scripted_reply("True", tokens=[{"True": -0.1, "False": -2.5}])
    chat = ScriptedLogprobModel(script=[reply])
    completion = await LanguageModel(chat).complete(QUESTION, logprobs=True)
    assert completion.tokens == (TokenChoice("True", (("True", -0.1), ("False", -2.5))),)
    assert chat.options == [{"logprobs": True, "top_logprobs": 5}]


async def test_a_model_without_log_probabilities_is_not_asked_for_them() -> None:
    chat = ScriptedChatModel(script=["True"])
    completion = await LanguageModel(chat).complete(QUESTION, logprobs=True)
    assert (completion.tokens, chat.options) == (None, [{}])


async def test_a_server_that_rejects_log_probabilities_is_asked_without_and_not_again() -> None:
    chat = ScriptedLogprobModel(script=[ServerError(400, "logprobs are not supported"), "True", "False"])
    model = LanguageModel(chat)
    assert (await model.complete(QUESTION, logprobs=True)).text == "True"
    assert (await model.complete(QUESTION, logprobs=True)).text == "False"
    assert chat.options[1:] == [{}, {}]


@pytest.mark.parametrize(
    "error",
    [
        *map(ServerError, (401, 402, 403, 404)),
        ResponseError(401),
        ServerError(429, code="insufficient_quota"),
    ],
)
async def test_an_error_that_will_not_pass_is_fatal(error: Exception) -> None:
    with pytest.raises(FatalModelError, match="'ScriptedChatModel' cannot be used"):
        await LanguageModel(ScriptedChatModel(script=[error])).complete(QUESTION)


@pytest.mark.parametrize("error", [ServerError(429), ServerError(500), TimeoutError(), ServerError(400)])
async def test_any_other_error_costs_one_call_only(error: Exception) -> None:
    model = LanguageModel(ScriptedChatModel(script=[error, "Yes."]))
    with pytest.raises(ModelCallError) as raised:
        await model.complete(QUESTION)
    assert not isinstance(raised.value, FatalModelError)
    assert (await model.complete(QUESTION)).text == "Yes."


async def test_no_error_message_repeats_what_the_server_said() -> None:
    for status in (401, 500):
        with pytest.raises(ModelCallError) as raised:
            await LanguageModel(ScriptedChatModel(script=[ServerError(status)])).complete(QUESTION)
        assert "secret-key-123" not in str(raised.value)


async def test_a_fatal_error_stops_the_calls_that_wait_and_later_ones_try_anew() -> None:
    chat = ScriptedChatModel(script=[ServerError(401), "Yes."])
    model = LanguageModel(chat, concurrency=1)
    outcomes = await asyncio.gather(*(model.complete(QUESTION) for _ in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [FatalModelError] * 5
    assert len(chat.prompts) == 1
    assert (await model.complete(QUESTION)).text == "Yes."


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"finish_reason": "stop"}, "stop"),
        ({"finish_reason": "length"}, "length"),
        ({"stop_reason": "max_tokens"}, "length"),
        ({"finish_reason": "MAX_TOKENS"}, "length"),
        ({"done_reason": "length"}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"finish_reason": "content_filter"}, "filtered"),
        ({"stop_reason": "refusal"}, "filtered"),
        ({"finish_reason": "SAFETY"}, "filtered"),
        ({"finish_reason": None}, "stop"),
        ({}, "stop"),
    ],
)
async def test_every_providers_reason_to_stop_is_understood(
    metadata: dict[str, Any], reason: FinishReason
) -> None:
    reply = AIMessage("Yes.", response_metadata=metadata)
    assert await LanguageModel(ScriptedChatModel(script=[reply])).complete(QUESTION) == Completion(
        "Yes.", reason
    )


@pytest.mark.parametrize(
    "reply",
    [
        AIMessage("", additional_kwargs={"refusal": "I won't."}),
        AIMessage([{"type": "refusal", "refusal": "I won't."}]),
    ],
)
async def test_a_refusal_beside_the_content_is_one(reply: AIMessage) -> None:
    completion = await LanguageModel(ScriptedChatModel(script=[reply])).complete(QUESTION)
    assert completion == Completion("I won't.", "filtered")


def test_a_models_name_is_its_providers() -> None:
    class Named(ScriptedChatModel):
        model_name: str = "small-1"

    assert LanguageModel(Named(script=[])).name == "small-1"
    assert LanguageModel(ScriptedChatModel(script=[])).name == "ScriptedChatModel"


def test_what_shapes_the_answers_stands_in_the_identity() -> None:
    class Warm(ScriptedChatModel):
        temperature: float = 0.0
        seed: int | None = None

    plain = Warm(script=[], number=1)
    told = [
        LanguageModel(plain.model_copy(update=change)).identity
        for change in ({}, {"temperature": 0.7}, {"seed": 3})
    ]
    assert [(one["temperature"], one.get("seed")) for one in told] == [
        ("0.0", None),
        ("0.7", None),
        ("0.0", "3"),
    ]
    assert len({one["settings"] for one in told}) == 3


def test_a_language_model_is_taken_as_it_is_and_a_chat_model_is_wrapped() -> None:
    chat = ScriptedChatModel(script=[])
    model = as_language_model(chat)
    assert model.model is chat
    assert as_language_model(model) is model


@pytest.mark.parametrize(
    ("value", "message"), [(3, "int is no model"), ("nobody:x", "'nobody:x' cannot be set up")]
)
def test_what_is_no_model_is_refused(value: object, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        as_language_model(value)
    assert len(str(raised.value).splitlines()) == 1
