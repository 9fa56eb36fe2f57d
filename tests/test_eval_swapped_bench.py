"""False facts made by telling of one subject what a page says of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from factscore_chain.evals.bench.swapped import main, spring, swapped
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.pages import write_rows
from tests.seeking import ReasonedVerifier

ARTICLES = {
    "Pierre Curie": "Pierre Curie was a French physicist of the nineteenth century. He married Marie Curie.",
    "Marie Curie": "Marie Curie was a scientist from Warsaw.",
    "Ada Lovelace": "Ada Lovelace was a mathematician from London in England.",
}


def test_a_fact_is_told_of_another_subject_that_the_page_names() -> None:
    fact = "Marie Curie was a French physicist of the nineteenth century."
    assert list(swapped(ARTICLES)) == [("Marie Curie", fact)]


def test_a_false_fact_is_sought_and_stays_false(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "a.jsonl", [{"title": t, "text": text} for t, text in ARTICLES.items()])
    source = KnowledgeSource.build(rows, tmp_path / "a.db", progress=False)
    found = spring(list(swapped(ARTICLES)), source, ReasonedVerifier())
    assert (found.facts, found.supported, found.sought, found.turned) == (1, 0, 1, 0)


def test_missing_data_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FACTSCORE_DATA", "nowhere")
    assert main([]) == 2
    assert "cannot be read" in capsys.readouterr().err
