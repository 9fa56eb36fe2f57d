"""The wheel and the sdist hold what the package needs, and nothing that could collide with others."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import distribution, requires
from pathlib import Path
from zipfile import ZipFile

import pytest

# What `python -m build` needs to see of a checkout; test data and virtual environments stay away.
_SOURCES = ("factscore_chain", "retrievers", "prompts", "evals", "pyproject.toml", "README.md", "LICENSE")
_IGNORED = shutil.ignore_patterns("__pycache__", "*.egg-info")


@pytest.fixture(scope="session")
def built(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that is made from it."""
    checkout = tmp_path_factory.mktemp("a checkout")
    for name in _SOURCES:
        _copy(repository / name, checkout / name)
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        str(checkout / "out"),
        str(checkout),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return checkout / "out"


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=_IGNORED)
    else:
        shutil.copy(source, target)


@pytest.fixture(scope="session")
def wheel_names(built: Path) -> set[str]:
    with ZipFile(next(built.glob("*.whl"))) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="session")
def sdist_names(built: Path) -> set[str]:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        return {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}


def test_wheel_has_only_its_own_name_at_the_top(wheel_names: set[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names}
    assert {re.sub(r"-.*", "", top) for top in tops} == {"factscore_chain"}


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        (r"factscore_chain/py\.typed", 1),
        (r"factscore_chain/retrievers/\w+\.py", 5),
        (r"factscore_chain/prompts/\w+\.yaml", 2),
        (r"factscore_chain/evals/\w+\.py", 2),
        (r"factscore_chain/cli/\w+\.py", 3),
        (r"factscore_chain/html/assets/.+\.(j2|css|js)", 12),
        (r"factscore_chain/models/.*\.onnx", 1),
        (r"factscore_chain/models/.*tokenizer\.json", 1),
        (r"factscore_chain-[^/]+/licenses/LICENSE", 1),
        (r"factscore_chain-[^/]+/entry_points\.txt", 1),
    ],
)
def test_wheel_has_what_runs(wheel_names: set[str], pattern: str, least: int) -> None:
    found = [name for name in wheel_names if re.fullmatch(pattern, name)]
    assert len(found) >= least


def test_wheel_has_every_file_of_the_linked_folders(repository: Path, wheel_names: set[str]) -> None:
    expected = {
        f"factscore_chain/{path.relative_to(repository)}"
        for folder in ("retrievers", "prompts", "evals")
        for path in (repository / folder).rglob("*")
        if path.suffix in {".py", ".yaml"}
    }
    assert expected <= wheel_names


def test_sdist_has_real_files_where_the_checkout_has_links(sdist_names: set[str]) -> None:
    assert {
        f"factscore_chain/{name}/__init__.py" for name in ("retrievers", "prompts", "evals")
    } <= sdist_names


def test_sdist_and_wheel_have_the_same_package(sdist_names: set[str], wheel_names: set[str]) -> None:
    package = {name for name in sdist_names if name.startswith("factscore_chain/")}
    assert package == {name for name in wheel_names if name.startswith("factscore_chain/")}


def test_wheel_is_small_enough_to_install_anywhere(built: Path) -> None:
    assert next(built.glob("*.whl")).stat().st_size < 100 * 2**20  # the default limit of the package index


@pytest.mark.parametrize(
    ("group", "target"),
    [
        ("console_scripts", "factscore_chain.cli.main:main"),
        ("pytest11", "factscore_chain.pytest_plugin.hooks"),
    ],
)
def test_the_command_and_the_plugin_are_declared(group: str, target: str) -> None:
    found = distribution("factscore-chain").entry_points.select(group=group, name="factscore")
    assert [entry.value for entry in found] == [target]


def test_base_install_has_no_torch() -> None:
    base = _base_install()
    assert {"onnxruntime", "langchain-core"} <= base
    assert not {"torch", "transformers", "sentence-transformers", "langchain-community"} & base


def _base_install() -> set[str]:
    """Names of everything that `pip install factscore-chain` brings, as far as it is installed here."""
    seen: set[str] = set()
    waiting = ["factscore-chain"]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += _needs(name)
    return seen


def _needs(name: str) -> list[str]:
    try:
        needed = requires(name) or []
    except ModuleNotFoundError:
        return []  # needed on another platform only
    plain = [need for need in needed if not re.search(r"\bextra\b", need)]
    return [re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", need)[0]).lower() for need in plain]
