"""The real OpenAI client against a server that answers, refuses, stalls and breaks off."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from factscore_chain import FactScoreChain
from factscore_chain.errors import FatalModelError
from factscore_chain.language_model import LanguageModel
from factscore_chain.report import GenerationReport
from factscore_chain.retries import Patience
from factscore_chain.values import AtomicFact, Claim, Decision, Generation, Passage, Verdict
from factscore_chain.verify.llm import LLMVerifier
from tests.openai_server import KEY, Answer, OpenAIServer, Raw, Reset, Script, Status

PASSAGE = Passage("p", "Ada Brook was born in Leeds.", "Ada Brook")
CLAIM = Claim(AtomicFact("Ada Brook was born in Leeds."), (PASSAGE,), "Ada Brook")
Serve = Callable[..., OpenAIServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers that end with the test."""
    with ExitStack() as stack:
        yield lambda script, **options: stack.enter_context(OpenAIServer(script, **options))


def chat(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    settings = {"max_retries": 0, "timeout": 5, **options}
    return ChatOpenAI(model="m", base_url=server.url, api_key=SecretStr(KEY), temperature=0, **settings)


def model(server: OpenAIServer, patience: Patience | None = None, **options: Any) -> LanguageModel:
    return LanguageModel(chat(server, **options), patience=patience or Patience(first_wait=0.01, attempts=3))


def decide(server: OpenAIServer, **options: Any) -> Decision:
    return LLMVerifier(model=model(server, **options)).invoke(CLAIM)


def test_text_log_probabilities_and_usage_arrive(serve: Serve) -> None:
    server = serve([Answer("True [1]", logprobs=[{"True": -0.1, "False": -2.4}, {" [1]": -0.2}])])
    judge = model(server)
    decision = LLMVerifier(model=judge).invoke(CLAIM)
    assert (decision.verdict, decision.evidence) == (Verdict.SUPPORTED, ("p",))
    assert decision.probability == pytest.approx(0.909, abs=0.001)
    assert (server.requests[0].path, server.requests[0].body["top_logprobs"]) == ("/v1/chat/completions", 5)
    used = (judge.usage.calls, judge.usage.input_tokens, judge.usage.output_tokens)
    assert used == (1, server.prompt_tokens, server.completion_tokens)


def test_a_streaming_client_says_the_same(serve: Serve) -> None:
    decision = decide(serve([Answer("False. He was not.")]), streaming=True)
    assert (decision.verdict, decision.raw) == (Verdict.NOT_SUPPORTED, "False. He was not.")


@pytest.mark.parametrize(
    ("answer", "verdict", "cause"),
    [
        (Answer("", refusal="I cannot judge that."), Verdict.UNDECIDED, "refused"),
        (Answer("True", finish_reason="content_filter"), Verdict.UNDECIDED, "refused"),
        (Answer("The statement is true in so far", finish_reason="length"), Verdict.UNDECIDED, "truncated"),
        (Answer("<think>It is true", finish_reason="length"), Verdict.UNDECIDED, "truncated"),
        (Answer("TRUE. FALSE."), Verdict.UNDECIDED, "conflicting"),
        (Answer("Let me think about it. " * 200_000), Verdict.UNDECIDED, "unreadable"),
        (Answer("False. " + "He was not. " * 400_000), Verdict.NOT_SUPPORTED, None),
        (Answer("True [2]"), Verdict.UNDECIDED, "unknown passage"),
        (Answer("True", choices=3), Verdict.SUPPORTED, None),
        (Answer("True", usage=False), Verdict.SUPPORTED, None),
        (Answer("True", drip=0.001), Verdict.SUPPORTED, None),
        (Answer("True", logprobs=[{"Yes": -0.1}]), Verdict.SUPPORTED, None),
    ],
)
def test_what_a_server_answers_is_read_for_what_it_is(
    serve: Serve, answer: Answer, verdict: Verdict, cause: str | None
) -> None:
    decision = decide(serve([answer]))
    assert decision.verdict is verdict
    assert (decision.cause or "").split(":")[0] == (cause or "")


def moment() -> str:
    return format_datetime(datetime.now(timezone.utc), usegmt=True)


PASSING = [
    *(Status(code) for code in (408, 409, 429, 500, 502, 503)),
    *(Answer("True", cut=True), Answer("True", wait=30), Reset()),
]
SENSELESS = [
    Raw("<html><body>Gateway</body></html>", "text/html"),
    *(Raw(""), Raw("{"), Raw("[]"), Raw("null"), Raw('"True"'), Raw("{}"), Raw('{"choices": null}')),
    *(Raw('{"choices": [{}]}'), Raw('{"choices": [{"message": null}]}'), Answer("True", choices=0)),
    Raw('{"error": {"message": "busy"}}'),
]


@pytest.mark.parametrize("trouble", [*PASSING, *SENSELESS], ids=str)
def test_after_passing_trouble_the_fact_gets_its_verdict(serve: Serve, trouble: Any) -> None:
    server = serve([trouble, "True"])
    is_late = isinstance(trouble, Answer) and trouble.wait > 0
    assert decide(server, timeout=2 if is_late else 60).verdict is Verdict.SUPPORTED
    assert server.calls == 2


@pytest.mark.parametrize("header", ["0", "0.01", moment()], ids=["at once", "seconds", "date"])
def test_a_server_that_names_a_wait_is_asked_after_it(serve: Serve, header: str) -> None:
    server = serve([Status(429, headers={"Retry-After": header})] * 2 + ["True"])
    assert decide(server).verdict is Verdict.SUPPORTED
    assert server.calls == 3


@pytest.mark.parametrize("trouble", SENSELESS, ids=str)
def test_a_server_that_never_makes_sense_costs_two_calls_a_fact(serve: Serve, trouble: Any) -> None:
    server = serve([trouble])
    decision = decide(server)
    assert (decision.verdict, server.calls) == (Verdict.FAILED, 2)
    assert "no usable answer" in (decision.cause or "")
    assert "html" not in (decision.cause or "").lower()


@pytest.mark.parametrize("trouble", [Status(500), Status(429), Answer("True", cut=True)], ids=str)
def test_the_clients_own_attempts_are_not_multiplied(serve: Serve, trouble: Any) -> None:
    server = serve([trouble])
    assert decide(server, max_retries=1).verdict is Verdict.FAILED
    assert server.calls == 2


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (Status(400, "too long", "context_length_exceeded"), "the prompt is longer than the model's context"),
        (Status(400, "no"), "HTTP 400"),
        (Status(413), "the request is too long"),
        (Status(422), "HTTP 422"),
    ],
)
def test_a_request_that_is_wrong_is_made_once(serve: Serve, status: Status, said: str) -> None:
    server = serve([status])
    decision = decide(server)
    assert (decision.verdict, server.calls) == (Verdict.FAILED, 1)
    assert said in (decision.cause or "")


