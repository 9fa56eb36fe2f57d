"""Bounds on calls to models: how many at once, how many in a minute, and whose turn it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from factscore_chain.aio import run_sync
from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.limits import CallLimits
from factscore_chain.retries import Patience
from tests.pages import make_source
from tests.scripted import ScriptedChatModel, scripted_reply
from tests.test_retries import HTTPError

QUESTION = [HumanMessage("Was Ada Brook born in Leeds?")]


class Clock:
    """A clock that goes on only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def limits(requests: int | None = None, tokens: int | None = None) -> tuple[CallLimits, Clock]:
    clock = Clock()
    made = CallLimits(requests_per_minute=requests, tokens_per_minute=tokens, clock=clock, sleep=clock.sleep)
    return made, clock


async def sent_at(bounds: CallLimits, clock: Clock, calls: int, tokens: int = 0) -> list[float]:
    """When each of some calls may be sent, in the order in which they asked."""

    async def one() -> float:
        await bounds.admit(tokens)
        return clock.now

    return list(await asyncio.gather(*(one() for _ in range(calls))))


async def test_no_minute_has_more_requests_than_allowed() -> None:
    times = await sent_at(*limits(requests=3), calls=10)
    assert times == [0, 0, 0, 60, 60, 60, 120, 120, 120, 180]


async def test_no_minute_has_more_tokens_than_allowed() -> None:
    times = await sent_at(*limits(tokens=1000), calls=5, tokens=400)
    assert times == [0, 0, 60, 60, 120]


async def test_a_call_larger_than_a_minute_allows_goes_alone() -> None:
    bounds, clock = limits(tokens=100)
    await bounds.admit(60)
    await bounds.admit(500)
    await bounds.admit(60)
    assert clock.now == 120


@pytest.mark.parametrize(("used", "then"), [(100, 0), (400, 60), (900, 60)])
async def test_what_a_call_really_took_takes_the_place_of_the_estimate(used: int, then: float) -> None:
    bounds, clock = limits(tokens=1000)
    settle = await bounds.admit(800)
    settle(used)
    await bounds.admit(700)
    assert clock.now == then


async def test_calls_that_wait_go_in_the_order_in_which_they_came() -> None:
    bounds, _ = limits(tokens=100)
    order: list[int] = []

    async def one(number: int, tokens: int) -> None:
        await bounds.admit(tokens)
        order.append(number)

    await asyncio.gather(*(one(number, tokens) for number, tokens in enumerate([90, 90, 1, 1, 90])))
    assert order == [0, 1, 2, 3, 4]


async def test_a_model_says_what_it_took() -> None:
    bounds, clock = limits(tokens=2000)
    reply = scripted_reply("True", input_tokens=1500, output_tokens=100)
    model = LanguageModel(ScriptedChatModel(script=lambda _: reply), limits=bounds)
    await model.complete(QUESTION)
    await model.complete(QUESTION)
    assert clock.now == 0
    await model.complete(QUESTION)
    assert clock.now == 60


async def test_a_further_attempt_counts_as_a_request() -> None:
    bounds, clock = limits(requests=2)
    script = [HTTPError(503), HTTPError(503), "True"]
    model = LanguageModel(
        ScriptedChatModel(script=script, max_retries=0), limits=bounds, patience=Patience(sleep=clock.sleep)
    )
    await model.complete(QUESTION)
    assert clock.now >= 60


async def test_no_call_begins_while_a_server_asks_to_be_left_alone() -> None:
    waiting, over = asyncio.Event(), asyncio.Event()

    async def sleep(_: float) -> None:
        waiting.set()
        await over.wait()

    chat = ScriptedChatModel(script=[HTTPError(429, {"retry-after": "7"}), "True", "True"], max_retries=0)
    model = LanguageModel(chat, patience=Patience(sleep=sleep))
    first = asyncio.create_task(model.complete(QUESTION))
    await waiting.wait()
    second = asyncio.create_task(model.complete([HumanMessage("Another?")]))
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(chat.prompts) == 1
    over.set()
    await asyncio.gather(first, second)
    assert len(chat.prompts) == 3


