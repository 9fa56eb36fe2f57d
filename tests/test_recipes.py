"""The recipes of docs/ci.md: files that their tools accept, with commands that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from factscore_chain.cli.main import _parser

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
WORKFLOW, GITLAB, PRE_COMMIT = RECIPES
PINNED = re.compile(r"^[\w/-]+@[0-9a-f]{40}$")


def check_schema(name: str, content: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "recipe.yml"
    path.write_text(content, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "check_jsonschema", "--builtin-schema", name, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        ("vendor.github-workflows", WORKFLOW),
        ("vendor.gitlab-ci", GITLAB),
        ("vendor.github-workflows", (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")),
    ],
    ids=["github", "gitlab", "our own"],
)
def test_a_recipe_is_valid_by_its_schema(schema: str, content: str, tmp_path: Path) -> None:
    done = check_schema(schema, content, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def _values(node: Any, key: str) -> list[Any]:
    if isinstance(node, dict):
        return [
            *([node[key]] if key in node else []),
            *(v for one in node.values() for v in _values(one, key)),
        ]
    return [value for one in node for value in _values(one, key)] if isinstance(node, list) else []


@pytest.mark.parametrize(
    "content", [WORKFLOW, (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")]
)
def test_actions_are_pinned_by_hash(content: str) -> None:
    used = _values(yaml.safe_load(content), "uses")
    assert used
    assert [one for one in used if not PINNED.match(one)] == []


def test_the_hook_names_what_pre_commit_needs() -> None:
    (hook,) = _values(yaml.safe_load(PRE_COMMIT), "hooks")[0]
    assert {"id", "name", "entry", "language", "files"} <= hook.keys()
    assert re.search(hook["files"], "answers/spring.jsonl")


COMMANDS = [
    line.strip()
    for recipe in RECIPES
    for value in (
        *_values(yaml.safe_load(recipe), "run"),
        *_values(yaml.safe_load(recipe), "entry"),
        *(line for lines in _values(yaml.safe_load(recipe), "script") for line in lines),
    )
    for line in value.splitlines()
    if line.strip().startswith("factscore ")
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_recipes_exist(command: str) -> None:
    _parser().parse_args(shlex.split(command)[1:])


def test_every_recipe_runs_the_gate() -> None:
    assert len(COMMANDS) == len(RECIPES)
