"""What a build does where there is a file already."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.pages import PAGES, write_rows


def _build(folder: Path, rows: Iterable[Any], **options: Any) -> KnowledgeSource:
    return KnowledgeSource.build(write_rows(folder / "rows.jsonl", rows), folder / "source.db", **options)


def test_building_again_from_the_same_content_opens_what_is_there(tmp_path: Path) -> None:
    with _build(tmp_path, PAGES) as first, _build(tmp_path, PAGES) as second:
        assert second.built == first.built
        assert (tmp_path / "source.db").stat().st_mtime_ns == first.path.stat().st_mtime_ns


def test_another_content_does_not_replace_a_source_unasked(tmp_path: Path) -> None:
    _build(tmp_path, PAGES).close()
    with pytest.raises(UsageError, match="overwrite=True"):
        _build(tmp_path, PAGES[:1])
    with _build(tmp_path, PAGES[:1], overwrite=True) as replaced:
        assert replaced.document_count == 1


@pytest.mark.parametrize("kind", ["notes", "songs", "folder"])
def test_what_is_no_knowledge_source_is_never_overwritten(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "source.db"
    if kind == "notes":
        out.write_text("notes of a year")
    elif kind == "songs":
        with closing(sqlite3.connect(out)) as connection, connection:
            connection.execute("CREATE TABLE songs (title, text, year)")
    else:
        out.mkdir()
    before = None if out.is_dir() else out.read_bytes()
    with pytest.raises(UsageError, match="not a knowledge source"):
        _build(tmp_path, PAGES, overwrite=True)
    assert before is None or out.read_bytes() == before


def test_a_source_of_another_version_and_an_empty_file_may_be_overwritten(tmp_path: Path) -> None:
    (tmp_path / "source.db").touch()
    source = _build(tmp_path, PAGES[:1], overwrite=True)
    source.close()
    with closing(sqlite3.connect(source.path)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    with _build(tmp_path, PAGES, overwrite=True) as replaced:
        assert replaced.document_count == 4


def test_a_failed_build_leaves_the_good_source_alone(tmp_path: Path) -> None:
    _build(tmp_path, PAGES).close()
    with pytest.raises(KnowledgeSourceError):
        _build(tmp_path, ["<html>"], overwrite=True)
    with KnowledgeSource(tmp_path / "source.db") as source:
        assert source.document_count == 4
