"""A key never leaves the program, what users wrote is theirs alone, and no file can run anything."""

from __future__ import annotations

import ast
import json
import logging
import os
import pickle
import re
import stat
from pathlib import Path

import pytest
import yaml
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from factscore_chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.files import write_whole
from factscore_chain.gate.finished import Journal
from factscore_chain.language_model import LanguageModel
from factscore_chain.original.pickles import load_plain
from tests import openai_server
from tests.gates import report
from tests.openai_server import OpenAIServer, Status
from tests.pages import PAGES, write_rows
from tests.test_house import PACKAGE_MODULES, ROOT

PLANTED = "sk-planted-d41d8cd98f00b204"
ROW = {"topic": "Ada Lovelace", "output": "Ada Lovelace was born in London. She wrote notes."}
NAMES = ("report.json", "report.html", "report.md", "report.csv", "report.sarif", "report.junit.xml")


def answer(asked: str) -> str:
    return "True" if "<statement" in asked else "- Ada Lovelace was born in London."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED)
    write_rows(tmp_path / "rows.jsonl", [ROW])
    write_rows(tmp_path / "pages.jsonl", PAGES)
    return tmp_path


def command(server: OpenAIServer, name: str, *more: str) -> list[str]:
    asked = ["--knowledge", "pages.jsonl", "--llm", "openai:m", "--base-url", server.url, "--cache", "a.db"]
    return [name, "rows.jsonl", *asked, *more]


def holding_the_key(folder: Path) -> list[str]:
    return [
        str(path) for path in folder.rglob("*") if path.is_file() and PLANTED.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("refused", [False, True], ids=["let in", "refused"])
def test_a_key_is_in_no_output_of_a_run(
    folder: Path,
    refused: bool,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    if not refused:
        monkeypatch.setattr(openai_server, "KEY", PLANTED)
    with caplog.at_level(logging.DEBUG), OpenAIServer(answer) as server:
        outputs = [f"--output={name}" for name in NAMES]
        codes = [
            main(command(server, "score", "--store", "runs.db", "--out", "out.json")),
            main(command(server, "score", "--format", "html")),
            main(command(server, "gate", "--min-mean", "0.1", *outputs)),
            main(command(server, "score", "--estimate-cost")),
        ]
    printed = capfd.readouterr()
    assert codes[:3] == ([3, 3, 3] if refused else [0, 0, 0])
    assert {request.key for request in server.requests} == {PLANTED}
    assert PLANTED not in f"{printed.out}{printed.err}{caplog.text}"
    assert holding_the_key(folder) == []
    assert ("OPENAI_API_KEY" in printed.err) is refused


@pytest.mark.parametrize("code", [400, 401, 403, 429, 500])
def test_a_server_that_repeats_the_key_is_not_quoted(
    folder: Path, code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(openai_server, "KEY", PLANTED)
    headers = {"Retry-After": "3600"}
    with OpenAIServer([Status(code, f"your key {PLANTED} is no good", headers=headers)]) as server:
        assert main(command(server, "score", "--out", "out.json")) == 3
    printed = capfd.readouterr()
    assert PLANTED not in printed.out + printed.err
    assert holding_the_key(folder) == []


def test_a_chain_and_its_parts_do_not_show_the_key(folder: Path) -> None:
    model = LanguageModel(ChatOpenAI(model="m", api_key=SecretStr(PLANTED)))
    chain = FactScoreChain(folder / "pages.jsonl", llm=model)
    shown = [repr(chain), str(chain), repr(model), chain.manifest.model_dump_json(), repr(chain.scorer)]
    assert not any(PLANTED in text for text in shown)


def test_what_holds_users_text_is_theirs_alone(folder: Path) -> None:
    with OpenAIServer(["True"]) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_server, "KEY", PLANTED)
        main(command(server, "score", "--store", "runs.db", "--out", "out.json"))
        main(command(server, "gate", "--min-mean", "0.1", "--output", "report.html"))
    Journal(folder / "journal.jsonl").add("a", report("S").generations[0])
    files = ("out.json", "runs.db", "a.db", "report.html", "journal.jsonl")
    assert {name: stat.S_IMODE((folder / name).stat().st_mode) for name in files} == dict.fromkeys(
        files, 0o600
    )


def test_a_file_that_others_may_read_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    write_whole(path, "new")
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text(encoding="utf-8")) == (0o640, "new")


RUNS = {"eval", "exec", "compile", "__import__"}
UNPICKLES = {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}
RESTRICTED = ROOT / "factscore_chain/original/pickles.py"
SHIPPED = [path for path in PACKAGE_MODULES if "training" not in path.parts]
"""Recipes that train the shipped models read back what they wrote a moment before, and no user runs them."""


def _risks(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in RUNS or re.fullmatch(
                r"yaml\.(unsafe_|full_)?load(_all)?|os\.(system|popen)", called
            ):
                found.append(called)
            if any(word.arg == "shell" and ast.unparse(word.value) != "False" for word in node.keywords):
                found.append(f"{called}(shell=...)")
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if path != RESTRICTED:
            found += [name for name in names if name.split(".")[0] in UNPICKLES]
    return found


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_runs_what_it_reads(path: Path) -> None:
    assert _risks(path) == []


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')",
        "import pickle",
        "from joblib import load",
        "import yaml\nyaml.load('x')",
        "import os\nos.system('x')",
        "import subprocess\nsubprocess.run('x', shell=True)",
    ],
)
def test_what_would_run_something_is_noticed(tmp_path: Path, source: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")
    assert len(_risks(path)) == 1


def test_the_restricted_reader_runs_nothing(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (os.mkdir, (str(tmp_path / "ran"),))

    (tmp_path / "cache.pkl").write_bytes(pickle.dumps({"a": Trap()}))
    with pytest.raises(Exception, match=r"cache\.pkl"):
        load_plain(tmp_path / "cache.pkl")
    assert not (tmp_path / "ran").exists()


def test_every_action_of_our_workflows_is_pinned_by_hash() -> None:
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    used = [
        step["uses"]
        for path in workflows
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
        for step in job.get("steps", [])
        if "uses" in step
    ]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []


def test_the_audit_of_dependencies_warns_and_never_fails() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    audit = script[script.index('step "audit') :].split("\nstep ")[0]
    assert "timeout" in audit
    assert "||" in audit
    assert json.dumps("pip-audit").strip('"') in audit
