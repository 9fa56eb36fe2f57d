"""The original's command of this name: what its data are, where they can be had, and whether yours are whole.

    python -m factscore_chain.download_data --data_dir .cache/factscore

Nothing is downloaded: the original fetched its files from a personal drive that has since expired.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from factscore_chain.errors import FactScoreError, UsageError
from factscore_chain.original.demonstrations import FIXED, read_demonstrations
from factscore_chain.original.np import STOPWORDS_FILE, read_stopwords
from factscore_chain.retrievers.knowledge import KnowledgeSource

SOURCE = "enwiki-20230401"
_REPOSITORY = "github.com/shmsw25/FActScore"
_DRIVE = f"the folder that an author named in issue 53 of {_REPOSITORY} in April 2025"


@dataclass(frozen=True)
class Item:
    """A file of the original."""

    path: Path
    purpose: str
    source: str
    check: Callable[[Path], str]
    """Says what is there.

    Raises:
        FactScoreError: It is not what it should be.
    """


def items(data_dir: Path, model_dir: Path, llama: Path) -> list[Item]:
    """The original's files, where it looks for them."""
    return [
        Item(
            data_dir / "demos" / "demons.json",
            "demonstrations: only --protocol original asks for them",
            f"{_DRIVE} (demos.zip)",
            _demonstrations,
        ),
        Item(
            data_dir / f"{SOURCE}.db",
            "the passages of English Wikipedia, April 2023; any source of yours does as well",
            f"{_DRIVE}; or build one with `factscore kb build FILE.jsonl --out {SOURCE}.db`",
            _database,
        ),
        Item(
            data_dir / STOPWORDS_FILE,
            "tokens that NP does not mask: without it, a list of our own",
            _DRIVE,
            _stopwords,
        ),
        Item(
            llama,
            "weights of Inst-LLAMA: only retrieval+llama without --llm needs them",
            "LLaMA 7B from Meta, with the difference kalpeshk2011/instruct-llama-7b-wdiff of the Hugging "
            "Face hub added to it",
            _weights,
        ),
    ]


def report(found: Sequence[Item]) -> tuple[list[str], bool]:
    """A line or two for each item, and whether everything that is there is whole."""
    lines: list[str] = []
    sound = True
    for item in found:
        try:
            state = item.check(item.path) if item.path.exists() else "missing"
        except FactScoreError as error:
            state, sound = f"NOT USABLE: {error}", False
        lines.append(f"{item.path}: {state}")
        if state == "missing" or state.startswith("NOT"):
            lines.append(f"    for {item.purpose}")
            lines.append(f"    from {item.source}")
    return lines, sound


def main(arguments: Sequence[str] | None = None) -> int:
    """Checks and says; returns 0 if all that is there is whole, else 3."""
    parser = argparse.ArgumentParser(prog="python -m factscore_chain.download_data", description=__doc__)
    parser.add_argument("--data_dir", type=Path, default=Path(".cache/factscore"), help="where data are")
    parser.add_argument("--model_dir", type=Path, default=Path(".cache/factscore"), help="where weights are")
    parser.add_argument("--llama_7B_HF_path", type=Path, help="folder of Inst-LLAMA's weights, if elsewhere")
    options = parser.parse_args(arguments)
    llama = options.llama_7B_HF_path or options.model_dir / "inst-llama-7B"
    lines, sound = report(items(options.data_dir, options.model_dir, llama))
    lines.append(
        "facebook/npm-single (for npm) comes from the Hugging Face hub at its first use; labelled and "
        f"prediction files (data.zip) from {_DRIVE}."
    )
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if sound else 3


def _demonstrations(path: Path) -> str:
    found = read_demonstrations(path)
    if len(found) < FIXED:
        raise UsageError(f"{len(found)} demonstrations where at least {FIXED} are shown.")
    return f"{len(found)} demonstrations"


def _database(path: Path) -> str:
    with KnowledgeSource(path) as source:
        return f"{source.document_count} documents"


def _stopwords(path: Path) -> str:
    return f"{len(read_stopwords([path.parent]) or ())} token ids"


def _weights(path: Path) -> str:
    if not (path / "config.json").is_file():
        raise UsageError("there is no config.json in it, so it is no folder of weights for transformers.")
    if not any(path.glob("*.safetensors")) and not any(path.glob("*.bin")):
        raise UsageError("it has a config.json but no weights (*.safetensors or *.bin).")
    return "a folder of weights"


if __name__ == "__main__":
    sys.exit(main())
