"""Any LangChain vector store by a YAML file: what it may name, and what is refused, secrets untold."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from langchain_core.vectorstores import InMemoryVectorStore

from factscore_chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import KnowledgeSourceError, TitleNotFoundError, UsageError
from factscore_chain.retrievers.opening import as_retriever
from factscore_chain.retrievers.store import StoreRetriever
from tests.embedders import WordEmbeddings

TEXTS = {
    "Wells": "Wells is a city in Somerset with a cathedral.",
    "Bath": "Bath is a city in Somerset with hot springs.",
}
WORDS = {"class": "tests.embedders.WordEmbeddings"}


class FullStore(InMemoryVectorStore):
    """Fails with its arguments in the message, as drivers of databases do."""

    def __init__(self, embedding: Any, address: str) -> None:
        raise ValueError(f"cannot reach {address}")


@pytest.fixture
def about(tmp_path: Path) -> dict[str, Any]:
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_texts(list(TEXTS.values()), [{"page": title} for title in TEXTS])
    store.dump(str(tmp_path / "store.json"))
    return {
        "class": "langchain_core.vectorstores.InMemoryVectorStore",
        "method": "load",
        "arguments": {"path": str(tmp_path / "store.json")},
        "embeddings": WORDS,
        "title": "page",
        "filter": "function",
    }


def described(folder: Path, about: Any) -> Path:
    path = folder / "towns.yaml"
    path.write_text(about if isinstance(about, str) else yaml.safe_dump(about), encoding="utf-8")
    return path


def test_a_topic_keeps_the_search_to_its_documents(tmp_path: Path, about: dict[str, Any]) -> None:
    retriever = as_retriever(described(tmp_path, about))
    found = retriever.invoke("a city with hot springs", topic="Wells")
    assert [(one.page_content, one.metadata["title"]) for one in found] == [(TEXTS["Wells"], "Wells")]
    assert [one.page_content for one in retriever.invoke("hot springs", k=1)] == [TEXTS["Bath"]]


def test_a_topic_that_no_document_has_is_not_found(tmp_path: Path, about: dict[str, Any]) -> None:
    retriever = as_retriever(described(tmp_path, about))
    assert isinstance(retriever, StoreRetriever)
    with pytest.raises(TitleNotFoundError):
        retriever.resolve("London")


def test_where_nothing_can_be_filtered_the_topic_joins_the_query(
    tmp_path: Path, about: dict[str, Any]
) -> None:
    chain = FactScoreChain(described(tmp_path, {**about, "filter": "none"}), gamma=None, k=1)
    report = chain.score("It has a cathedral.", topic="Wells")
    assert [passage.title for fact in report.facts for passage in fact.passages] == ["Wells"]
    assert not chain.scorer.retrieval or not chain.scorer.retrieval.knows_titles


def test_a_command_takes_the_file_and_the_report_names_it(
    tmp_path: Path, about: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = described(tmp_path, {**about, "name": "towns of Somerset"})
    text = "Wells has a cathedral."
    assert main(["score", text, "--topic", "Wells", "--knowledge", str(path), "--format", "json"]) == 0
    assert '"name": "towns of Somerset"' in capsys.readouterr().out


def test_a_filter_of_the_store_has_the_topic_in_its_place() -> None:
    asked: list[Any] = []

    class Recording(InMemoryVectorStore):
        def similarity_search(self, query: str, k: int = 4, **options: Any) -> list[Any]:
            asked.append(options["filter"])
            return []

    retriever = StoreRetriever(
        store=Recording(WordEmbeddings()),
        name="r",
        title_filter={"$and": [{"page": {"$eq": "{topic}"}}, {"lang": "en"}]},
    )
    with pytest.raises(TitleNotFoundError):
        retriever.resolve("Wells")
    assert asked == [{"$and": [{"page": {"$eq": "Wells"}}, {"lang": "en"}]}]


def test_a_store_that_fails_is_an_error_of_the_source(tmp_path: Path, about: dict[str, Any]) -> None:
    # The filter of this store is a function, so it cannot take a mapping.
    retriever = as_retriever(described(tmp_path, {**about, "filter": {"page": "{topic}"}}))
    with pytest.raises(KnowledgeSourceError, match=r"'towns' failed \(TypeError\)"):
        retriever.invoke("hot springs", topic="Bath")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"class": "os.system", "arguments": {"command": "touch ran"}}, "no LangChain VectorStore"),
        ({"class": "__import__('os').system"}, "no dotted name"),
        ({"class": "no_such_package.Store"}, "cannot be imported"),
        ({"class": "langchain_core.vectorstores.NoSuchStore"}, "cannot be imported"),
        ({"class": "tests.embedders.WordEmbeddings"}, "no LangChain VectorStore"),
        ({"method": "__init__"}, "no class method"),
        ({"method": "similarity_search"}, "no class method"),
        ({"colour": "planted"}, "colour"),
        ({"arguments": "planted"}, "arguments"),
        ({"embeddings": {"class": "langchain_core.vectorstores.InMemoryVectorStore"}}, "no LangChain Embed"),
        ({"arguments": {"path": "${NOT_SET_HERE}"}}, "NOT_SET_HERE"),
    ],
)
def test_a_file_that_describes_no_store_is_wrong_use(
    tmp_path: Path, about: dict[str, Any], wrong: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said) as raised:
        as_retriever(described(tmp_path, {**about, **wrong}))
    assert ("planted" in str(raised.value), (tmp_path / "ran").exists()) == (False, False)


@pytest.mark.parametrize("content", ["[", "- a", "!!python/object/apply:os.getcwd []", ""])
def test_a_file_that_is_no_description_is_wrong_use(tmp_path: Path, content: str) -> None:
    with pytest.raises(UsageError, match=r"towns\.yaml"):
        as_retriever(described(tmp_path, content))


@pytest.mark.parametrize("address", ["${ADDRESS}", "db://me:planted@host/x"])
def test_a_secret_is_not_repeated_where_the_store_cannot_be_opened(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADDRESS", "planted")
    path = described(tmp_path, {"class": f"{__name__}:FullStore", "arguments": {"address": address}})
    with pytest.raises(KnowledgeSourceError, match="ValueError: cannot reach") as raised:
        as_retriever(path)
    assert "planted" not in str(raised.value)
    assert "planted" not in "".join(map(str, sys.exc_info()))
