"""The modules `factscorer` and `download_data` as commands, called as scripts call the original's."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from factscore_chain import download_data
from factscore_chain.cli import factscorer as command
from tests.pages import write_rows
from tests.published import make_data_dir, make_original_db, reply_of
from tests.scripted import ScriptedChatModel

LINES = [
    "FActScore = 50.0%",
    "FActScore w/o length penalty = 50.0%",
    "Respond ratio = 100.0%",
    "# Atomic facts per valid response = 1.0",
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data_dir(tmp_path / "data")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(
        tmp_path / "people.jsonl",
        [
            {"topic": "Ada Lovelace", "output": "She was in London.", "input": "ignored"},
            {"topic": "Charles Babbage", "output": "He was at sea."},
        ],
    )


@pytest.fixture
def run(data: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command in this process on a scripted model, by the published protocol."""
    monkeypatch.setattr(command, "_llm", lambda options: ScriptedChatModel(script=reply_of))

    def call(*arguments: object) -> int:
        folders = [part for name in ("data", "model", "cache") for part in (f"--{name}_dir", str(data))]
        ours = ["--protocol", "original", "--retrieval_type", "bm25"]
        return command.main([*folders, *ours, *map(str, arguments)])

    return call


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [record.message for record in caplog.records if record.levelno == logging.CRITICAL]
    return [message for message in found if not message.startswith("Estimated")]


