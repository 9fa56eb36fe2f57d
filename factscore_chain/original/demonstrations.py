"""The worked examples of the published decomposition: seven that are always shown, and the nearest one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from rank_bm25 import BM25Okapi

from factscore_chain.errors import UsageError

FIXED = 7
NEAREST = 1

_FORM = TypeAdapter(dict[str, list[str]])


def read_demonstrations(path: Path) -> dict[str, list[str]]:
    """Reads a file of demonstrations: one JSON object, sentence to facts, whose order matters.

    Raises:
        UsageError: There is no such file, or it is something else.
    """
    if not path.is_file():
        raise UsageError(
            f"There are no demonstrations at {str(path)!r}. The published protocol reads them from "
            "data_dir/demos/demons.json of the original; python -m factscore_chain.download_data says where "
            "they can be had."
        )
    try:
        return _FORM.validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(
            f"{str(path)!r} holds no demonstrations: give one JSON object of sentences with lists of facts."
        ) from error


def best_demos(query: str, bm25: BM25Okapi, demons_sents: Sequence[str], k: int) -> list[str]:
    """The k demonstrations nearest to a sentence, ties as the original breaks them."""
    nearest: list[str] = bm25.get_top_n(query.split(" "), list(demons_sents), k)
    return nearest


class PublishedDemonstrations:
    """Puts the prompt for a sentence together.

    Args:
        demonstrations: Sentences with their facts, in the order of the file.
        instruction: What precedes each sentence.
    """

    def __init__(self, demonstrations: Mapping[str, Sequence[str]], instruction: str) -> None:
        self._facts = demonstrations
        self._sentences = list(demonstrations)
        self._instruction = instruction
        self._bm25 = BM25Okapi([sentence.split(" ") for sentence in self._sentences]) if self._facts else None

    def prompt(self, sentence: str) -> str:
        """Seven fixed demonstrations, the nearest (even if it is one of them), and the sentence."""
        shown = self._sentences[:FIXED]
        if self._bm25 is not None:
            shown = shown + best_demos(sentence, self._bm25, self._sentences, NEAREST)
        return "".join([*map(self._block, shown), f"{self._instruction} {sentence}\n"]).strip()

    def _block(self, sentence: str) -> str:
        facts = "".join(f"- {fact}\n" for fact in self._facts[sentence])
        return f"{self._instruction} {sentence}\n{facts}\n"
