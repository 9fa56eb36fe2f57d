"""Updating a source: what is the same stays, and the rest is as if it had been built anew."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import AmbiguousTitleError, KnowledgeSourceError, TitleNotFoundError
from factscore_chain.retrievers import changes, prepare, schema, update, writer
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.passages import cut_many
from tests.pages import PAGES, write_rows


def _rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    return [
        {
            "title": f"Town {i}",
            "text": [
                f"Town {i} has {rng.randrange(30)} wells and {rng.randrange(9)} mills.",
                "It is old. " * (i % 90),
            ],
            "redirects": [f"Place {i % 20}", f"Town {i}"],
        }
        for i in range(count)
    ]


def _changed(rows: list[dict[str, Any]], seed: int) -> list[Any]:
    rng = random.Random(seed)
    left = [row for row in rows if rng.random() > 0.1]
    for row in rng.sample(left, len(left) // 10):
        row["text"] = f"{row['title']} was left by its people in {rng.randrange(1900, 2000)}."
    new = [
        {"title": f"Village {seed} {i}", "text": f"Village {i} has a mill."} for i in range(len(rows) // 8)
    ]
    left += new
    rng.shuffle(left)
    return left


def _answers(source: KnowledgeSource) -> list[Any]:
    found: list[Any] = [source.content_hash, source.document_count, source.passage_count, source.registration]
    found += [list(source.titles), list(source.all_passages())]
    for query in ("wells", "mill", "town 7", "old mill of the village", "people left in 1950", "place 3"):
        found.append(source.search(query, 12))
    return [
        *found,
        *(_meant(source, name) for name in ("place 3", "town 8", "Vilage 1 1", "Town 999", "village")),
    ]


def _meant(source: KnowledgeSource, name: str) -> str:
    try:
        return source.resolve(name)
    except (TitleNotFoundError, AmbiguousTitleError) as error:
        return str(error)


@pytest.mark.parametrize("block", [64, 1 << 16])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_updated_source_answers_as_one_that_was_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, workers: int
) -> None:
    monkeypatch.setattr(schema, "BLOCK", block)
    monkeypatch.setattr(writer, "_BATCH_ROWS", 20)
    monkeypatch.setattr(changes, "_AT_ONCE", 40)
    rows: list[Any] = _rows(150)
    out = tmp_path / "source.db"
    KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", rows), out).close()
    for seed in (1, 2):
        rows = _changed(rows, seed)
        path = write_rows(tmp_path / "rows.jsonl", [*rows[:50], "{bad", *rows[50:], rows[3]])
        KnowledgeSource.update(out, path, workers=workers)
        fresh = KnowledgeSource.build(path, tmp_path / "fresh.db", name="rows", overwrite=True)
        with KnowledgeSource(out) as updated, fresh:
            assert _answers(updated) == _answers(fresh)


def test_only_what_changed_is_cut_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, out = _rows(40), tmp_path / "source.db"
    KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", rows), out).close()
    seen: list[int] = []

    def count(documents: Any, max_tokens: int) -> list[list[str]]:
        seen.append(len(documents))
        return cut_many(documents, max_tokens)

    monkeypatch.setattr(prepare, "cut_many", count)
    rows[5]["text"] = "Town 5 is a lake now."
    path = write_rows(tmp_path / "rows.jsonl", [PAGES[0], *rows[1:]])
    assert main(["kb", "update", str(out), str(path), "--workers", "1"]) == 0
    assert sum(seen) == 2
    assert "1 added, 1 changed, 1 removed, 38 unchanged" in capsys.readouterr().out


def test_an_update_that_is_broken_off_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, out = _rows(40), tmp_path / "source.db"
    KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", rows), out).close()
    before = out.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(update, "store_common", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            KnowledgeSource.update(out, write_rows(tmp_path / "rows.jsonl", rows[5:]))
    assert out.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix != ".lock") == ["rows.jsonl", "source.db"]


def test_what_an_earlier_update_left_behind_is_no_hindrance(tmp_path: Path) -> None:
    out = tmp_path / "source.db"
    KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", PAGES), out).close()
    (tmp_path / ".source.db.updating").write_bytes(b"half a copy")
    KnowledgeSource.update(out, write_rows(tmp_path / "rows.jsonl", PAGES[1:]))
    with KnowledgeSource(out) as source:
        assert source.document_count == 3


def test_an_open_source_goes_on_with_what_it_was(tmp_path: Path) -> None:
    out = tmp_path / "source.db"
    with KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", PAGES), out) as before:
        KnowledgeSource.update(out, write_rows(tmp_path / "rows.jsonl", PAGES[1:]))
        assert before.search("Ada Lovelace", 1)[0].title == "Ada Lovelace"


def test_an_update_without_documents_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "source.db"
    KnowledgeSource.build(write_rows(tmp_path / "rows.jsonl", PAGES), out).close()
    with pytest.raises(KnowledgeSourceError, match="no document"):
        KnowledgeSource.update(out, write_rows(tmp_path / "none.jsonl", ["{}"]))
    with KnowledgeSource(out) as source:
        assert source.document_count == 4