# What was connected in a loop that ended cannot be closed by the client, only left.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_client_outlives_the_event_loop_of_its_first_calls(serve: Serve) -> None:
    judge = LLMVerifier(model=model(serve(["True"])))
    verdicts = [asyncio.run(judge.ainvoke(CLAIM)).verdict for _ in range(4)]
    gc.collect()
    assert verdicts == [Verdict.SUPPORTED] * 4


def test_a_server_without_log_probabilities_is_asked_without_them(serve: Serve) -> None:
    server = serve([Status(400, "logprobs are not supported"), "True", "False"])
    judge = LLMVerifier(model=model(server))
    assert [one.verdict for one in (judge.invoke(CLAIM), judge.invoke(CLAIM))] == [
        Verdict.SUPPORTED, Verdict.NOT_SUPPORTED
    ]  # fmt: skip
    assert ["logprobs" in request.body for request in server.requests] == [True, False, False]


def test_bytes_that_trickle_in_for_ever_are_ended(serve: Serve) -> None:
    patience = Patience(longest_call=0.2, attempts=1)
    decision = decide(serve([Answer("True", drip=0.1)]), patience=patience)
    assert (decision.verdict, "it took too long" in (decision.cause or "")) == (Verdict.FAILED, True)


FACTS = ("Alan Turing was born in London.", "He studied at Princeton.", "He lived in Wilmslow.")


def scored(server: OpenAIServer, repository: Path, *facts: str, **options: Any) -> GenerationReport:
    chain = FactScoreChain(repository / "examples/knowledge.jsonl", llm=model(server, **options))
    report = chain.score_many([Generation(" ".join(facts), "Alan Turing", facts=facts)])
    return report.generations[0]


