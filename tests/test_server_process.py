"""`factscore serve` as a process of its own, as a supervisor runs it."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from threading import Event
from typing import Any, get_args

import httpx
import pytest
from openai import OpenAI

from factscore_chain.cli import serve
from factscore_chain.cli.main import main
from factscore_chain.guard.policy import GuardPolicy, OnEmpty, OnError, OnFail, Otherwise
from tests import serving
from tests.examples import load_example
from tests.openai_server import KEY, Answer, OpenAIServer

TRUE = "Nintendo was founded in Kyoto in 1889."
FALSE = "Nintendo was founded in Kyoto in 1905."
ASKED: dict[str, Any] = {
    "json": {"model": "m", "messages": [{"role": "user", "content": "When?"}]},
    "headers": {"Authorization": f"Bearer {KEY}"},
}


def test_the_command_serves_until_it_is_told_to_stop(repository: Path, tmp_path: Path) -> None:
    source = str(repository / "examples" / "knowledge.jsonl")
    secret = {"FACTSCORE_TOKEN": "right-token"}
    with serving.process("--knowledge", source, log=tmp_path / "log", variables=secret) as server:
        answer = httpx.post(
            f"{server.url}/edit",
            json={"text": "Nintendo was founded in Kyoto in 1905.", "topic": "Kyoto"},
            headers={"Authorization": "Bearer right-token"},
            timeout=60,
        )
        assert answer.json()["generations"][0]["text"] == "Nintendo was founded in Kyoto in 1889."
        server.ask_to_stop()
        assert server.exit_code() == 0
        assert "POST /edit 200" in server.said
        assert "Nintendo" not in server.said
        assert "right-token" not in server.said


def test_a_second_interrupt_gives_up_what_is_in_work_without_a_trace(tmp_path: Path) -> None:
    begun = Event()

    def never(_: str) -> Answer:
        begun.set()
        return Answer(TRUE, wait=60)

    with (
        OpenAIServer(never) as upstream,
        serving.process("--upstream", upstream.url, log=tmp_path / "log") as server,
        ThreadPoolExecutor() as pool,
    ):
        held = pool.submit(httpx.post, f"{server.url}/v1/chat/completions", **ASKED, timeout=60)
        assert begun.wait(60)
        server.interrupt()
        server.wait_until_it_says("Finishing 1 request, for up to 30 s. Press Ctrl-C again")
        server.interrupt()
        assert held.result().json()["error"]["code"] == "shutting_down"
        assert server.exit_code() == 0
        assert "Traceback" not in server.said


def test_the_example_gets_checked_answers_by_its_base_url_alone(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    source = str(repository / "examples" / "knowledge.jsonl")
    with OpenAIServer([FALSE, f"{TRUE} Kyoto was the home of Japan's emperors until 1868."]) as upstream:
        arguments = ("--knowledge", source, "--upstream", upstream.url, "--on-fail", "correct")
        with serving.process(*arguments, log=tmp_path / "log") as server:
            whole, streamed = load_example("openai_proxy").main(f"{server.url}/v1", "test-model")
    assert (whole, streamed) == (TRUE, f"{TRUE} Kyoto was the home of Japan's emperors until 1868.")
    assert "the model had claimed: Nintendo was founded in 1905." in capsys.readouterr().out


def test_without_a_source_the_evidence_comes_with_each_request(tmp_path: Path) -> None:
    tool = {"role": "tool", "tool_call_id": "a", "content": "Nintendo was founded in Kyoto in 1889."}
    with (
        OpenAIServer([TRUE]) as upstream,
        serving.process("--upstream", upstream.url, log=tmp_path / "log") as server,
        OpenAI(base_url=f"{server.url}/v1", api_key=KEY) as asking,
    ):
        passed = [
            asking.chat.completions.create(model="m", messages=messages).choices[0].model_extra  # type: ignore[arg-type]
            for messages in ([tool], [{"role": "user", "content": "When?"}])
        ]
    assert [one and one["factscore"]["passed"] for one in passed] == [True, False]


def test_the_command_offers_what_the_policy_has() -> None:
    offered = (serve.ON_FAIL, serve.OTHERWISE, serve.ON_EMPTY, serve.ON_ERROR)
    assert offered == tuple(map(get_args, (OnFail, Otherwise, OnEmpty, OnError)))
    assert {one.name for one in fields(GuardPolicy)} == {*serve._POLICY, "timeout"}


def test_without_its_extra_it_says_what_to_install_and_nothing_else() -> None:
    without = (
        "import sys; sys.modules['starlette'] = None; from factscore_chain.cli.main import main; "
        "sys.exit(main(['serve', '--knowledge', 'examples/knowledge.jsonl']))"
    )
    ended = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "factscore: The HTTP server needs an optional dependency. Run: pip install 'factscore-chain[server]'"
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "70000"], "There is no port 70000"),
        (["--concurrency", "0"], "limit 'concurrency' is 0"),
        (["--token-file", "nowhere.txt"], "nowhere.txt"),
        ([], "Give --knowledge"),
        (["--on-fail", "correct"], "--on-fail is about the answers of an upstream"),
        (["--threshold", "80"], "Give --upstream"),
        (["--evidence", "system"], "--evidence is about"),
        (["--upstream", "api.openai.com"], "give a base URL"),
        (["--upstream", "http://x/v1", "--threshold", "2"], "threshold is 2.0"),
    ],
)
def test_wrong_use_is_told_before_anything_is_served(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 2
    assert says in capsys.readouterr().err
