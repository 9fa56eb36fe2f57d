"""The rules of the house that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("factscore_chain", "retrievers", "prompts", "evals", "tests", "examples")
LONGEST_MODULE = 350

LAYERS = (
    ("errors", "aio", "cores", "models", "single_flight", "together", "tokens"),
    ("stats", "fresh", "files", "storage", "postgres"),
    ("values", "token_choices", "published_names"),
    ("completion",),
    ("failures", "hub", "prompts", "score", "beyond", "abstention_phrases", "manifest", "thinking"),
    ("answer_cache", "limits", "model_identity", "retries", "run_scope", "spending"),
    ("language_model", "generations", "records", "gate_outcome", "report", "render", "html"),
    ("generation_files",),
    ("stage", "progress"),
    ("abstain", "encoder"),
    ("retrievers",),
    ("decompose", "verify", "retrieve"),
    ("estimators", "kept_stages", "overlap", "recall", "seek", "generation_scorer"),
    ("rehearsal", "scoring_run", "strict"),
    ("chain",),
    ("edit", "gate"),
    ("guard",),
    ("lcel",),
    ("graphs",),
    ("original",),
    ("abstain_detection", "atomic_facts", "npm", "retrieval", "download_data"),
    ("agents", "evaluators", "llama_index", "ray_engine", "server"),
    ("evals",),
    ("cli", "factscorer", "pytest_plugin"),
    ("__main__",),
)
"""What may know of what: a module imports from its own layer and from those listed before it, never after."""
RANKS = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def _modules() -> list[Path]:
    # The links inside the package are left out: they show the same files twice.
    folders = [ROOT / name for name in FOLDERS]
    return sorted(
        path
        for folder in folders
        for path in folder.rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents)
    )


def _tracked() -> list[Path]:
    run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if run.returncode != 0:
        pytest.skip("not a git checkout")
    names = run.stdout.decode().split("\0")
    return [
        ROOT / name for name in names if name and not (ROOT / name).is_symlink() and (ROOT / name).exists()
    ]


def _unit(path: Path) -> str:
    """The name by which `LAYERS` knows a module: that of its folder or file directly under the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "factscore_chain" else parts[0]


def _imported_units(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "factscore_chain":
                names = [f"factscore_chain.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("factscore_chain."))


PACKAGE_MODULES = [
    path
    for path in _modules()
    if _unit(path) != "__init__" and path.relative_to(ROOT).parts[0] not in {"tests", "examples"}
]


@pytest.mark.parametrize("path", PACKAGE_MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_nothing_that_stands_above_it(path: Path) -> None:
    rank = RANKS[_unit(path)]
    assert {unit for unit in _imported_units(path) if RANKS[unit] > rank} == set()


def test_no_module_is_longer_than_the_house_allows() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in _modules()
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


STAMPS = {
    "factscore_chain/manifest.py": "when a report was made",
    "retrievers/writer.py": "when a source was built",
    "evals/bench/model_server.py": "when an answer was made",
    "retrievers/original.py": "when a file of the original was written",
    "factscore_chain/retries.py": "a date that a server names, where it does not tell its own clock",
}
"""What asks for the time of day. It may jump, so nothing is measured or timed by it."""
WALL_CLOCKS = re.compile(
    r"\b(?:time\.(?:time|time_ns|localtime|gmtime|ctime)|datetime\.(?:now|utcnow|today|fromtimestamp)|date\.today)\("
    r"|from time import (?!monotonic|perf_counter|sleep)"
)


def test_nothing_is_measured_by_a_clock_that_may_jump() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PACKAGE_MODULES}
    assert {name for name, text in texts.items() if WALL_CLOCKS.search(text)} == set(STAMPS)


def _in_a_fresh_interpreter(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    return run.stdout


def _loaded_by(statement: str) -> set[str]:
    return set(
        _in_a_fresh_interpreter(
            f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
        ).split()
    )


def test_importing_the_package_stays_light() -> None:
    heavy = {"torch", "transformers", "chromadb", "langchain_community", "langchain_core", "onnxruntime"}
    assert heavy & _loaded_by("import factscore_chain") == set()


def test_importing_the_chain_needs_no_optional_dependency() -> None:
    heavy = {"torch", "transformers", "sentence_transformers", "langchain_community", "llama_index", "ray"}
    assert heavy & _loaded_by("from factscore_chain import FactScoreChain") == set()


_WATCH = """
import sys
reached = []
def watch(event, arguments):
    if event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.sendto"}:
        reached.append((event, arguments[1:]))
sys.addaudithook(watch)
"""


def test_importing_everything_public_reaches_for_no_network() -> None:
    code = f"{_WATCH}\nimport factscore_chain as f\n[getattr(f, name) for name in f.__all__]\nprint(reached)"
    assert _in_a_fresh_interpreter(code).strip() == "[]"


def test_scoring_with_the_embedded_estimator_reaches_for_no_network() -> None:
    arguments = ["score", "Alan Turing was born in London.", "--knowledge", "examples/knowledge.jsonl"]
    code = (
        f"{_WATCH}\nfrom factscore_chain.cli.main import main\ncode = main({arguments})\nprint(code, reached)"
    )
    assert _in_a_fresh_interpreter(code).splitlines()[-1] == "0 []"


def test_no_tracked_file_names_a_path_of_one_machine() -> None:
    # Split so that this file does not find itself.
    absolute = re.compile("(?<![\\w./])/" + "(?:home|Users|work|root|mnt|tmp)" + "/" + r"\w|[A-Z]:\\Users")
    assert _lines_with(absolute) == []


def test_no_tracked_file_names_a_package_index_of_its_own() -> None:
    index = re.compile("--" + r"(?:extra-)?index-url|--" + r"trusted-host|--" + r"find-links|/simple" + "/")
    assert _lines_with(index) == []


def _lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in _tracked()
        for number, line in enumerate(_text(path).splitlines(), 1)
        if pattern.search(line)
    ]


def _text(path: Path) -> str:
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode(errors="replace")


PROMPTS = sorted((ROOT / "prompts").rglob("*.yaml"))


def test_there_are_prompts() -> None:
    assert PROMPTS


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.name)
def test_a_prompt_has_a_version_and_the_name_of_its_file(path: Path) -> None:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert content["version"] >= 1
    assert content["name"] == path.stem
