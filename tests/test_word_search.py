"""Searching a whole source: exactly what scoring every passage would find, though little is read."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factscore_chain.retrievers import schema, word_search
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.postings import TITLE_WEIGHT, make_postings, merged
from factscore_chain.retrievers.tokenize import tokens
from factscore_chain.retrievers.word_search import K1, B
from tests.pages import write_rows


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BLOCK", 64)
    monkeypatch.setattr(word_search, "_SPAN", 2)
    monkeypatch.setattr(word_search, "_WORTH_KEEPING", 1)


def _text(rng: random.Random, words: int) -> str:
    # As in real text, the n-th word comes about a fortieth part as often as the first for n = 40.
    return " ".join(f"w{int(400 ** rng.random())}" for _ in range(words))


def _made(folder: Path, documents: int, seed: int = 0) -> KnowledgeSource:
    rng = random.Random(seed)
    rows = [
        {"title": f"{_text(rng, 2)} ({i})", "text": [_text(rng, rng.randint(5, 60))]}
        for i in range(documents)
    ]
    return KnowledgeSource.build(write_rows(folder / "rows.jsonl", rows), folder / "rows.db")


def _scored(source: KnowledgeSource, query: str) -> list[tuple[float, str]]:
    """BM25 of every passage, straight from its definition."""
    passages = list(source.all_passages())
    counts = [
        Counter(tokens(p.text))
        + Counter({t: TITLE_WEIGHT * n for t, n in Counter(tokens(p.title or "")).items()})
        for p in passages
    ]
    lengths = [len(tokens(p.text)) + len(tokens(p.title or "")) for p in passages]
    average = sum(lengths) / len(lengths)
    scores = [0.0] * len(passages)
    for word in dict.fromkeys(tokens(query)):
        having = sum(1 for count in counts if count[word])
        idf = math.log1p((len(passages) - having + 0.5) / (having + 0.5))
        for i, count in enumerate(counts):
            norm = K1 * (1 - B + B * lengths[i] / average)
            scores[i] += idf * (K1 + 1) * count[word] / (count[word] + norm)
    return [(score, p.id) for score, p in zip(scores, passages, strict=True) if score > 0]


@pytest.mark.parametrize("k", [1, 5, 50])
def test_the_best_are_those_of_scoring_every_passage(tmp_path: Path, small_blocks: None, k: int) -> None:
    rng = random.Random(k)
    with _made(tmp_path, 400) as source:
        for _ in range(25):
            query = _text(rng, rng.randint(1, 14))
            expected = sorted(_scored(source, query), key=lambda found: -found[0])[:k]
            found = source.search(query, k)
            assert [p.score for p in found] == pytest.approx([score for score, _ in expected], rel=1e-6)


def test_equal_scores_keep_the_order_of_the_input(tmp_path: Path, small_blocks: None) -> None:
    rows = [{"title": f"Town {i}", "text": "It has wells."} for i in range(300)]
    with KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", rows), tmp_path / "r.db") as source:
        assert [p.title for p in source.search("wells", 100)] == [f"Town {i}" for i in range(100)]


def test_a_search_reads_little_of_words_that_stand_everywhere(
    tmp_path: Path, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"title": "Ada", "text": "the town of zebras"}]
    rows += [{"title": f"T{i}", "text": "the town of wells " * (1 + i % 7)} for i in range(500)]
    looked: list[int] = []
    scored = word_search._gain

    def count(word: Any, counts: Any, norms: Any) -> Any:
        looked.append(len(counts))
        return scored(word, counts, norms)

    with KnowledgeSource.build(write_rows(tmp_path / "r.jsonl", rows), tmp_path / "r.db") as source:
        assert source.search("the zebras of the town", 1)[0].title == "Ada"
        monkeypatch.setattr(word_search, "_gain", count)
        source.search("the zebras of the town", 1)
    assert sum(looked) < 50


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text(max_size=30), min_size=1, max_size=3), min_size=1, max_size=6))
def test_the_index_holds_the_tokens_of_the_texts(documents: list[list[str]]) -> None:
    titles = [f"Title {i}" for i in range(len(documents))]
    made = merged([make_postings(titles, documents)])
    texts = [(title, text) for title, group in zip(titles, documents, strict=True) for text in group]
    expected = {
        (word, i): min(255, count)
        for i, (title, text) in enumerate(texts)
        for word, count in (Counter(tokens(text)) + Counter(tokens(title) * TITLE_WEIGHT)).items()
    }
    words = [word for word, size in zip(made.words, made.sizes, strict=True) for _ in range(size)]
    assert dict(zip(zip(words, made.passages, strict=True), made.counts, strict=True)) == expected
    assert made.lengths.tolist() == [len(tokens(text)) + len(tokens(title)) for title, text in texts]


def test_blocks_and_batches_leave_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for block in (64, 1 << 16):
        monkeypatch.setattr(schema, "BLOCK", block)
        (folder := tmp_path / str(block)).mkdir()
        with _made(folder, 300) as source:
            found.append([source.search(f"w{n} w3 w1", 7) for n in range(30)])
    assert found[0] == found[1]