def by_fact(replies: dict[str, Any]) -> Script:
    return lambda asked: next(reply for fact, reply in replies.items() if fact in asked)


@pytest.mark.parametrize(
    "trouble",
    [Status(500), Status(400), Status(429, headers={"Retry-After": "3600"}), *SENSELESS[:2],
     Answer("True", cut=True), Answer("True", wait=30)],
    ids=str,
)  # fmt: skip
def test_one_fact_that_fails_leaves_the_others_their_verdicts(
    serve: Serve, repository: Path, trouble: Any
) -> None:
    server = serve(by_fact({FACTS[0]: "True", FACTS[1]: trouble, FACTS[2]: "False"}))
    report = scored(server, repository, *FACTS, timeout=0.5)
    verdicts = [fact.verdict for fact in report.facts]
    assert verdicts == [Verdict.SUPPORTED, Verdict.FAILED, Verdict.NOT_SUPPORTED]
    assert report.facts[1].cause


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_wrong_key_ends_the_run_at_once_and_names_its_setting_but_not_itself(
    serve: Serve, repository: Path, concurrency: int
) -> None:
    server = serve(["True"])
    wrong = LanguageModel(
        ChatOpenAI(model="m", base_url=server.url, api_key=SecretStr("sk-wrong-4711")),
        concurrency=concurrency,
    )
    chain = FactScoreChain(repository / "examples/knowledge.jsonl", llm=wrong)
    with pytest.raises(FatalModelError, match="OPENAI_API_KEY") as raised:
        chain.score_many([Generation(" ".join(FACTS), "Alan Turing", facts=FACTS)] * 3)
    assert "4711" not in str(raised.value)
    # Only what was in flight already when the first refusal came.
    assert server.calls <= concurrency


def test_an_unknown_model_is_fatal_too(serve: Serve) -> None:
    server = serve([Status(404, "no such model", "model_not_found")])
    with pytest.raises(FatalModelError, match="Check the model's name"):
        decide(server)
    assert server.calls == 1


def test_a_used_up_quota_is_not_waited_for(serve: Serve) -> None:
    server = serve([Status(429, "quota", "insufficient_quota")])
    with pytest.raises(FatalModelError, match="quota"):
        decide(server)
    assert server.calls == 1


def test_a_quota_used_up_midway_keeps_what_was_scored(serve: Serve, repository: Path) -> None:
    server = serve(["True", "False", Status(429, "quota", "insufficient_quota")])
    chain = FactScoreChain(
        repository / "examples/knowledge.jsonl", llm=LanguageModel(chat(server), concurrency=1)
    )
    rows = [Generation(fact, "Alan Turing", facts=(fact,)) for fact in FACTS * 3]
    report = chain.score_many(rows)
    assert (report.counts.scored, report.counts.unscored, server.calls) == (2, 7, 3)
    assert "quota" in (report.generations[-1].error or "")


def test_a_server_that_is_not_there_ends_the_run_and_is_told_so() -> None:
    with OpenAIServer(["True"]) as server:
        judge = model(server, Patience(first_wait=0.01))
    with pytest.raises(FatalModelError, match="cannot be reached"):
        LLMVerifier(model=judge).invoke(CLAIM)


def test_what_was_scored_before_the_server_refused_is_kept(repository: Path, serve: Serve) -> None:
    first_is_done = threading.Event()

    def reply(asked: str) -> Any:
        if FACTS[0] in asked:
            return "True"
        first_is_done.wait(10)
        return Status(403)

    chain = FactScoreChain(repository / "examples/knowledge.jsonl", llm=model(serve(reply)))
    generations = [Generation(fact, "Alan Turing", facts=(fact,)) for fact in FACTS[:2]]
    report = chain.score_many(generations, on_result=lambda index, done: first_is_done.set())
    first, second = report.generations
    assert (first.status, first.facts[0].verdict) == ("scored", Verdict.SUPPORTED)
    assert (second.status, "access was denied" in (second.error or "")) == ("failed", True)


async def test_calls_in_flight_stay_within_their_bound(serve: Serve) -> None:
    server = serve(["True"], seconds_per_token=0.002)
    judge = LanguageModel(chat(server), concurrency=3)
    await asyncio.gather(*(judge.complete([HumanMessage(f"Is it {i}?")]) for i in range(9)))
    assert (server.calls, server.most_in_flight <= 3) == (9, True)
