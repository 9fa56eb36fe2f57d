"""Embedding a knowledge source in the workers of a Ray cluster of this machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import UsageError
from factscore_chain.ray_engine import RayEmbedding, Workers
from factscore_chain.retrievers.kept_vectors import KeptVectors, vectors_beside
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.embedders import WordEmbeddings
from tests.pages import PAGES, make_source, write_rows
from tests.ray_cluster import cluster

pytest.importorskip("ray", reason="Ray is not installed (extra ray)")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

__all__ = ["cluster"]


def embedding(source: KnowledgeSource) -> RayEmbedding:
    return RayEmbedding(source, WordEmbeddings, Workers(2), 1)


def test_workers_make_the_vectors_that_one_process_makes(tmp_path: Path) -> None:
    with make_source(tmp_path) as source:
        passages = list(source.all_passages())
        assert embedding(source).run() == len(passages)
        asked = WordEmbeddings()
        found = KeptVectors(vectors_beside(source.path), asked).of(passages)
        assert not {passage.text for passage in passages} & {text.split("\n")[-1] for text in asked.embedded}
        np.testing.assert_array_equal(found, KeptVectors(None, WordEmbeddings()).of(passages))


def test_what_is_embedded_is_not_embedded_again(tmp_path: Path) -> None:
    with make_source(tmp_path) as source:
        whole, first = len(list(source.all_passages())), source.passages(next(iter(source.titles)))
        KeptVectors(vectors_beside(source.path), WordEmbeddings()).of(first)
        assert embedding(source).run() == whole - len(first)
        assert embedding(source).run() == 0


def test_the_command_embeds_there_and_indexes_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, out = write_rows(tmp_path / "pages.jsonl", PAGES), tmp_path / "pages.db"
    assert main(["kb", "build", str(rows), "--out", str(out)]) == 0
    capsys.readouterr()
    assert main(["kb", "embed", str(out), "--engine", "ray", "--workers", "2"]) == 0
    there, here = capsys.readouterr().out.splitlines()
    assert there.replace(" by workers", "") == here
    assert int(here.split()[0]) > 0


def test_an_empty_partition_is_wrong_use(tmp_path: Path) -> None:
    with make_source(tmp_path) as source, pytest.raises(UsageError, match="partition is 0"):
        RayEmbedding(source, WordEmbeddings, partition=0)
