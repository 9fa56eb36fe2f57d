"""Vectors by a sentence-transformers model, on a tiny one made here and loaded as real ones are."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import KnowledgeSourceError
from factscore_chain.hub import WeightsNotFoundError
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.opening import open_knowledge
from factscore_chain.retrievers.sentence_transformer import SentenceTransformerEmbeddings
from tests.tiny_models import save_masked

HAS_TORCH = importlib.util.find_spec("torch") is not None
ROWS = (
    '{"title": "Ada", "text": "Ada was born in London."}\n{"title": "Paris", "text": "She died in Paris."}\n'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a tiny model, whose queries have an instruction."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    place = tmp_path_factory.mktemp("embedder")
    # A plain masked model gets mean pooling.
    model = sentence_transformers.SentenceTransformer(
        save_masked(place / "words"), prompts={"query": "fact : ", "document": ""}
    )
    model.save(str(place / "model"))
    return str(place / "model")


@pytest.fixture
def rows(tmp_path: Path) -> str:
    path = tmp_path / "rows.jsonl"
    path.write_text(ROWS, encoding="utf-8")
    return str(path)


def test_queries_get_the_instruction_that_they_were_trained_with(folder: str) -> None:
    embeddings = SentenceTransformerEmbeddings(folder)
    query, plain = embeddings.embed_query("Ada died"), embeddings.embed_documents(["fact : Ada died"])[0]
    assert np.allclose(query, plain, atol=1e-5)
    assert not np.allclose(query, embeddings.embed_documents(["Ada died"])[0], atol=1e-3)


def test_a_source_is_searched_by_it_and_says_so(folder: str, rows: str) -> None:
    embeddings = SentenceTransformerEmbeddings(folder)
    source = open_knowledge(rows, embeddings)
    retriever = KnowledgeRetriever(source=source, embeddings=embeddings, mode="vector")
    found = retriever.invoke("Ada was born in London.", k=2)
    assert sorted(document.metadata["title"] for document in found) == ["Ada", "Paris"]
    assert retriever.identity["embeddings"] == f"SentenceTransformerEmbeddings:{folder}"


def test_each_embedder_has_its_own_index_of_a_file(folder: str, rows: str) -> None:
    shipped, other = open_knowledge(rows), open_knowledge(rows, SentenceTransformerEmbeddings(folder))
    assert shipped.path != other.path
    with pytest.raises(KnowledgeSourceError, match="was made by"):
        KnowledgeRetriever(source=other).invoke("Ada")


def test_the_commands_take_it(folder: str, rows: str, tmp_path: Path, capsys: Any) -> None:
    database = str(tmp_path / "rows.db")
    assert main(["kb", "build", rows, "--out", database, "--embedder", folder]) == 0
    assert "2 passages embedded" in capsys.readouterr().out
    assert main(["kb", "search", database, "London", "--embedder", folder]) == 0
    scoring = ["score", "Ada was born in London.", "--knowledge", rows, "--embedder", folder]
    assert main([*scoring, "--format", "json"]) == 0
    assert "SentenceTransformerEmbeddings" in capsys.readouterr().out


def test_a_model_that_is_nowhere_is_named(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(WeightsNotFoundError, match="'no/model'"):
        SentenceTransformerEmbeddings("no/model")


@pytest.mark.skipif(HAS_TORCH, reason="torch is installed")
def test_without_its_extra_the_extra_is_named(rows: str, capsys: Any) -> None:
    assert main(["score", "Ada sang.", "--knowledge", rows, "--embedder", "some/model"]) == 2
    assert "factscore-chain[hf]" in capsys.readouterr().err
