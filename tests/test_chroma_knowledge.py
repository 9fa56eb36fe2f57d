"""Knowledge in a Chroma server: pushed there once, then read by its URL as a registered source would be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import chromadb
import pytest
import yaml
from langchain_chroma import Chroma

from factscore_chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.encoder import EncoderEmbeddings
from factscore_chain.errors import KnowledgeSourceError, TitleNotFoundError, UsageError
from factscore_chain.retrievers.chroma import ChromaRetriever
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.opening import as_retriever, open_knowledge
from factscore_chain.server.sources import Sources
from tests.chroma_server import running_chroma, server
from tests.embedders import WordEmbeddings
from tests.pages import PAGES, write_rows

__all__ = ["running_chroma", "server"]

# Chroma's client leaves the connections of its HTTP session to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

TOPIC = "Ada Lovelace"
TEXT = "Ada Lovelace was born in London in 1815. She was born in Leeds."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "pages.jsonl", PAGES)
    write_rows(tmp_path / "rows.jsonl", [{"topic": TOPIC, "output": TEXT}])
    return tmp_path


@pytest.fixture
def pushed(server: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["kb", "push", "pages.jsonl", "--to", server.replace("http", "chroma")]) == 0
    return capsys.readouterr().out.split()[-1]


def client(server: str) -> Any:
    host, port = server.removeprefix("http://").split(":")
    return chromadb.HttpClient(host=host, port=int(port))


def scored(knowledge: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["score", "rows.jsonl", "--knowledge", knowledge, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_report_is_that_of_the_same_source_on_disk(pushed: str, capsys: pytest.CaptureFixture[str]) -> None:
    here, there = scored("pages.jsonl", capsys), scored(pushed, capsys)
    assert (there["score"], there["generations"]) == (here["score"], here["generations"])
    assert here["counts"]["supported"] == 2
    known = [report["manifest"]["knowledge"] for report in (here, there)]
    assert [one["content_hash"] for one in known] == [known[0]["content_hash"]] * 2
    assert known[1]["name"] == known[0]["name"]


def test_passages_of_a_topic_are_those_of_the_source_and_without_one_all_are_searched(pushed: str) -> None:
    there, here = ChromaRetriever(pushed), KnowledgeRetriever(source=open_knowledge("pages.jsonl"))
    queries = ["Where was she born?", "the Analytical Engine"]
    assert there.rank_many(queries, "Ada_Lovelace", 3) == here.rank_many(queries, TOPIC, 3)
    assert there.invoke("the planet nearest to the Sun", k=1)[0].metadata["title"] == "Mercury (planet)"
    assert there.page(TOPIC) == here.page(TOPIC)


def test_a_topic_without_passages_is_named_in_its_generation(
    pushed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", TEXT, "--topic", "Nobody", "--knowledge", pushed]) == 3
    assert "No document is titled 'Nobody'" in capsys.readouterr().err
    with pytest.raises(TitleNotFoundError):
        ChromaRetriever(pushed).resolve("Nobody")


def test_edit_eval_and_search_read_it_too(pushed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["edit", "rows.jsonl", "--knowledge", pushed]) == 0
    edited = json.loads(capsys.readouterr().out)["output"]
    assert ("London" in edited, "Leeds" in edited) == (True, False)
    facts = [{"text": "Ada Lovelace was born in London.", "label": "S"}]
    write_rows(Path("labels.jsonl"), [{"topic": TOPIC, "output": TEXT, "annotations": _annotated(facts)}])
    assert main(["eval", "agreement", "labels.jsonl", "--knowledge", pushed, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert main(["kb", "search", pushed, "Where was she born?", "--topic", TOPIC]) == 0
    assert "1815" in capsys.readouterr().out


def _annotated(facts: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [
        {
            "text": TEXT.split(". ")[0],
            "is-relevant": True,
            "human-atomic-facts": facts,
            "model-atomic-facts": [{"text": one["text"]} for one in facts],
        }
    ]


async def test_a_server_of_ours_checks_texts_by_it(pushed: str) -> None:
    sources = Sources.of([FactScoreChain(pushed, gamma=None)])
    report = await sources.chain("pages").ascore(TEXT, topic=TOPIC)
    assert (sources.resolve("pages", TOPIC), report.counts.supported) == (TOPIC, 2)


def test_another_embedder_than_the_one_that_filled_it_is_refused(pushed: str) -> None:
    with pytest.raises(KnowledgeSourceError, match="cannot be searched with WordEmbeddings"):
        ChromaRetriever(pushed, WordEmbeddings())


def test_a_push_that_was_interrupted_is_not_taken_for_a_whole_one(server: str, pushed: str) -> None:
    collection = client(server).get_collection(pushed.rpartition("/")[2], embedding_function=None)
    whole = dict(collection.metadata)
    collection.modify(metadata={**whole, "complete": False})
    with pytest.raises(KnowledgeSourceError, match="interrupted"):
        ChromaRetriever(pushed)
    collection.modify(metadata=whole)


def test_a_collection_that_somebody_else_filled_is_searched_by_the_given_embedder(server: str) -> None:
    made = Chroma("foreign", WordEmbeddings(), client=client(server))
    made.add_texts(["Wells is a town.", "Bath is a town."], [{"title": "Wells"}, {}])
    retriever = ChromaRetriever(f"{server.replace('http', 'chroma')}/foreign", WordEmbeddings())
    assert retriever.resolve("Wells") == "Wells"
    assert [one.page_content for one in retriever.invoke("Bath, a town", k=1)] == ["Bath is a town."]
    assert retriever.knowledge_identity == {"name": "foreign", "content_hash": None, "built": None}


def test_a_store_by_its_class_is_kept_to_a_topic(server: str, folder: Path) -> None:
    host, port = server.removeprefix("http://").split(":")
    made = Chroma("by-class", EncoderEmbeddings(), client=client(server))
    made.add_texts([page["text"] for page in PAGES[2:]], [{"title": page["title"]} for page in PAGES[2:]])
    about = {
        "class": "langchain_chroma.Chroma",
        "arguments": {"collection_name": "by-class", "host": host, "port": int(port)},
    }
    (folder / "mercury.yaml").write_text(yaml.safe_dump(about), encoding="utf-8")
    chain = FactScoreChain("mercury.yaml", gamma=None)
    report = chain.score("Mercury is nearest to the Sun.", topic="Mercury (planet)")
    assert {passage.title for fact in report.facts for passage in fact.passages} == {"Mercury (planet)"}
    assert (report.score, chain.manifest.knowledge["name"]) == (1.0, "mercury")


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("chroma://127.0.0.1:9/pages", KnowledgeSourceError),
        ("chroma://127.0.0.1:9", UsageError),
        ("chroma://", UsageError),
        ("ftp://host/pages", UsageError),
        ("chroma://me:planted@host/pages", UsageError),
    ],
)
def test_what_names_no_collection_is_one_clear_error(url: str, kind: type[Exception]) -> None:
    with pytest.raises(kind) as raised:
        as_retriever(url)
    assert "planted" not in str(raised.value)


def test_a_collection_that_is_not_there_is_named(server: str) -> None:
    with pytest.raises(KnowledgeSourceError, match="missing"):
        as_retriever(f"{server.replace('http', 'chroma')}/missing")
