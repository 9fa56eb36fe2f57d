"""`factscore serve` as a process of its own, as a supervisor runs it."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from factscore_chain.cli.main import main
from tests import serving


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


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "70000"], "There is no port 70000"),
        (["--concurrency", "0"], "limit 'concurrency' is 0"),
        (["--token-file", "nowhere.txt"], "nowhere.txt"),
        ([], "Give `knowledge`"),
    ],
)
def test_wrong_use_is_told_before_anything_is_served(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 2
    assert says in capsys.readouterr().err
