"""What the documentation shows is what happens."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.main import _parser
from tests.documents import (
    Code,
    check_output,
    console_blocks,
    is_setup,
    python_blocks,
    reader,
    run_command,
)

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DOCUMENTS = [
    README,
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples/README.md",
]


@pytest.fixture
def as_a_reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder with the examples, a terminal of 100 columns, and no model but the scripted one."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name, **options: reader())


def _named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.usefixtures("as_a_reader", "own_loop")
@pytest.mark.parametrize("path", [path for path in DOCUMENTS if python_blocks(path)], ids=_named)
def test_python_in_a_document_runs_from_top_to_bottom(path: Path, request: pytest.FixtureRequest) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in python_blocks(path):
        check_output(block, _execute(block, names))
    for name, value in names.items():
        if name.startswith("test_"):
            value(*(request.getfixturevalue(fixture) for fixture in signature(value).parameters))


def _execute(block: Code, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    # Blank lines put the block on its own line number in a traceback.
    source = "\n" * block.line + block.code
    with contextlib.redirect_stdout(printed):
        exec(compile(source, block.path.name, "exec"), names)
    return printed.getvalue()


COMMANDS = [
    block
    for path in DOCUMENTS
    for block in console_blocks(path)
    if not all(is_setup(command.code) for command in block)
]


@pytest.mark.usefixtures("as_a_reader")
@pytest.mark.parametrize("block", COMMANDS, ids=lambda block: str(block[0]))
def test_commands_in_a_document_print_what_is_shown(block: list[Code]) -> None:
    exit_code = 0
    for command in block:
        if is_setup(command.code):
            continue
        if command.code == "echo $?":
            printed = f"{exit_code}\n"
        else:
            exit_code, printed = run_command(command.code)
        check_output(command, printed)
        assert command.output is not None or exit_code == 0, f"{command} ended in {exit_code}:\n{printed}"


def test_the_readme_gives_both_commands_of_a_fresh_machine_and_continuous_integration_runs_them() -> None:
    shown = [command.code for block in console_blocks(README) for command in block]
    run = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert {"make demo", "make test"} <= {*shown} & {*run}


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_readme_gives_the_plain_commands_behind_a_target(target: str) -> None:
    dry = subprocess.run(
        ["make", "--no-print-directory", "-nB", target], cwd=ROOT, capture_output=True, text=True, check=True
    )
    behind = {_plain(line) for line in dry.stdout.splitlines() if not line.startswith("touch ")}
    shown = {_plain(command.code) for block in console_blocks(README) for command in block}
    assert behind - shown == set()


def _plain(command: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"--quiet|\|\|.*|[\"']", "", command)).strip()


_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_COMMAND = re.compile(
    r"^\$ (factscore .*)$|`(factscore [^`]*)`|`(python -m factscore_chain\.[^`]*)`", re.MULTILINE
)


def _tables_with_figures(path: Path) -> list[tuple[str, str]]:
    """Each table whose rows hold a measured figure, with the text of its section that stands before it."""
    # A table inside a code block is what that block prints.
    text = re.sub(
        r"^```(?:.*\n)+?```$", _without_tables, path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    found = []
    for match in _TABLE.finditer(text):
        if re.search(r"\|\s*[*~]*\d+\.\d+", match.group()):
            before = text[: match.start()]
            found.append((before[before.rfind("\n## ") + 1 :], match.group()))
    return found


def _without_tables(block: re.Match[str]) -> str:
    return _TABLE.sub("", block.group()).replace("\\\n", " ")


@pytest.mark.parametrize("path", DOCUMENTS, ids=_named)
def test_a_table_of_figures_names_the_command_that_makes_them(path: Path) -> None:
    for before, table in _tables_with_figures(path):
        commands = ["".join(forms) for forms in _COMMAND.findall(before)]
        assert commands, f"no command stands before the table\n{table}"
        program, *arguments = shlex.split(commands[-1])
        if program == "python":
            assert find_spec(arguments[1]) is not None
        else:
            _parser().parse_args(arguments)  # it exists: a wrong one ends in SystemExit
