"""Vectors by any sentence-transformers model, such as the paper's GTR-T5-large (extra `hf`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from langchain_core.embeddings import Embeddings

from factscore_chain.errors import MissingExtraError
from factscore_chain.hub import from_hub


@lru_cache(maxsize=2)
def load_sentence_transformer(name: str) -> Any:
    """Loads a model by its name on the hub, or from a folder; once a process, on the GPU if there is one.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        WeightsNotFoundError: The model is not here and cannot be downloaded.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError(f"Ranking by {name}", "hf") from error
    return from_hub(name, lambda local: SentenceTransformer(name, local_files_only=local))


class SentenceTransformerEmbeddings(Embeddings):
    """LangChain embeddings by a sentence-transformers model.

    Queries and passages get the instruction that the model was trained to have before each, if it has one.

    Args:
        model_name: Name on the hub, such as "sentence-transformers/gtr-t5-large", or a folder.
        batch_size: Texts encoded together.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        WeightsNotFoundError: The model is not here and cannot be downloaded.
    """

    def __init__(self, model_name: str, *, batch_size: int = 32) -> None:
        self.model_name = model_name
        self.batch_size = batch_size
        self._model = load_sentence_transformer(model_name)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages."""
        return self._encoded(texts, "encode_document")

    def embed_query(self, text: str) -> list[float]:
        """Vector of a query."""
        return self._encoded([text], "encode_query")[0]

    def _encoded(self, texts: Sequence[str], method: str) -> list[list[float]]:
        # Older versions know one way for both.
        encode = getattr(self._model, method, self._model.encode)
        vectors = encode(
            list(texts), batch_size=self.batch_size, convert_to_numpy=True, show_progress_bar=False
        )
        return [[float(value) for value in vector] for vector in vectors]