class Nesting(ScriptedChatModel):
    """Asks another model, through the same limits, before it answers."""

    inner: Callable[[], Awaitable[object]]

    async def _agenerate(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        await self.inner()
        return await super()._agenerate(*args, **kwargs)  # type: ignore[arg-type]


async def test_a_call_from_inside_a_call_waits_for_nobody() -> None:
    one = CallLimits(1)
    inner = LanguageModel(ScriptedChatModel(script=lambda _: "True"), limits=one)
    outer = LanguageModel(
        Nesting(script=lambda _: "True", inner=lambda: inner.complete(QUESTION)), limits=one
    )
    answers = await asyncio.gather(*(outer.complete(QUESTION) for _ in range(3)))
    assert [answer.text for answer in answers] == ["True"] * 3


async def test_synchronous_code_is_not_held_up_by_calls_of_the_loop_that_it_stops() -> None:
    chat = ScriptedChatModel(script=lambda _: "True", delay=0.01)
    model = LanguageModel(chat, concurrency=1)
    waiting = [asyncio.create_task(model.complete(QUESTION)) for _ in range(2)]
    await asyncio.sleep(0)
    assert run_sync(model.complete(QUESTION)).text == "True"
    await asyncio.gather(*waiting)


def test_one_bound_holds_for_threads_with_loops_of_their_own() -> None:
    chat = ScriptedChatModel(script=lambda _: "True", delay=0.01)
    model = LanguageModel(chat, concurrency=2)
    gate = threading.Barrier(4)

    def work(_: int) -> None:
        gate.wait(30)
        asyncio.run(_several(model, 3))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert (len(chat.prompts), chat.most_in_flight) == (12, 2)


async def _several(model: LanguageModel, calls: int) -> None:
    await asyncio.gather(*(model.complete(QUESTION) for _ in range(calls)))


async def test_who_is_cancelled_while_waiting_leaves_its_place_to_others() -> None:
    model = LanguageModel(ScriptedChatModel(script=lambda _: "True", delay=0.01), concurrency=1)
    tasks = [asyncio.create_task(model.complete(QUESTION)) for _ in range(4)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(one, asyncio.CancelledError) for one in done] == [False, True, False, False]
    assert (await model.complete(QUESTION)).text == "True"


@pytest.mark.parametrize("name", ["requests_per_minute", "tokens_per_minute"])
def test_a_rate_that_allows_no_call_is_refused(name: str) -> None:
    bounds: dict[str, Any] = {name: 0}
    with pytest.raises(UsageError, match=f"{name} is 0"):
        LanguageModel(ScriptedChatModel(script=[]), **bounds)


@pytest.mark.parametrize("estimator", ["retrieval+llm", "self-check"])
def test_all_models_of_a_chain_share_one_bound(tmp_path: Path, estimator: str) -> None:
    chat = ScriptedChatModel(script=lambda _: "- Ada Lovelace wrote notes.", delay=0.001)
    one = CallLimits(3)
    chain = FactScoreChain(make_source(tmp_path), llm=chat, estimator=estimator, limits=one)
    assert {model.limits for model in chain.models} == {one}


def test_models_without_limits_of_their_own_share_those_of_the_first(tmp_path: Path) -> None:
    from factscore_chain.decompose.llm import LLMDecomposer
    from factscore_chain.verify.llm import LLMVerifier

    first, second = (ScriptedChatModel(script=lambda _: "True") for _ in range(2))
    own = LanguageModel(second, concurrency=2)
    source = make_source(tmp_path)
    shared = FactScoreChain(source, decomposer=LLMDecomposer(model=first), verifier=LLMVerifier(model=second))
    apart = FactScoreChain(source, decomposer=LLMDecomposer(model=first), verifier=LLMVerifier(model=own))
    assert len({model.limits for model in shared.models}) == 1
    assert [model.limits.concurrency for model in apart.models] == [16, 2]
