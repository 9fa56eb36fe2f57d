"""Vectors are kept by content: a passage is embedded once, whoever needs it."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from factscore_chain.cli.main import main
from factscore_chain.retrievers.embedding import embed_passages
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.kept_vectors import KeptVectors, vectors_beside
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vectors import VectorIndex
from factscore_chain.values import Passage
from tests.embedders import WordEmbeddings
from tests.pages import PAGES, make_source, write_rows

PASSAGES = [Passage(str(i), f"Town {i} has wells.", f"Town {i}") for i in range(1_200)]


def test_a_passage_is_embedded_once_whoever_asks(tmp_path: Path) -> None:
    first, second = WordEmbeddings(), WordEmbeddings()
    made = KeptVectors(tmp_path / "x.vectors", first).of(PASSAGES)
    again = KeptVectors(tmp_path / "x.vectors", second).of(PASSAGES[::-1])
    assert (len(first.embedded), second.embedded) == (1_200, [])
    assert np.array_equal(made, again[::-1])
    assert np.array_equal(made, embed_passages(WordEmbeddings(), PASSAGES))


def test_a_topic_is_embedded_when_first_needed_and_then_never_again(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    embedders = [WordEmbeddings(), WordEmbeddings()]
    for embedder in embedders:
        KnowledgeRetriever(source=source, embeddings=embedder).invoke("engine", topic="Ada Lovelace")
    assert [sum("1815" in text for text in one.embedded) for one in embedders] == [1, 0]


def test_an_index_takes_what_was_embedded_before(tmp_path: Path) -> None:
    source, embedder = make_source(tmp_path), WordEmbeddings()
    KnowledgeRetriever(source=source, embeddings=WordEmbeddings()).invoke("engine", topic="Ada Lovelace")
    VectorIndex.build(source, embedder).close()
    assert len(embedder.embedded) == 3


def test_what_an_update_leaves_as_it_was_keeps_its_vectors(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    VectorIndex.build(source, WordEmbeddings()).close()
    rows = write_rows(tmp_path / "pages.jsonl", [*PAGES[:3], {"title": "Venus", "text": "Venus is hot."}])
    KnowledgeSource.update(source.path, rows)
    embedder = WordEmbeddings()
    with KnowledgeSource(source.path) as updated:
        index = VectorIndex.build(updated, embedder)
        assert embedder.embedded == ["Venus\nVenus is hot."]
        assert index.search("Venus is hot", 1)[0].title == "Venus"
        index.close()


def test_other_weights_under_the_same_name_are_another_embedder(tmp_path: Path) -> None:
    class Other(WordEmbeddings):
        def _vector(self, text: str) -> list[float]:
            return super()._vector(text)[::-1]

    KeptVectors(tmp_path / "x.vectors", WordEmbeddings()).of(PASSAGES[:5])
    other = Other()
    Other.__name__ = "WordEmbeddings"
    made = KeptVectors(tmp_path / "x.vectors", other).of(PASSAGES[:5])
    assert len(other.embedded) == 5
    assert np.array_equal(made, embed_passages(Other(), PASSAGES[:5]))


@pytest.mark.parametrize("kind", ["another database", "no database", "folder"])
def test_a_file_that_cannot_be_used_is_done_without_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.vectors"
    if kind == "folder":
        path.mkdir()
    elif kind == "no database":
        path.write_text("notes " * 1_000)
    else:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE songs (title)")
    before = None if path.is_dir() else path.read_bytes()
    made = KeptVectors(path, WordEmbeddings()).of(PASSAGES[:3])
    assert made.shape == (3, 512)
    assert before is None or path.read_bytes() == before


def test_threads_keep_vectors_at_once(tmp_path: Path) -> None:
    kept = KeptVectors(tmp_path / "x.vectors", WordEmbeddings())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: kept.of(PASSAGES[i * 50 : i * 50 + 100]), range(20)))
    embedder = WordEmbeddings()
    KeptVectors(tmp_path / "x.vectors", embedder).of(PASSAGES[:1_050])
    assert embedder.embedded == []


def test_kb_embed_embeds_a_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_source(tmp_path).path
    assert main(["kb", "embed", str(path)]) == 0
    assert "4 passages embedded" in capsys.readouterr().out
    assert vectors_beside(path).exists()
