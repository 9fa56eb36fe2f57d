"""The original's module of this name: the probability of a fact by a nonparametric language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from factscore_chain.original.np import OriginalNP, read_stopwords
from factscore_chain.original.passages import Retrieval
from factscore_chain.original.pickles import load_plain
from factscore_chain.values import AtomicFact, Claim
from factscore_chain.verify.npm import MaskedLMVerifier

__all__ = ["NPM", "MaskedLMVerifier"]


class NPM:
    """The published NP check, called as the original's class of this name (extra `hf`).

    Args:
        bm25: Retrieval by BM25.
        model_name: "npm-single", any other name on the hub, or a folder with weights.
        cache_file: The original's pickle of probabilities; read if it exists, never written.
        stopwords_dir: Folder with the original's `roberta_stopwords.txt`; without the file, ours are taken.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        WeightsNotFoundError: The weights cannot be had.
        CacheFileError: The cache is damaged or holds what no cache needs.
    """

    def __init__(
        self,
        bm25: Retrieval,
        model_name: str = "npm-single",
        cache_file: str | None = None,
        *,
        stopwords_dir: str = ".",
    ) -> None:
        name = model_name if "/" in model_name or Path(model_name).is_dir() else f"facebook/{model_name}"
        check = MaskedLMVerifier(model_name=name, stopwords=read_stopwords([Path(stopwords_dir)])).load()
        self._np = OriginalNP(check=check, retrieval=bm25, known=_read(cache_file).get)

    def get_probability(self, topic: str, question: str) -> float | None:
        """The probability of a fact, 0 to 1; None if it has no content word.

        Raises:
            TitleNotFoundError: No article has exactly this title.
        """
        return self._np.invoke(Claim(AtomicFact(question), topic=topic)).probability

    get_probabilty = get_probability
    """As the original spells it."""


def _read(cache_file: str | None) -> dict[str, str]:
    if cache_file is None or not Path(cache_file).is_file():
        return {}
    cache: Any = load_plain(Path(cache_file))
    return {key: repr(value) for key, value in cache.items() if isinstance(value, float)}
