"""What a scorer of the original is made with, and the parts of both protocols that follow from it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import MissingExtraError
from factscore_chain.hub import WeightsNotFoundError
from factscore_chain.language_model import LanguageModel
from factscore_chain.original.documents import DocDB
from factscore_chain.original.models import chat_model
from factscore_chain.original.np import read_stopwords
from factscore_chain.original.passages import BM25, GTR, Retrieval
from factscore_chain.original.store import AnswerStore, ConvertedCache
from factscore_chain.published_names import ModelName
from factscore_chain.values import Decomposition, Generation
from factscore_chain.verify.base import LocalVerifier
from factscore_chain.verify.npm import MaskedLMVerifier


@dataclass(frozen=True)
class Setup:
    """The arguments of a scorer, read."""

    model: ModelName
    data_dir: Path
    model_dir: Path
    cache_dir: Path
    key_path: str
    store: AnswerStore
    llm: Any = None
    """The user's own chat model, or its name."""
    abstain: str = "none"
    retrieval_type: str | None = None
    """Ranker of the published protocol; None takes GTR where it can be had."""
    batch_size: int = 256

    @property
    def llama_weights(self) -> str:
        """Where Inst-LLAMA's weights are, as in the original."""
        return str(self.model_dir / "inst-llama-7B")

    def chat_model(self, cache: str | None = None, **options: Any) -> LanguageModel:
        """The model that answers, looking in a converted cache too if one is named."""
        return chat_model(self.llm, self.key_path, ConvertedCache(self.store, cache), **options)

    def masked_lm(self) -> MaskedLMVerifier:
        """The published NP check.

        Raises:
            MissingExtraError: transformers or torch is not installed.
            WeightsNotFoundError: The weights cannot be had.
        """
        return MaskedLMVerifier(stopwords=read_stopwords([self.data_dir, self.model_dir, Path()])).load()

    def np(self) -> LocalVerifier:
        """The published NP check, or, with a warning, the one of the shipped encoder."""
        try:
            return self.masked_lm()
        except (MissingExtraError, WeightsNotFoundError) as error:
            from factscore_chain.verify.nonparametric import NonparametricVerifier

            warnings.warn(
                f"{error} The NP check of the shipped encoder stands in for npm; its verdicts are not those "
                "of facebook/npm-single.",
                stacklevel=2,
            )
            return NonparametricVerifier()


@dataclass(frozen=True)
class Knowledge:
    """A registered knowledge source."""

    db: DocDB
    ranked: Retrieval
    """For the language model: GTR as published, or BM25."""
    bm25: Retrieval
    """For the NP check."""

    def save(self) -> None:
        """Writes what was retrieved."""
        self.ranked.save_cache()
        self.bm25.save_cache()


def open_knowledge(name: str, db: DocDB, setup: Setup) -> Knowledge:
    """Makes the published retrievals over a source, with the original's cache files."""
    folder = setup.cache_dir
    bm25 = Retrieval(db, folder / f"bm25-{name}.json", None, BM25)
    if setup.retrieval_type == BM25:
        return Knowledge(db, bm25, bm25)
    ranked = Retrieval(
        db,
        folder / f"retrieval-{name}.json",
        folder / f"retrieval-{name}.pkl",
        setup.retrieval_type or GTR,
        setup.batch_size,
        fallback=bm25 if setup.retrieval_type is None else None,
    )
    return Knowledge(db, ranked, bm25)


class GivenFacts(Decomposer):
    """Stands where every generation brings its facts."""

    @property
    def identity(self) -> dict[str, str]:
        """What made the facts, for the report's manifest."""
        return {"kind": "given"}

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        return Decomposition((), ())
