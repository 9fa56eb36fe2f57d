"""Embeds a knowledge source's passages on a Ray cluster, into the vectors that are kept beside the source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.ray_engine.cluster import Row, Workers
from factscore_chain.retrievers.embedding import embed_passages
from factscore_chain.retrievers.kept_vectors import KeptVectors, vectors_beside
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Passage

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

MakeEmbeddings = Callable[[], "Embeddings"]


@dataclass(frozen=True)
class RayEmbedding:
    """Makes the vectors that a source's passages have not, in the workers of a cluster.

    They are kept as they come back, under what a passage says: a run that breaks off goes on where it was,
    and a lost worker costs its partition. `VectorIndex.build` then finds them made.

    Args:
        source: The source; each machine has to find it at the same path.
        make_embeddings: Makes the embedder, once in each worker; it is pickled.
        workers: Who does the work.
        partition: Documents that are sent to a worker together.

    Raises:
        UsageError: A partition would be empty.
    """

    source: KnowledgeSource
    make_embeddings: MakeEmbeddings
    workers: Workers = field(default_factory=Workers)
    partition: int = 100

    def __post_init__(self) -> None:
        if self.partition < 1:
            raise UsageError(f"partition is {self.partition}, and at least 1 document is needed.")

    def run(self) -> int:
        """Embeds; returns how many passages had no vector yet.

        Raises:
            KnowledgeSourceError: Nothing can be kept beside the source.
            ClusterError: The cluster cannot be reached, or the job failed.
            MissingExtraError: Ray is not installed.
        """
        kept = KeptVectors(vectors_beside(self.source.path), self.make_embeddings())
        made = 0
        work = partial(_Embedder, self.source.path.absolute(), self.make_embeddings)
        with closing(self.workers.run(work, list(self._rows(kept)))) as job:
            for row in job:
                ids = json.loads(row["ids"])
                vectors = np.frombuffer(row["vectors"], dtype="<f4").reshape(len(ids), -1)
                kept.keep(dict(zip(ids, vectors, strict=True)))
                if not kept.keeps:
                    raise KnowledgeSourceError(
                        f"Vectors cannot be kept beside {self.source.path}. Make its folder writable, or "
                        "embed a copy."
                    )
                made += len(ids)
        return made

    def _rows(self, kept: KeptVectors) -> Iterator[Row]:
        """Partitions of the documents of which a passage has no vector."""
        titles: list[str] = []
        for title in self.source.titles:
            if kept.missing(self.source.passages(title)):
                titles.append(title)
            if len(titles) == self.partition:
                yield {"titles": json.dumps(titles)}
                titles = []
        if titles:
            yield {"titles": json.dumps(titles)}


class _Embedder:
    """What a worker does with a partition."""

    def __init__(self, path: Path, make_embeddings: MakeEmbeddings) -> None:
        self._source, self._embeddings = KnowledgeSource(path), make_embeddings()

    def __call__(self, row: Row) -> Row:
        passages: dict[str, Passage] = {
            passage.id: passage
            for title in json.loads(row["titles"])
            for passage in self._source.passages(title)
        }
        vectors = embed_passages(self._embeddings, list(passages.values()))
        return {"ids": json.dumps(list(passages)), "vectors": vectors.astype("<f4").tobytes()}
