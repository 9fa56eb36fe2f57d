"""Reads the code blocks of the documentation, and runs commands as a reader would.

Conventions: a ```python block may be followed at once by a ```text block, which is what it prints. In a
```console block a line after "$ " is a command and the lines under it are what it prints. "..." in an output
stands for anything. A model that a block names is answered by `reader`, so no block needs a key; what such a
block prints depends on the model, and is not shown. `make docs` writes what is printed now in place of what
is shown; where a line "..." stands in an output, as many lines as before are kept on both sides of it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

from factscore_chain.cli.main import main
from tests.scripted import ScriptedChatModel

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_SETUP = re.compile(r"git |cd |make |export |\.ci/run|python3 -m venv |pip |\.venv/bin/")


WRITE_VARIABLE = "FACTSCORE_WRITE_DOCS"
"""Environment variable that has outputs written instead of compared; `make docs` sets it."""


@dataclass(frozen=True)
class Code:
    """A piece of code, where it stands, and what it is said to print."""

    path: Path
    line: int
    code: str
    output: str | None = None

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}"


def python_blocks(path: Path) -> list[Code]:
    """The Python blocks of a document, in order."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        if match.group(1) == "python":
            after = _FENCE.match(text, match.end() + 1)
            output = after.group(2) if after and after.group(1) == "text" else None
            found.append(Code(path, _line(text, match.start()), match.group(2), output))
    return found


def console_blocks(path: Path) -> list[list[Code]]:
    """The commands of a document, those of one block together."""
    text = path.read_text(encoding="utf-8")
    return [
        list(_commands(path, _line(text, match.start()), match.group(2)))
        for match in _FENCE.finditer(text)
        if match.group(1) == "console"
    ]


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _commands(path: Path, line: int, body: str) -> Iterator[Code]:
    for chunk in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = chunk.replace("\\\n", " ").partition("\n")
        yield Code(path, line, command.split(" # ")[0].strip(), output if output.strip() else None)


def is_setup(command: str) -> bool:
    """Whether a command sets up or checks a checkout: for a fresh clone, not for the inside of a test."""
    return _SETUP.match(f"{command} ") is not None


def run_command(command: str) -> tuple[int, str]:
    """Runs a `factscore` command in this process; returns its exit code and all that it prints."""
    program, *arguments = shlex.split(command)
    if program != "factscore":
        raise ValueError(f"The documentation may show 'factscore' and set-up commands, not {command!r}.")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, printed.getvalue()


def check_output(code: Code, printed: str) -> None:
    """Compares as doctest does: "..." stands for anything, and runs of white space are equal."""
    if code.output is None or OutputChecker().check_output(
        code.output, printed, ELLIPSIS | NORMALIZE_WHITESPACE
    ):
        return
    if WRITE_VARIABLE not in os.environ:
        raise AssertionError(f"{code} printed:\n{printed}")
    text = code.path.read_text(encoding="utf-8")
    now = as_shown_before(code.output, printed)
    code.path.write_text(text.replace(code.output, now, 1), encoding="utf-8")


def as_shown_before(shown: str, printed: str) -> str:
    """What is printed now, cut as the shown output was: its line "..." stands for the lines between."""
    lines = [line.rstrip() for line in printed.strip("\n").split("\n")]
    if "..." not in (kept := shown.rstrip("\n").split("\n")):
        return "\n".join(lines) + "\n"
    cut = kept.index("...")
    tail = len(kept) - cut - 1
    return "\n".join([*lines[:cut], "...", *lines[len(lines) - tail :]]) + "\n"


def reader() -> ScriptedChatModel:
    """A chat model that takes each sentence as one fact, and finds each fact true."""
    return ScriptedChatModel(script=_read)


def _read(question: str) -> str:
    lines = [line for line in question.strip().splitlines() if line.strip() and not line.startswith("<")]
    return "True" if re.search(r"true or false", question, re.IGNORECASE) else f"- {lines[-1]}"