def test_four_lines_are_logged_and_the_results_written(
    run: Any, rows: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = rows.read_text()
    assert run("--input_path", rows, "--gamma", "1") == 0
    assert logged(caplog) == LINES
    out = json.loads((rows.parent / "people_factscore_output.json").read_text())
    assert out["score"] == 0.5
    assert out["decisions"][0] == [{"atom": "She was in London.", "is_supported": True}]
    assert rows.read_text() == before


def test_prefixes_of_flags_work_as_argparse_has_them(run: Any, rows: Path) -> None:
    arguments = [
        "--input",
        rows,
        "--model_n",
        "retrieval+ChatGPT",
        "--abstain_detection",
        "generic",
        "--n",
        "1",
    ]
    assert run(*arguments, "--cost", "ignore_cache", "--verb") == 0
    out = json.loads((rows.parent / "people_factscore_output.json").read_text())
    assert len(out["decisions"]) == 1


ORIGINAL_FLAGS = (
    *("input_path", "model_name", "gamma", "openai_key", "data_dir", "model_dir", "cache_dir"),
    *("knowledge_source", "cost_estimate", "abstain_detection_type", "use_atomic_facts", "verbose"),
    *("print_rate_limit_error", "n_samples"),
)
SWITCHES = ("use_atomic_facts", "verbose", "print_rate_limit_error")
VALUES = {
    "gamma": "3",
    "n_samples": "3",
    "cost_estimate": "ignore_cache",
    "abstain_detection_type": "generic",
}


@pytest.mark.parametrize("flag", ORIGINAL_FLAGS)
def test_every_prefix_that_the_original_took_still_means_the_same(flag: str) -> None:
    for length in range(1, len(flag) + 1):
        if sum(other.startswith(flag[:length]) for other in ORIGINAL_FLAGS) == 1:
            value = [] if flag in SWITCHES else [VALUES.get(flag, "some/path")]
            options = command._parser().parse_args([f"--{flag[:length]}", *value])
            assert str(getattr(options, flag)) == (value or ["True"])[0]


@pytest.mark.parametrize("name", ["people.json", "people", "people.jsonl.txt"])
def test_the_input_is_never_overwritten(name: str, run: Any, rows: Path) -> None:
    other = rows.rename(rows.with_name(name))
    before = other.read_text()
    assert run("--input_path", other) == 0
    assert other.read_text() == before
    assert (rows.parent / f"{name}_factscore_output.json").exists()


def test_no_penalty_logs_three_lines(run: Any, rows: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert run("--input_path", rows, "--gamma", "0") == 0
    assert logged(caplog) == [LINES[0], *LINES[2:]]


def test_model_facts_of_a_labelled_file_are_taken_and_abstentions_counted(
    run: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    facts = [{"text": " In London. "}, {"text": "At sea."}]
    annotations = [{"text": "x", "model-atomic-facts": facts}, {"text": "y", "model-atomic-facts": []}]
    rows = [
        {"topic": "Ada Lovelace", "output": "x", "annotations": annotations},
        {"topic": "Nobody", "output": "I'm sorry.", "annotations": None},
    ]
    assert run("--input_path", write_rows(tmp_path / "a.jsonl", rows), "--use_atomic_facts") == 0
    assert "Respond ratio = 50.0%" in logged(caplog)
    out = json.loads((tmp_path / "a_factscore_output.json").read_text())
    assert [one["atom"] for one in out["decisions"][0]] == ["In London.", "At sea."]
    assert out["decisions"][1] is None


def test_the_full_report_is_written_on_request(run: Any, rows: Path, tmp_path: Path) -> None:
    assert run("--input_path", rows, "--report", tmp_path / "report.json") == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["manifest"]["retriever"]["ranker"] == "bm25"


def test_an_unknown_topic_and_a_bad_row_make_the_run_incomplete(
    run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"topic": "Nobody", "output": "x"}, "nonsense", {"topic": "Ada Lovelace", "output": "In London."}]
    assert run("--input_path", write_rows(tmp_path / "a.jsonl", rows)) == 3
    printed = capsys.readouterr().err
    assert "a.jsonl, line 2: not JSON" in printed
    assert "1 of 2 generations could not be scored" in printed
    assert json.loads((tmp_path / "a_factscore_output.json").read_text())["init_score"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input_path", "none.jsonl"], "cannot be read"),
        (["--model_name", "retrieval+GPT"], "no model_name"),
        (["--knowledge_source", "other"], "no knowledge source"),
        (["--gamma", "-1"], "gamma is -1"),
    ],
)
def test_wrong_use_is_one_clear_line(
    arguments: list[str], message: str, run: Any, rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--input_path", rows, *arguments) == 2
    assert message in capsys.readouterr().err
    assert not (rows.parent / "people_factscore_output.json").exists()


class Server(BaseHTTPRequestHandler):
    """Speaks as much of the chat protocol as the command needs, and keeps the keys that it was sent."""

    keys: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.keys.append(self.headers["Authorization"])
        message = {"role": "assistant", "content": reply_of(asked["messages"][-1]["content"])}
        body = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": asked["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Stays silent."""


@pytest.fixture
def server() -> Iterator[str]:
    Server.keys = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}/v1"
        http.shutdown()


def test_the_module_runs_as_a_command_with_a_key_file(
    server: str, data: Path, rows: Path, tmp_path: Path
) -> None:
    (tmp_path / "api.key").write_text("key-of-the-file\n")
    folders = [part for name in ("data", "model", "cache") for part in (f"--{name}_dir", str(data))]
    arguments = ["--input_path", str(rows), "--openai_key", str(tmp_path / "api.key"), "--gamma", "1"]
    published = ["--protocol", "original", "--retrieval_type", "bm25"]
    done = subprocess.run(
        [sys.executable, "-m", "factscore_chain.factscorer", *arguments, *folders, *published],
        env={**os.environ, "OPENAI_BASE_URL": server, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [
        line.split(" - root - ")[1] for line in done.stderr.splitlines() if "Estimated" not in line
    ] == LINES
    assert re.match(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d - root - ", done.stderr)
    assert set(Server.keys) == {"Bearer key-of-the-file"}
    assert "key-of-the-file" not in done.stdout + done.stderr


def test_the_download_command_says_what_is_there_and_from_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_data_dir(tmp_path / "data", jsonl=False)
    make_original_db(data / "enwiki-20230401.db", {"Ada": ["One."]})
    assert download_data.main(["--data_dir", str(data), "--model_dir", str(data)]) == 0
    printed = capsys.readouterr().out
    assert "demons.json: 10 demonstrations" in printed
    assert "enwiki-20230401.db: 1 documents" in printed
    assert "roberta_stopwords.txt: missing" in printed
    assert "issue 53" in printed


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("demos/demons.json", "[]", "holds no demonstrations"),
        ("demos/demons.json", '{"One.": ["One."]}', "1 demonstrations where at least 7"),
        ("enwiki-20230401.db", "<html>virus scan warning</html>", "a web page"),
        ("roberta_stopwords.txt", "the", "one token id a line"),
        ("inst-llama-7B/readme", "x", "no config.json"),
    ],
)
def test_what_is_not_whole_is_named(
    name: str, content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content)
    assert download_data.main(["--data_dir", str(tmp_path), "--model_dir", str(tmp_path)]) == 3
    printed = capsys.readouterr().out
    assert "NOT USABLE" in printed
    assert message in printed
