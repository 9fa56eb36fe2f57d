"""What is opened as a knowledge source: our own files, the original's, and things that are neither."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from factscore_chain.errors import AmbiguousTitleError, KnowledgeSourceError, TitleNotFoundError
from factscore_chain.retrievers import opening
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.opening import open_knowledge
from factscore_chain.retrievers.original import SEPARATOR
from factscore_chain.retrievers.schema import SCHEMA_VERSION
from tests.pages import make_source

ORIGINAL = [
    (
        "Ada Lovelace",
        f"<s>Ada was born in 1815.</s><s>Career. She wrote notes.</s>{SEPARATOR}<s>She died in 1852.</s>",
    ),
    ("Bosch (company)", "<s>Bosch makes tools.</s>"),
    ("Bosch Brewing Company", f"<s>Bosch brewed beer.</s>{SEPARATOR}{SEPARATOR}<s></s>"),
]


def _original(path: Path, rows: list[tuple[str, str]]) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE documents (title PRIMARY KEY, text)")
        connection.executemany("INSERT INTO documents VALUES (?, ?)", rows)
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty file"),
        (b"<!DOCTYPE html><html><body>Quota exceeded</body></html>", "web page"),
        (b"\n  <html>", "web page"),
        (b'{"title": "A", "text": "B"}\n', "register it"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"some text", "another kind"),
        (b"SQLite format 3\0", "cut short"),
    ],
)
def test_a_file_of_another_kind_is_named_for_what_it_is(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "source.db"
    path.write_bytes(content)
    with pytest.raises(KnowledgeSourceError, match=message) as caught:
        KnowledgeSource(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_source_is_noticed_when_opened(tmp_path: Path, share: float) -> None:
    path = make_source(tmp_path).path
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(KnowledgeSourceError, match="cut short"):
        KnowledgeSource(path)


def test_a_damaged_source_gives_our_error_not_sqlites(tmp_path: Path) -> None:
    path = make_source(tmp_path).path
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(KnowledgeSourceError, match="Cannot read"):
        KnowledgeSource(path).search("anything")


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeSourceError, match="no knowledge source at"):
        KnowledgeSource(tmp_path / "none.db")
    with pytest.raises(KnowledgeSourceError, match="folder"):
        KnowledgeSource(tmp_path)


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE songs (title, text, year)")
    with pytest.raises(KnowledgeSourceError, match="not a knowledge source"):
        KnowledgeSource(path)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("PRAGMA user_version = 99", "layout 99"),
        ("UPDATE meta SET value = 99 WHERE key = 'tokenizer'", "tokenizer 99"),
    ],
)
def test_a_source_of_another_version_is_refused(tmp_path: Path, statement: str, message: str) -> None:
    path = make_source(tmp_path).path
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(KnowledgeSourceError, match=message):
        KnowledgeSource(path)


def test_opening_and_searching_write_nothing(tmp_path: Path) -> None:
    path = make_source(tmp_path).path
    before = path.read_bytes(), sorted(p.name for p in tmp_path.iterdir())
    path.chmod(0o444)
    with KnowledgeSource(path) as source:
        source.search("Mercury")
        assert (path.read_bytes(), sorted(p.name for p in tmp_path.iterdir())) == before


def test_a_path_with_odd_characters_opens(tmp_path: Path) -> None:
    folder = tmp_path / "a b#c?d%20é"
    folder.mkdir()
    assert KnowledgeSource(make_source(folder).path).document_count == 4


def test_a_database_of_the_original_reads_without_its_markers(tmp_path: Path) -> None:
    with KnowledgeSource(_original(tmp_path / "enwiki.db", ORIGINAL)) as source:
        assert (source.name, source.document_count, source.passage_count) == ("enwiki", 3, None)
        assert [p.text for p in source.passages("Ada Lovelace")] == [
            "Ada was born in 1815.\nCareer. She wrote notes.",
            "She died in 1852.",
        ]
        assert [p.text for p in source.passages("Bosch Brewing Company")] == ["Bosch brewed beer."]
        assert list(source.titles) == [title for title, _ in ORIGINAL]


def test_titles_of_the_original_resolve_like_our_own(tmp_path: Path) -> None:
    with KnowledgeSource(_original(tmp_path / "enwiki.db", ORIGINAL)) as source:
        assert source.resolve("ada_lovelace") == "Ada Lovelace"
        with pytest.raises(AmbiguousTitleError):
            source.resolve("bosch")
        with pytest.raises(TitleNotFoundError, match="Ada Lovelace"):
            source.resolve("Ada Lovelaze")


def test_the_originals_hash_follows_its_content(tmp_path: Path) -> None:
    hashes = []
    for name, rows in (("a", ORIGINAL), ("b", ORIGINAL), ("c", ORIGINAL[:2])):
        with KnowledgeSource(_original(tmp_path / f"{name}.db", rows)) as source:
            hashes.append(source.content_hash)
    assert hashes[0] == hashes[1] != hashes[2]


def test_searching_the_original_without_a_topic_says_what_to_do(tmp_path: Path) -> None:
    with (
        KnowledgeSource(_original(tmp_path / "enwiki.db", ORIGINAL)) as source,
        pytest.raises(KnowledgeSourceError, match="give a topic, or build"),
    ):
        source.search("beer")


def test_an_original_whose_registration_failed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeSourceError, match="never ran to the end"):
        KnowledgeSource(_original(tmp_path / "enwiki.db", []))


def test_a_file_that_an_older_layout_was_registered_in_is_registered_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTSCORE_CACHE", str(tmp_path / "cache"))
    rows = tmp_path / "pages.jsonl"
    rows.write_text('{"title": "Ada", "text": "Ada was born in 1815."}\n', "utf-8")
    with open_knowledge(rows) as source, closing(sqlite3.connect(source.path)) as connection, connection:
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")
    monkeypatch.setattr(opening, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with open_knowledge(rows) as again:
        assert again.document_count == 1
